import { formatSampleJson } from "#cli/dc/sample.ts";
import type { Principal } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcStore } from "#dc/ports.ts";
import type { AdmissionRules } from "#interfaces/http/admission.ts";
import { WebhookSecrets } from "#interfaces/http/followed_file.ts";
import { createHttpHandler } from "#interfaces/http/handler.ts";
import { Metrics } from "#interfaces/http/metrics.ts";
import type { ByteBudget } from "#kernel/slots.ts";
import type { PortLimits } from "#runtime/connections.ts";
import { SharedPort } from "#runtime/one_port.ts";
import { endAfterTest } from "../end_after_test.ts";
import { type TestClock, type TestService, testService } from "./service.ts";

export interface Served {
  readonly site: TestService;
  readonly url: string;
  /** Defects that the server has met, with the method's name. */
  readonly defects: { readonly method: string; readonly error: unknown }[];
  /** Says to the server that it is about to end. */
  readonly shutdown: AbortController;
  setReady(ready: boolean): void;
}

/** Whoever says `Bearer <role>` has that role, under the same name. */
async function principalOf(authorization: string | null, authRequired: boolean): Promise<Principal | undefined> {
  if (authorization === null && !authRequired) return undefined;
  if (authorization === null) throw refuse("UNAUTHENTICATED", "This call needs a token");
  const [, role] = /^Bearer (reader|writer|admin|meter)$/.exec(authorization) ?? [];
  if (role === undefined)
    throw refuse("UNAUTHENTICATED", "Authorization holds an unknown token: expected one of the token file");
  return { name: role, roles: [role as "reader"], authMethod: "token" };
}

/** What a server on a loopback address admits. */
export const LOCAL: AdmissionRules = {
  isOpen: true,
  allowedHosts: [],
  allowedOrigins: [],
  probesFromAnywhere: false,
};

interface Given {
  readonly authRequired?: boolean;
  readonly store?: DcStore;
  readonly clock?: TestClock;
  readonly webhookSecret?: string;
  readonly limits?: Partial<PortLimits>;
  readonly budget?: ByteBudget;
}

/** The server on a port of its own until the test's end, over a service in memory unless another store is given. */
export async function served(given: Given = {}): Promise<Served> {
  const { end, ...at } = await openServed(given);
  endAfterTest(end);
  return at;
}

/** The same for several tests, which end it themselves. */
export async function openServed(given: Given = {}): Promise<Served & { end(): Promise<unknown> }> {
  const counted = new Metrics();
  const site = await testService({ ...given, observe: (call) => counted.observe(call) });
  const defects: Served["defects"] = [];
  const shutdown = new AbortController();
  let ready = true;
  const handler = createHttpHandler({
    service: site.service,
    findPrincipal: (authorization) => principalOf(authorization, given.authRequired === true),
    findUnreadyReason: async () => (ready ? undefined : "The database does not answer"),
    formatMetrics: (format) =>
      counted.formatMetrics(format, { version: "1.2.3", startTimeS: 1, cpuSeconds: 2, residentMemoryBytes: 3 }),
    webhookSecret: given.webhookSecret === undefined ? undefined : WebhookSecrets.parse(given.webhookSecret),
    countDeadLetters: (count) => counted.countDeadLetters(count),
    observeRefusedCall: (call) => counted.observe(call),
    loadSample: async () => formatSampleJson(),
    reportDefect: (method, error) => defects.push({ method, error }),
    shutdown: shutdown.signal,
    admission: { ...LOCAL, isOpen: given.authRequired !== true },
  });
  const server = new SharedPort({
    ...(given.budget !== undefined && { budget: given.budget }),
    handler,
    limits: given.limits ?? {},
  });
  const port = await server.listen(0, "127.0.0.1");
  const setReady = (now: boolean) => {
    ready = now;
  };
  return { site, url: `http://127.0.0.1:${port}`, defects, shutdown, setReady, end: () => server.close(0) };
}
