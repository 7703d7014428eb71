import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono, MiddlewareHandler } from "hono";
import { accepts } from "hono/accepts";
import type { Caller, Principal } from "#dc/context.ts";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import { convertPageToJson, type HistoryParameters } from "#dc/operations/audit_history.ts";
import type { DeliveryReceipt } from "#dc/operations/feed/take_delivery.ts";
import { writeWindowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import { listAllWindows } from "#dc/read_pages.ts";
import { type DcService, IMPORT_METHOD, type LogVerdict } from "#dc/service.ts";
import { shortenText } from "#kernel/errors.ts";
import { getMediaType, isEncoded, MAX_MESSAGE_BYTES } from "../connect/call_headers.ts";
import {
  createBusyRefusal,
  createEncodingRefusal,
  createErrorResponse,
  createMediaTypeRefusal,
  HttpRefusal,
} from "../connect/errors.ts";
import type { ConnectOptions } from "../connect/handler.ts";
import {
  createTextReply,
  type RouteContext,
  type RouteEnv,
  type RouteMiddleware,
  type WholeReply,
} from "../connect/kept_replies.ts";
import { chargeBytes, createScheduler, describeCaller, readBody } from "../connect/request.ts";
import { createServiceBackend } from "../dc_mcp/service_backend.ts";
import { createGraphqlHandler } from "../graphql/handler.ts";
import { createChangeStreamResponse, parseJsonBody, readJsonBytes, readLastEventId } from "./change_stream.ts";
import { isGrpcRequest, sendEarlyRefusal } from "./early_reply.ts";
import type { WebhookSecrets } from "./followed_file.ts";
import { METRIC_FORMATS, type MetricFormat } from "./metrics.ts";
import { createModuleHandler, createPageHandler, hasCurrentCopy, MODULES_PATH } from "./pages.ts";
import { ROUTE_DESCRIPTIONS } from "./routes.ts";

const FEED_NAME = /^[A-Za-z0-9._-]{1,64}$/;

interface WebhookOptions {
  readonly service: DcService;
  /** Secrets of the webhook; absent if the operator has configured none. */
  readonly secret: WebhookSecrets | undefined;
  /** Whether a webhook without secrets takes deliveries, as every other route takes changes without a token. */
  readonly isOpen: boolean;
  readonly countDeadLetters: (count: number) => void;
  readonly queue: RouteMiddleware["queue"];
}

/**
 * Applies one delivery of a change feed. Replies 200 to any content once it is stored, since a feed repeats a refused
 * delivery and sends nothing after it. Only a wrong secret, a malformed body or a failure of the database is refused.
 */
async function receiveWebhook(context: RouteContext, caller: Caller, options: WebhookOptions): Promise<Response> {
  const { secret, isOpen, service, countDeadLetters, queue } = options;
  if (secret === undefined && !isOpen) {
    throw refuse("PERMISSION_DENIED", "The webhook is closed: expected a server with --webhook-secret-file");
  }
  await secret?.checkAuthorization(context.req.header("authorization") ?? null);
  const feed = new URL(context.req.url).searchParams.get("feed") ?? "default";
  if (!FEED_NAME.test(feed)) {
    const expected = "1 to 64 letters, digits, dots, underscores or hyphens";
    throw refuse("FIELD_OUT_OF_RANGE", `Cannot read feed "${shortenText(feed)}": expected ${expected}`, {
      field: "feed",
      value: feed,
      expected,
    });
  }
  const bytes = await readJsonBytes(context, MAX_MESSAGE_BYTES);
  context.set("body", bytes);
  await queue(context, async () => {
    const receipt = await service.applyFeedDelivery(await parseJsonBody(context, bytes), feed, caller);
    countDeadLetters(receipt.deadLetters);
    leaveJson(context, convertReceiptToJson(receipt));
  });
  return RESPONSE_ALREADY_SENT;
}

function convertReceiptToJson({ accepted, duplicates, outOfBand, ignored, deadLetters }: DeliveryReceipt): JsonObject {
  return { accepted, duplicates, out_of_band: outOfBand, ignored, dead_letters: deadLetters };
}

const CALENDAR_PATH = "/windows.ics";

/** Finds the calendar's subscriber by the secret in the address. @throws OperationError unauthenticated */
type FindSubscriber = (secret: string) => Promise<Principal>;

/**
 * Authenticates the reader of the calendar. The secret in the address grants access to the calendar only; without a
 * secret, the rules of other reads apply.
 * @throws Refusal for another parameter, for several secrets, and for an unknown secret
 */
async function findCalendarReader(
  { url, headers }: Request,
  { findPrincipal, findSubscriber }: Pick<AppOptions, "findPrincipal" | "findSubscriber">,
): Promise<Principal | undefined> {
  const parameters = new URL(url).searchParams;
  for (const name of parameters.keys()) {
    if (name === "secret") continue;
    // The parameter's name may be the secret itself, given without "secret=".
    throw refuse("UNKNOWN_FIELD", "Unknown parameter in the address: expected secret=<secret>", { expected: "secret" });
  }
  const [secret, ...more] = parameters.getAll("secret");
  if (more.length > 0)
    throw refuse("DUPLICATE", `Parameter "secret" is given ${more.length + 1} times: expected one`, {
      field: "secret",
    });
  if (secret === undefined || findSubscriber === undefined) return findPrincipal(headers.get("authorization"));
  return findSubscriber(secret);
}

/** Returns all windows as an iCalendar file. @throws OperationError for a refusal */
async function answerCalendar(request: Request, service: DcService, caller: Caller): Promise<Response> {
  const { windows } = await listAllWindows(service, caller);
  const body = writeWindowCalendar(windows, { instance: service.calendarInstance, now: Date.now() });
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  // Programs may cache the file; a proxy must not, since the address contains a secret.
  const headers = { etag, "cache-control": "private, no-cache" };
  if (hasCurrentCopy(request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(body, {
    headers: {
      ...headers,
      "content-type": "text/calendar; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "content-disposition": 'inline; filename="windows.ics"',
    },
  });
}

export interface AppOptions extends ConnectOptions {
  /** Absent without a token file; the calendar then has the access rules of other reads. */
  readonly findSubscriber?: FindSubscriber | undefined;
  readonly formatMetrics: (format: MetricFormat) => string | Promise<string>;
  /** Secrets of the webhook for change feeds; without them it is closed unless `isWebhookOpen`. */
  readonly webhookSecret?: WebhookSecrets | undefined;
  readonly isWebhookOpen?: boolean;
  readonly countDeadLetters?: (count: number) => void;
  /** The program's version, as `/openapi.json` states it. */
  readonly version?: string;
  /** Loads a page's HTML; undefined if the page is not built. */
  readonly loadPage?: (name: "console" | "graphiql") => Promise<string | undefined>;
  /** Loads the console's modules by name, compressed with gzip. */
  readonly loadConsoleModules?: () => Promise<ReadonlyMap<string, Buffer<ArrayBuffer>> | undefined>;
  /** Loads the sample site as lists of upsert items in JSON; absent if none is offered. */
  readonly loadSample?: () => Promise<string>;
}

export const CHANGE_STREAM_PATH = "/changes/stream";
const IMPORT_PATH = "/import";
/** Path of MCP's Streamable HTTP. */
const MCP_PATH = "/mcp";
/** Memory of an open stream beyond its request, in bytes. Our choice: measured with 1000 streams. */
const OPEN_STREAM_BYTES = 256 * 1024;

/** Routes that only support GET and HEAD. */
const READ_ONLY_ROUTES = [
  `${MODULES_PATH}*`,
  ...Object.keys(ROUTE_DESCRIPTIONS).flatMap((route) => (route.startsWith("GET ") ? [route.slice("GET ".length)] : [])),
];

/**
 * Mounts the plain HTTP routes besides the RPCs. Errors have Connect's form, `{code, message, details}`, so that
 * clients handle both in the same way.
 *
 * Source: docs/contract/datacenter-interfaces.md#http-routes; docs/decisions.md#d-11.
 */
export function mountRoutes(app: Hono<RouteEnv>, options: AppOptions, { keep, count, queue }: RouteMiddleware): void {
  app.use(count);
  app.use(async (context, next) => {
    await next();
    if (context.get("reply") !== undefined) return;
    chargeResponse(context, options);
    if (!context.res.headers.has("cache-control")) context.header("cache-control", "no-store");
  });
  const { loadPage = async () => undefined, loadConsoleModules = async () => undefined } = options;
  const console = createPageHandler(() => loadPage("console"));
  const consoleModule = createModuleHandler(loadConsoleModules);
  const graphiql = createPageHandler(() => loadPage("graphiql"));
  app.get("/", (context) => console(context.req.raw));
  app.get(`${MODULES_PATH}*`, async (context) => (await consoleModule(context.req.raw)) ?? context.notFound());
  app.get("/openapi.json", (context) => answerOpenapi(context, options));
  app.get("/graphql/playground", (context) => graphiql(context.req.raw));
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", (context) => answerReadiness(context, options));
  app.get("/metrics", (context) => answerMetrics(context, options));
  app.get("/audit/history", (context) => answerHistory(context, options));
  app.get(CHANGE_STREAM_PATH, (context) => openChangeStream(context, options));
  app.get(CALENDAR_PATH, async (context) => {
    const principal = await findCalendarReader(context.req.raw, options);
    const known = { interface: "REST", ...(principal && { principal }) } as const;
    return answerCalendar(context.req.raw, options.service, describeCaller(context.env.incoming, known));
  });
  const identify: MiddlewareHandler<RouteEnv> = async (context, next) => {
    context.set("caller", await findCaller(context, options, "REST"));
    context.set("body", new Uint8Array());
    await next();
  };
  const addReadRoute = (path: string, ask: (caller: Caller) => Promise<unknown>) =>
    app.get(path, identify, keep, async (context) => leaveJson(context, await ask(getCaller(context))));
  addReadRoute("/audit/verify", async (caller) => convertVerdictToJson(await options.service.verifyHistory(caller)));
  addReadRoute("/estate", (caller) => options.service.readOverview(caller));
  app.get("/resources", async (context) => {
    const caller = await findCaller(context, options, "REST");
    return leaveJson(context, {
      resources: await options.service.readStoredResources(context.req.queries("ref") ?? [], caller),
    });
  });
  addReadRoute("/session", (caller) => options.service.session(caller));
  app.get("/sample", (context) => answerSample(context, options));
  app.post("/audit/webhook", async (context) => {
    const { service, webhookSecret: secret, isWebhookOpen: isOpen = false, countDeadLetters = () => {} } = options;
    // A feed authenticates with a secret instead of a principal.
    const caller = describeCaller(context.env.incoming, { interface: "WEBHOOK" });
    return receiveWebhook(context, caller, { service, secret, isOpen, countDeadLetters, queue });
  });
  mountGraphql(app, options, { keep, queue });
  app.post(IMPORT_PATH, (context) => answerImport(context, options));
  app.post(MCP_PATH, (context) => answerMcpRequest(context, options));
  for (const path of READ_ONLY_ROUTES) app.all(path, createMethodRefuser("GET, HEAD"));
  for (const path of [IMPORT_PATH, MCP_PATH, "/audit/webhook"]) app.all(path, createMethodRefuser("POST"));
  app.notFound((context) => {
    const refusal = createPathRefusal(context.req.path);
    const { incoming, outgoing } = context.env;
    if (!isGrpcRequest(incoming)) return createFailureResponse(refusal, context, options);
    sendEarlyRefusal(incoming, outgoing, refusal);
    return RESPONSE_ALREADY_SENT;
  });
  app.onError((error, context) => createFailureResponse(error, context, options));
}

function mountGraphql(
  app: Hono<RouteEnv>,
  options: AppOptions,
  { keep, queue }: Pick<RouteMiddleware, "keep" | "queue">,
): void {
  const graphql = createGraphqlHandler();
  app.all("/graphql", openGraphql(options), queue, keep, async (context) => {
    const { signal } = context.req.raw;
    const scheduler = createScheduler(context.env.incoming, signal);
    const reply = await graphql(context.req.raw, {
      createContext: async () => {
        if (context.get("failure") !== undefined) throw context.get("failure");
        await scheduler.yieldIfDue();
        const { service, reportDefect } = options;
        return { service, caller: getCaller(context), reportDefect, signal, run: (steps) => scheduler.run(steps) };
      },
      body: context.get("body"),
    });
    return leaveReply(context, reply);
  });
}

/** Finds the caller of GraphQL, and reads a body that it takes. */
function openGraphql(options: AppOptions): MiddlewareHandler<RouteEnv> {
  return async (context, next) => {
    const { method, headers } = context.env.incoming;
    const isJson = getMediaType(headers["content-type"]) === "application/json";
    const isTaken = method === "POST" && isJson && !isEncoded(headers["content-encoding"]);
    try {
      context.set("caller", await findCaller(context, options, "GRAPHQL"));
      if (method === "GET") context.set("body", new Uint8Array());
      else if (isTaken) {
        const limits = { account: context.get("account"), limit: MAX_MESSAGE_BYTES, isJson: true };
        context.set("body", await readBody(context.env.incoming, limits));
      }
    } catch (failure) {
      context.set("failure", failure);
    }
    await next();
  };
}

/** A path in the form of an RPC: package, service and method. */
const RPC_PATH = /^\/(?:\w+\.)+\w+\/\w+$/;

/** Returns the refusal of an unknown path. Connect reserves `not_found` for RPCs that exist. */
function createPathRefusal(path: string): Refusal {
  const message = `There is nothing at "${shortenText(path)}"`;
  return refuse(RPC_PATH.test(path) ? "UNKNOWN_METHOD" : "NOT_FOUND", message);
}

function createFailureResponse(
  error: unknown,
  { req }: RouteContext,
  { reportDefect }: Pick<AppOptions, "reportDefect">,
): Response {
  const { body, ...head } = createErrorResponse(error, (defect) => reportDefect(`${req.method} ${req.path}`, defect));
  return new Response(body, head);
}

/** Leaves a JSON reply, charged by its length. */
function leaveJson(context: RouteContext, value: unknown): Response {
  return leaveJsonText(context, JSON.stringify(value));
}

function leaveJsonText(context: RouteContext, text: string): Response {
  return leaveReply(
    context,
    createTextReply(200, { "content-type": "application/json", "cache-control": "no-store" }, text),
  );
}

function leaveReply(context: RouteContext, reply: WholeReply): Response {
  if (!context.get("account").tryCharge(reply.body.length)) throw createBusyRefusal();
  context.set("reply", reply);
  return RESPONSE_ALREADY_SENT;
}

function getCaller(context: RouteContext): Caller {
  return context.get("caller") ?? { interface: "REST" };
}

/** Charges a reply with a known length to the memory budget, and replaces it by a refusal if it does not fit. */
function chargeResponse(context: RouteContext, options: AppOptions): void {
  const bytes = Number(context.res.headers.get("content-length") ?? 0);
  if (bytes === 0 || context.get("account").tryCharge(bytes)) return;
  context.res = undefined;
  context.res = createFailureResponse(createBusyRefusal(), context, options);
}

async function answerReadiness(context: RouteContext, { findUnreadyReason, shutdown }: AppOptions): Promise<Response> {
  if (shutdown.aborted) return context.text("The server is shutting down\n", 503);
  const why = await findUnreadyReason();
  return why === undefined ? context.text("ok\n") : context.text(`${why}\n`, 503);
}

async function answerMetrics(context: RouteContext, { formatMetrics }: AppOptions): Promise<Response> {
  const accepted = accepts(context, {
    header: "Accept",
    supports: ["text/plain", "application/openmetrics-text"],
    default: "text/plain",
  });
  const format = accepted === "application/openmetrics-text" ? "openMetrics" : "prometheus";
  return context.body(await formatMetrics(format), 200, { "content-type": METRIC_FORMATS[format] });
}

async function answerMcpRequest(context: RouteContext, options: AppOptions): Promise<Response> {
  const { service, reportDefect } = options;
  const caller = await findCaller(context, options, "MCP");
  // Otherwise a client without a token would learn only from its first call that it needs one.
  if (caller.principal === undefined) await service.session(caller);
  // Loaded on demand: the module with the tools is large, and most servers have no agents as clients.
  const { answerMcpPost } = await import("../dc_mcp/http_endpoint.ts");
  return answerMcpPost(context.req.raw, {
    createBackend: () => createServiceBackend(service, caller),
    readBody: async (limit) => parseJsonBody(context, await readJsonBytes(context, limit)),
    log: (text) => reportDefect(`POST ${MCP_PATH}`, text),
  });
}

/** Imports a file with the rights of the caller. Authorizes before the body is read. */
async function answerImport(context: RouteContext, options: AppOptions): Promise<Response> {
  const { service, shutdown, reportDefect } = options;
  const { incoming } = context.env;
  const account = context.get("account");
  const caller = await findCaller(context, options, "REST");
  service.demandRole("write", IMPORT_METHOD, caller.principal);
  // Loaded on demand: the module loads the reader of CSV, and most servers import no files.
  const { createImportResponse, findIsSheet, IMPORT_COPIES, IMPORT_TYPES, openImport, readImportParameters } =
    await import("./import_route.ts");
  const [type, encoding] = [context.req.header("content-type"), context.req.header("content-encoding")];
  const isSheet = findIsSheet(type);
  if (isSheet === undefined) throw createMediaTypeRefusal(type, IMPORT_TYPES.join(", "));
  if (encoding !== undefined && isEncoded(encoding)) throw createEncodingRefusal(encoding, ["identity"]);
  const parameters = readImportParameters(context.req.queries());
  const body = await readBody(incoming, { account, limit: MAX_MESSAGE_BYTES, isJson: !isSheet });
  const file = Buffer.from(body.buffer, body.byteOffset, body.length);
  chargeBytes(account, file.length * IMPORT_COPIES);
  const scheduler = createScheduler(incoming);
  const run = await openImport({ ...parameters, file, isSheet, service, caller, scheduler });
  return createImportResponse(run, {
    ended: AbortSignal.any([context.req.raw.signal, shutdown]),
    reportDefect: (error) => reportDefect(`POST ${IMPORT_PATH}`, error),
  });
}

async function answerOpenapi(context: RouteContext, { version = "" }: AppOptions): Promise<Response> {
  // Loaded on demand: few clients request it, and it is built from the whole proto file.
  const { getOpenapiDocument } = await import("./openapi.ts");
  const { body, etag } = getOpenapiDocument(version);
  const headers = { etag, "cache-control": "no-cache", "access-control-allow-origin": "*" };
  if (hasCurrentCopy(context.req.raw.headers, etag)) return context.body(null, 304, headers);
  return context.body(body, 200, { ...headers, "content-type": "application/json" });
}

/** Sends the sample site to any authorized caller. */
async function answerSample(context: RouteContext, options: AppOptions): Promise<Response> {
  await options.service.session(await findCaller(context, options, "REST"));
  if (options.loadSample === undefined) return context.notFound();
  return leaveJsonText(context, await options.loadSample());
}

async function answerHistory(context: RouteContext, options: AppOptions): Promise<Response> {
  const caller = await findCaller(context, options, "REST");
  const parameters = Object.entries(context.req.queries()).map(([name, values]) => {
    const [value = "", ...more] = values;
    if (more.length === 0) return [name, value];
    throw refuse("DUPLICATE", `Parameter "${shortenText(name)}" is given ${values.length} times: expected one`, {
      field: name,
    });
  });
  // The service rejects unknown names.
  const page = await options.service.readHistory(Object.fromEntries(parameters) as HistoryParameters, caller);
  return leaveJson(context, convertPageToJson(page));
}

async function openChangeStream(context: RouteContext, options: AppOptions): Promise<Response> {
  const authorization = context.req.raw.headers.get("authorization");
  const caller = await findCaller(context, options, "REST");
  const after = readLastEventId(context.req.raw);
  const { service, findPrincipal, shutdown } = options;
  const { incoming } = context.env;
  if (!context.get("account").tryCharge(OPEN_STREAM_BYTES)) throw createBusyRefusal();
  // An unread request would count as one that is still arriving.
  incoming.resume();
  const stream = await service.openChangeStream(after, caller);
  const check = async () => void (await findPrincipal(authorization));
  const scheduler = createScheduler(incoming);
  const turn = () => scheduler.yieldIfDue();
  return createChangeStreamResponse(stream, {
    checkCaller: check,
    waitForTurn: turn,
    shutdown,
    isHead: incoming.method === "HEAD",
  });
}

async function findCaller(
  context: RouteContext,
  { findPrincipal }: AppOptions,
  interfaceName: Caller["interface"],
): Promise<Caller> {
  const principal = await findPrincipal(context.req.raw.headers.get("authorization"));
  return describeCaller(context.env.incoming, { interface: interfaceName, ...(principal && { principal }) });
}

function convertVerdictToJson(verdict: LogVerdict): JsonObject {
  if (!verdict.ok) return { ok: false, seq: verdict.seq, problem: verdict.problem, detail: verdict.detail };
  return { ok: true, head_seq: verdict.head.seq, head_hash: verdict.head.hash };
}

function createMethodRefuser(methods: string): (context: RouteContext) => never {
  return (context) => {
    const { path, method } = context.req;
    const message = `"${shortenText(path)}" does not support ${shortenText(method)}: expected ${methods}`;
    throw new HttpRefusal("METHOD_NOT_ALLOWED", message, { allow: methods });
  };
}
