import { afterAll, beforeAll, expect, test } from "bun:test";
import { ERROR_KINDS, OperationError } from "#kernel/errors.ts";
import { openServed } from "../support/dc/served.ts";
import { postJson } from "../support/http_client.ts";
import { askByWire, understood } from "../support/protocol_answers.ts";
import { ENDLESS, FAILURE_PREFIX, FAILURE_TEXT, PROTOCOL_CASES, RPC } from "../support/protocol_cases.ts";

let at: Awaited<ReturnType<typeof openServed>>;

beforeAll(async () => {
  at = await openServed();
  const { service } = at.site;
  const call = service.call.bind(service);
  // The service itself gives no reason for some of the kinds.
  service.call = async (rpc, request, caller, signal) => {
    const { code = "" } = request as { readonly code?: string };
    const kind = ERROR_KINDS.find((one) => code === `${FAILURE_PREFIX}${one}`);
    if (kind !== undefined) throw new OperationError(kind, FAILURE_TEXT);
    if (code === ENDLESS) {
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    }
    return call(rpc, request, caller, signal);
  };
  const rack = { code: "R1", location: { siteId: "S1", floorNumber: 1 } };
  await postJson(`${at.url}${RPC.replace("GetRack", "UpsertRack")}`, { rack });
});

afterAll(async () => {
  await at.end();
});

// Cases of the public conformance suite for servers, in our own words, and of the protocols' texts.
for (const { name, protocol, request, codes, status, message } of PROTOCOL_CASES) {
  test(name, async () => {
    const answer = await askByWire(at.url, request);
    const found = understood(protocol, answer);

    expect(codes).toContain(found.code);
    if (status !== undefined) expect(answer.status).toBe(status);
    if (message !== undefined) expect(found.message).toEndWith(message);
    if (found.code === "ok") expect(found.reply?.length).toBeGreaterThan(0);
    expect(at.defects).toEqual([]);
  });
}
