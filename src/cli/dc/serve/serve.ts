import { setTimeout as sleep } from "node:timers/promises";
import type { FinishedCall } from "#dc/context.ts";
import type { DcStore } from "#dc/ports.ts";
import { type DcService, openService } from "#dc/service.ts";
import { GuardedStore, watchStore } from "#dc/store/server_stores.ts";
import { type AdmissionRules, isLoopbackHost, parseHost, RequestAdmission } from "#interfaces/http/admission.ts";
import { createStartingHandler, formatHeadRefusal } from "#interfaces/http/early_reply.ts";
import { WebhookSecrets } from "#interfaces/http/followed_file.ts";
import { createHttpHandler, isStreamRequest } from "#interfaces/http/handler.ts";
import { createPrincipalFinder, type JwtOptions, JwtVerifier } from "#interfaces/http/jwt_principals.ts";
import { Metrics } from "#interfaces/http/metrics.ts";
import { TokenFile } from "#interfaces/http/token_file.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { describeError, OperationError } from "#kernel/errors.ts";
import { ByteBudget } from "#kernel/slots.ts";
import { listenOnAddress, SharedPort, type TlsCredentials } from "#runtime/one_port.ts";
import { loadConsoleModules, loadPage } from "#runtime/pages.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";
import { EXIT_STATUS, type ExitStatus, endProcess } from "../../exit_status.ts";
import { print, printError, sanitizeLine } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { UsageError } from "../../usage_error.ts";
import { formatVersion, VERSION } from "../../version.ts";
import { type CheckpointOptions, CheckpointWriter } from "../audit/checkpoints.ts";
import type { DatabaseLocation } from "../database.ts";
import { NoticeService, openReceivers } from "../notices/notice_service.ts";
import type { ReadingMapping } from "../readings/mapping_file.ts";
import { createDatabaseFactsReader, readProcessFacts } from "./facts.ts";
import { createInventoryFactsReader } from "./inventory_facts.ts";
import { followTlsFiles, isCertificateForHost, readTlsPair, type TlsPair, type TlsPaths } from "./tls_files.ts";

/** Minimum seconds of a slow call. Calls of the console take less than half a second. */
const MIN_SLOW_S = 2;
/** Milliseconds for which further slow calls of a logged method are only counted, to limit the log. */
const REPEAT_INTERVAL_MS = 60_000;

interface LoggedCall {
  readonly atMs: number;
  omittedCount: number;
}

/** Logs slow calls: one line per method and minute, with the number of further calls in the minute before. */
export class SlowCallLogger {
  readonly #logMessage: (message: string) => void;
  readonly #loggedCalls = new Map<string, LoggedCall>();

  constructor(say: (message: string) => void) {
    this.#logMessage = say;
  }

  observe(
    { method, interface: interfaceName, outcome, seconds }: FinishedCall,
    nowMs: number = performance.now(),
  ): void {
    // No caller waits for calls of the server itself.
    if (seconds < MIN_SLOW_S || interfaceName === "SYSTEM") return;
    const last = this.#loggedCalls.get(method);
    if (last !== undefined && nowMs - last.atMs < REPEAT_INTERVAL_MS) {
      last.omittedCount += 1;
      return;
    }
    this.#loggedCalls.set(method, { atMs: nowMs, omittedCount: 0 });
    const more =
      last === undefined || last.omittedCount === 0 ? "" : `; ${last.omittedCount} more since the last such line`;
    this.#logMessage(`${method} over ${interfaceName} took ${seconds.toFixed(1)} s (${outcome})${more}`);
  }
}

export interface ServeOptions extends AccessOptions {
  readonly port: number;
  readonly database: DatabaseLocation;
  /** Maximum wait at the start for a database server that cannot be reached, in seconds. */
  readonly databaseWaitS: number;
  readonly tls: TlsPaths | undefined;
  /** True to serve cleartext in addition to TLS. */
  readonly cleartext: boolean;
  /** True to accept changes although the change log is broken. */
  readonly acceptsBrokenLog: boolean;
  /** Memory limit of all open requests together, in MiB. */
  readonly memoryMiB: number;
  readonly maxPerAddress: number;
  /** Path of the file of queries whose series are readings. */
  readonly readings: string | undefined;
  /** Options for signing the change log; undefined to leave it unsigned. */
  readonly checkpoints: CheckpointOptions | undefined;
  /** Path of the file of notice receivers; undefined for none. */
  readonly notify: string | undefined;
  /** Settings that differ from the defaults, with their origins, for the first line of the log. */
  readonly given: string;
  /** Called with the server's address when it accepts connections. */
  readonly onListening?: (address: string) => void;
}

const MIB = 1024 * 1024;
/** Milliseconds that running calls may take after the first signal; container runtimes kill the process after 10 s. */
const SHUTDOWN_GRACE_MS = 8000;

/** Milliseconds between two attempts to open the database. */
const RETRY_INTERVAL_MS = 1000;

/** Loaders of the files that the server sends. */
const FILE_LOADERS = {
  loadConsoleModules,
  loadPage,
  loadSample: async () => (await import("../sample.ts")).formatSampleJson(),
} as const;

/**
 * Serves the datacenter until SIGTERM or SIGINT: the first signal starts a graceful shutdown, a second one ends the
 * process immediately. Returns status 0 if every call was answered, the signal's status if calls were aborted.
 */
export async function serveDatacenter(options: ServeOptions, log: StderrLogger): Promise<ExitStatus> {
  requireProtectedAccess(options);
  const admission = createAdmissionRules(options);
  const tls = options.tls === undefined ? undefined : await readTlsPair(options.tls);
  const [access, readings] = [await openAccess(options), await openReadings(options)];
  const receivers = await openReceivers(options.notify, createLogger("notices"));
  const shutdown = new AbortController();
  const stopped = waitForSignal(shutdown);
  const opened = await openWhenReachable(options, { tls, signal: shutdown.signal, say: createLogger("database") });
  if (opened === undefined) return EXIT_STATUS.ok;
  const guarded = await GuardedStore.open(opened, options);
  const store = watchStore(guarded, createLogger("database"));
  const [metrics, rasterizer] = [new Metrics(), new Rasterizer()];
  const service = await openService(store, {
    clock: SYSTEM_CLOCK,
    authRequired: access.asks,
    observe: joinObservers(metrics, new SlowCallLogger(createLogger("slow call"))),
    noteLog: (verdict) => guarded.recordVerdict(verdict),
    ...createPicturePorts(rasterizer),
  });
  const facts = createFactsReader(store, service);
  let certificate = tls;
  const handler = createHttpHandler({
    service,
    ...countRefusedAccess(access, metrics),
    findUnreadyReason: () => findDatabaseProblem(store),
    formatMetrics: async (format) =>
      metrics.formatMetrics(format, {
        ...(await facts()),
        certificateEndS: certificate && certificate.end.getTime() / 1000,
      }),
    ...access.webhook,
    countDeadLetters: (count) => metrics.countDeadLetters(count),
    observeRefusedCall: (call) => metrics.observe(call),
    ...FILE_LOADERS,
    version: VERSION,
    reportDefect: logDefect,
    shutdown: shutdown.signal,
    admission,
  });
  const server = new SharedPort({
    handler,
    isStream: isStreamRequest,
    formatHeadRefusal,
    ...(tls !== undefined && { tls, cleartext: options.cleartext }),
    isOwnHost: (host) => new RequestAdmission(admission).isOwnHost(host) || isCertificateForHost(certificate, host),
    budget: new ByteBudget(options.memoryMiB * MIB),
    limits: { maxPerAddress: options.maxPerAddress },
  });
  const renew = (pair: TlsPair) => {
    server.renewTls(pair);
    certificate = pair;
  };
  const unfollow = tls && options.tls && followTlsFiles(options.tls, tls, { renew, say: createLogger("tls") });
  logUncaughtErrors();
  const checkpoints = CheckpointWriter.start(store, options.checkpoints, createLogger("audit"));
  const notices = NoticeService.start({ store, service, say: createLogger("notices") }, receivers);
  try {
    await printAddress(server, options, log);
    warmUpService(service, shutdown.signal, readings);
    const status = await stopped;
    const closing = server.close(SHUTDOWN_GRACE_MS);
    log.note("Shutting down: refusing new connections, finishing active requests");
    return (await closing) ? EXIT_STATUS.ok : status;
  } finally {
    unfollow?.();
    for (const part of [checkpoints, notices, rasterizer, store]) await part?.close();
  }
}

/** Creates a reader for the metrics of process, database and inventory. */
function createFactsReader(store: DcStore, service: DcService) {
  const database = createDatabaseFactsReader(store);
  const inventory = createInventoryFactsReader(store, service);
  return async () => ({
    ...readProcessFacts(service.openStreamCount),
    database: await database(),
    inventory: await inventory(),
  });
}

function joinObservers(...observers: readonly { readonly observe: (call: FinishedCall) => void }[]) {
  return (call: FinishedCall) => {
    for (const one of observers) one.observe(call);
  };
}

function createPicturePorts(rasterizer: Rasterizer) {
  const rasterize = (svg: string, widthPx: number) => rasterizer.renderPng(svg, widthPx);
  return { rasterize, loadViewer: () => loadPage("picture_file") };
}

function createLogger(subject: string): (message: string) => void {
  return (message) => logLine(subject, message);
}

async function openReadings({ readings: file }: ServeOptions): Promise<ReadingMapping | undefined> {
  if (file === undefined) return undefined;
  const { readReadingMapping } = await import("../readings/mapping_file.ts");
  return readReadingMapping(file);
}

async function runReadings(service: DcService, mapping: ReadingMapping, signal: AbortSignal): Promise<void> {
  const { pullReadings } = await import("../readings/pull_readings.ts");
  await pullReadings(service, mapping, createLogger("readings"), signal);
}

/** Starts background work. Ignores OperationErrors, because the call that needs the data fails with them again. */
function warmUpService(service: DcService, signal: AbortSignal, readings: ReadingMapping | undefined): void {
  void service.keepFindingStarts(signal);
  if (readings !== undefined) void runReadings(service, readings, signal);
  service
    .warmUp(signal)
    .then(() => service.checkLog())
    .catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof OperationError)) logDefect("warm-up", error);
    });
}

/** Keeps the process running after a defect in one call. */
function logUncaughtErrors(): void {
  process.on("uncaughtException", (error) => logDefect("server", error));
  process.on("unhandledRejection", (error) => logDefect("server", error));
}

async function printAddress(server: SharedPort, options: ServeOptions, log: StderrLogger): Promise<void> {
  const { host, tls } = options;
  const port = await listenOnAddress(server, options);
  const shown = host.includes(":") ? `[${host}]` : host;
  log.note(`${formatVersion().trim()}, ${options.given === "" ? "all settings at their defaults" : options.given}`);
  const address = `${tls === undefined ? "http" : "https"}://${shown}:${port}`;
  print(`Serving ${address} from ${options.database.displayName}\n`);
  log.note(formatConnectionLimits(server));
  const warning = formatAccessWarning(options);
  if (warning !== undefined) log.warn(warning);
  options.onListening?.(address);
}

function formatConnectionLimits({ limits, openFiles }: SharedPort): string {
  const { maxConnections, probeConnections } = limits;
  const because = openFiles === undefined ? "" : ` (limit of open files: ${openFiles})`;
  return `At most ${maxConnections} connections, and ${probeConnections} more for probes${because}`;
}

/** Returns the reason why the database cannot be used; undefined if it can. */
async function findDatabaseProblem(store: DcStore): Promise<string | undefined> {
  try {
    await store.check();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** Waits for a signal, aborts `shutdown` and returns the signal's status. A second one ends the process at once. */
function waitForSignal(shutdown: AbortController): Promise<ExitStatus> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (status: ExitStatus) => {
      if (stopping) endProcess(status);
      stopping = true;
      shutdown.abort();
      resolve(status);
    };
    process.on("SIGTERM", () => stop(EXIT_STATUS.terminated));
    process.on("SIGINT", () => stop(EXIT_STATUS.interrupted));
  });
}

/** Writes one line of the server's log to standard error: time, subject and message. */
function logLine(subject: string, message: string): void {
  printError(`${new Date().toISOString()} ${subject}: ${sanitizeLine(message)}\n`);
}

/** Writes a log line about a defect, with its stack. */
function logDefect(subject: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`${new Date().toISOString()} ${subject}: ${text}\n`);
}

interface AccessOptions {
  readonly host: string;
  /** Path of the token file, or undefined. */
  readonly tokens: string | undefined;
  /** Options for verifying JWTs; undefined to reject them. */
  readonly jwt?: JwtOptions | undefined;
  /** Path of the file of secrets for change feeds; undefined disables the webhook. */
  readonly webhookSecretFile?: string | undefined;
  readonly insecure: boolean;
  /** Names and addresses of this server in addition to loopback ones. */
  readonly allowedHosts: readonly string[];
  /** Other origins whose pages may call the server. */
  readonly allowedOrigins: readonly string[];
}

/** Opens the files and keys that identify callers, and reloads them when they change. */
async function openAccess({ host, tokens: tokenFile, jwt, webhookSecretFile: secretFile }: AccessOptions) {
  const createSubjectLogger = (subject: string) => (message: string) => logLine(subject, message);
  const tokens = tokenFile === undefined ? undefined : await TokenFile.open(tokenFile, createSubjectLogger("tokens"));
  const jwts = jwt === undefined ? undefined : await JwtVerifier.open(jwt, createSubjectLogger("jwks"));
  const webhookSecret =
    secretFile === undefined ? undefined : await WebhookSecrets.open(secretFile, createSubjectLogger("webhook"));
  const asks = tokens !== undefined || jwts !== undefined;
  const findSubscriber = tokens && ((secret: string) => tokens.findSubscriber(secret));
  const webhook = { webhookSecret, isWebhookOpen: !asks && isLoopbackHost(host) };
  return { asks, findPrincipal: createPrincipalFinder(tokens, jwts), findSubscriber, webhook };
}

/** Wraps access checks to count rejected credentials. */
function countRefusedAccess({ findPrincipal, findSubscriber }: Access, metrics: Metrics) {
  return {
    findPrincipal: countRefusals(findPrincipal, metrics),
    findSubscriber: findSubscriber && countRefusals(findSubscriber, metrics),
  };
}

type Access = Pick<Awaited<ReturnType<typeof openAccess>>, "findPrincipal" | "findSubscriber">;

function countRefusals<Credential, Found>(
  find: (credential: Credential) => Promise<Found>,
  metrics: Metrics,
): (credential: Credential) => Promise<Found> {
  return async (credential) => {
    try {
      return await find(credential);
    } catch (error) {
      if (error instanceof OperationError && error.kind === "unauthenticated") metrics.countRefusedCredentials();
      throw error;
    }
  };
}

/** @throws UsageError for a server that other machines can reach without a token, unless `--insecure` is set */
function requireProtectedAccess({ host, tokens, jwt, insecure }: AccessOptions): void {
  const asks = tokens !== undefined || jwt !== undefined;
  if (isLoopbackHost(host) || insecure || asks) return;
  const hint = "`planner dc token create <name> --tokens <file>` makes one; --insecure turns authentication off";
  throw new UsageError(`Listening on "${host}", which others can reach, needs "--tokens <file>" or "--jwks"`, hint);
}

/** Addresses that mean every interface and are no host names. */
const WILDCARD_ADDRESSES: readonly string[] = ["0.0.0.0", "::", "::0", ""];

/** Returns the rules for accepting requests. @throws UsageError for an invalid host or origin. */
function createAdmissionRules(options: AccessOptions): AdmissionRules {
  const { host, tokens, jwt, allowedHosts, allowedOrigins } = options;
  const isOpen = tokens === undefined && jwt === undefined;
  const named = allowedHosts.map(requireValidHost);
  return {
    isOpen,
    // A server on all interfaces may be called by the host name that the operator gave it.
    allowedHosts: isOpen && !WILDCARD_ADDRESSES.includes(host) ? [...named, host.toLowerCase()] : named,
    allowedOrigins: allowedOrigins.map(requireValidOrigin),
    probesFromAnywhere: !isLoopbackHost(host),
  };
}

function requireValidHost(text: string): string {
  const isAddress = text.includes(":") && !text.startsWith("[");
  const host = parseHost(isAddress ? `[${text}]` : text);
  if (host !== undefined && !/\]?:\d+$/.test(isAddress ? "" : text)) return host;
  throw new UsageError(
    `Wrong value "${text}" for "--allowed-host": expected a name or an address without a port`,
    null,
  );
}

function requireValidOrigin(text: string): string {
  if (/^https?:\/\/[^/?#@\s]+$/i.test(text)) return text.toLowerCase();
  const expected = "expected a scheme, a host and a port if it is not the usual one, such as https://portal.example";
  throw new UsageError(`Wrong value "${text}" for "--allowed-origin": ${expected}`, null);
}

/** Returns a warning for the operator if access to the server is not protected, otherwise undefined. */
function formatAccessWarning(options: AccessOptions & { readonly tls: unknown }): string | undefined {
  const { host, insecure, tokens, jwt, tls } = options;
  if (tokens === undefined && jwt === undefined) {
    const who = insecure && !isLoopbackHost(host) ? "everyone who can reach this port" : "any local process";
    return `Authentication is off: ${who} can read and write`;
  }
  if (tls !== undefined || isLoopbackHost(host)) return undefined;
  return "Tokens are sent in cleartext: anyone on the network path can read and use them; set --tls-key and --tls-cert";
}

interface DatabaseWaitOptions {
  readonly database: DatabaseLocation;
  /** Maximum wait for a database server that cannot be reached, in seconds. */
  readonly databaseWaitS: number;
  /** Host on which the server will listen. Health probes are answered there during the wait, unless the port is 0. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens the database of a server. After a restart of the machine, a database server may start later than this process,
 * so a failed connection is retried for `databaseWaitS`. Meanwhile `/healthz` answers 200 and every other path 503, so
 * that a supervisor neither restarts the process nor sends it calls.
 * @returns undefined if `signal` was aborted during the wait
 * @throws OperationError as `open` does
 */
async function openWhenReachable(
  { database, databaseWaitS, host, port }: DatabaseWaitOptions,
  { tls, signal, say }: { tls: TlsCredentials | undefined; signal: AbortSignal; say: (message: string) => void },
): Promise<DcStore | undefined> {
  const deadline = performance.now() + databaseWaitS * 1000;
  // A connection attempt may take seconds, and must not delay the shutdown.
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  let probes: SharedPort | undefined;
  let lastError = "";
  try {
    while (!signal.aborted) {
      try {
        return await Promise.race([database.open(), aborted]);
      } catch (error) {
        if (database.file !== undefined || !isServerUnreachable(error) || performance.now() >= deadline) throw error;
        const isFirst = lastError === "";
        lastError = (error as Error).message;
        if (isFirst) say(`${lastError}; it is tried again for ${databaseWaitS} s`);
      }
      probes ??= port === 0 ? undefined : await listenForProbes({ host, port }, tls, () => lastError);
      await sleep(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
    return undefined;
  } finally {
    await probes?.close(0);
  }
}

async function listenForProbes(
  { host, port }: Pick<DatabaseWaitOptions, "host" | "port">,
  tls: TlsCredentials | undefined,
  why: () => string,
): Promise<SharedPort> {
  const probes = new SharedPort({
    handler: createStartingHandler(why),
    cleartext: true,
    ...(tls !== undefined && { tls }),
  });
  // The server itself reports a port that is in use, with its number.
  await probes.listen(port, host).catch(() => {});
  return probes;
}

/** Codes of errors of the network and the driver if no server answers at an address. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "EPIPE",
  // The file of a socket is missing, or a host name cannot be resolved at present.
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
]);
/** Codes of a server that starts, stops or has no connection left. A pooler without a connection reports class 08. */
const SERVER_CODE = /^(?:08...|57P0[1-5]|53300)$/;

/**
 * Whether an error or one of its causes means that a database server is temporarily unreachable, so that a retry may
 * succeed.
 */
function isServerUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return NETWORK_CODES.has(code) || SERVER_CODE.test(code) || isServerUnreachable(error.cause);
}
