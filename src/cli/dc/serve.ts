import { openService } from "#dc/open_service.ts";
import type { DcStore } from "#dc/ports.ts";
import { watchedStore } from "#dc/store/watched_store.ts";
import type { FindPrincipal } from "#interfaces/connect/caller.ts";
import { httpHandler } from "#interfaces/http/handler.ts";
import { type JwtOptions, JwtPrincipals } from "#interfaces/http/jwt_principals.ts";
import { Metrics } from "#interfaces/http/metrics.ts";
import { principalFinder } from "#interfaces/http/principal_finder.ts";
import { TokenFile } from "#interfaces/http/token_file.ts";
import { WebhookSecret } from "#interfaces/http/webhook_secret.ts";
import { OperationError } from "#kernel/errors.ts";
import { OnePort } from "#runtime/one_port.ts";
import { loadPage } from "#runtime/pages.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";
import { EXIT_STATUS, type ExitStatus, endProcess } from "../exit_status.ts";
import { print } from "../print.ts";
import type { StderrLogger } from "../stderr_logger.ts";
import { UsageError } from "../usage_error.ts";
import { VERSION, versionLine } from "../version.ts";
import type { Database } from "./database.ts";
import { processFacts, StoreFacts } from "./facts.ts";
import { logDefect, logLine } from "./server_log.ts";
import { SlowCalls } from "./slow_calls.ts";
import { followTls, readTls, type TlsPair, type TlsPaths } from "./tls_files.ts";

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly database: Database;
  /** The token file, if there is one. */
  readonly tokens: string | undefined;
  /** How JWTs are checked, where they are taken. */
  readonly jwt?: JwtOptions | undefined;
  /** The file of secrets for change feeds; without it the webhook is closed. */
  readonly webhookSecretFile?: string | undefined;
  readonly insecure: boolean;
  readonly tls: TlsPaths | undefined;
  /** Settings that somebody gave, with where each comes from, for the first line of the log. */
  readonly given: string;
}

/** How long running calls may take to end after the first signal, in milliseconds; container runtimes kill after 10 s. */
const GRACE_MS = 8000;

/**
 * Serves the datacenter until SIGTERM or SIGINT: the first one drains, a second one ends at once. Status 0 when every
 * call was answered, the signal's status when some were cut off.
 */
export async function serveDatacenter(options: ServeOptions, log: StderrLogger): Promise<ExitStatus> {
  checkAccess(options);
  const tls = options.tls === undefined ? undefined : await readTls(options.tls);
  const access = await openAccess(options);
  const store = watchedStore(await options.database.open(), (message) => logLine("database", message));
  const shutdown = new AbortController();
  const metrics = new Metrics();
  const facts = new StoreFacts(store);
  const slow = new SlowCalls((message) => logLine("slow call", message));
  const rasterizer = new Rasterizer();
  const service = await openService(store, {
    clock: { now: () => new Date() },
    authRequired: access.asks,
    observe: (call) => {
      metrics.observe(call);
      slow.observe(call);
    },
    rasterize: (svg, widthPx) => rasterizer.png(svg, widthPx),
  });
  let certificateEnd = tls?.end;
  const handler = httpHandler({
    service,
    findPrincipal: counted(access.findPrincipal, metrics),
    isReady: () => answers(store),
    metrics: async (format) =>
      metrics.text(format, {
        ...processFacts(),
        certificateEndS: certificateEnd && certificateEnd.getTime() / 1000,
        database: await facts.now(),
      }),
    webhookSecret: access.webhookSecret,
    countDeadLetters: (count) => metrics.countDeadLetters(count),
    observe: (call) => metrics.observe(call),
    loadPage,
    version: VERSION,
    report: logDefect,
    shutdown: shutdown.signal,
  });
  const server = new OnePort({ handler, ...(tls !== undefined && { tls }) });
  const renew = (pair: TlsPair) => {
    server.renewTls(pair);
    certificateEnd = pair.end;
  };
  const say = (message: string) => logLine("tls", message);
  const unfollow = tls && options.tls && followTls(options.tls, tls, { renew, say });
  // One broken call must not end those of everybody else.
  process.on("uncaughtException", (error) => logDefect("server", error));
  process.on("unhandledRejection", (error) => logDefect("server", error));
  const stopped = firstSignal();
  try {
    await announce(server, options, log);
    service.warmUp(shutdown.signal).catch((error: unknown) => {
      // What failed here fails again, and is told, where a call needs it.
      if (!shutdown.signal.aborted) logDefect("warm-up", error);
    });
    const status = await stopped;
    log.note("Ending: no new connection is taken, running calls are answered");
    shutdown.abort();
    return (await server.close(GRACE_MS)) ? EXIT_STATUS.ok : status;
  } finally {
    unfollow?.();
    await rasterizer.close();
    await store.close();
  }
}

/** Who may come in: files and keys that are followed, and told of on standard error. */
async function openAccess({ tokens: tokenFile, jwt, webhookSecretFile: secretFile }: ServeOptions) {
  const say = (subject: string) => (message: string) => logLine(subject, message);
  const tokens = tokenFile === undefined ? undefined : await TokenFile.open(tokenFile, say("tokens"));
  const jwts = jwt === undefined ? undefined : await JwtPrincipals.open(jwt, say("jwks"));
  const webhookSecret = secretFile === undefined ? undefined : await WebhookSecret.open(secretFile, say("webhook"));
  const asks = tokens !== undefined || jwts !== undefined;
  return { asks, findPrincipal: principalFinder(tokens, jwts), webhookSecret };
}

function counted(find: FindPrincipal, metrics: Metrics): FindPrincipal {
  return async (authorization) => {
    try {
      return await find(authorization);
    } catch (error) {
      if (error instanceof OperationError && error.kind === "unauthenticated") metrics.countRefusedCredentials();
      throw error;
    }
  };
}

function checkAccess({ host, tokens, jwt, insecure }: ServeOptions): void {
  const asks = tokens !== undefined || jwt !== undefined;
  if (insecure && asks) {
    const flag = tokens === undefined ? "--jwks" : "--tokens";
    throw new UsageError(`"--insecure" and "${flag}" exclude each other`, null);
  }
  if (isLoopback(host) || insecure || asks) return;
  const hint = "`planner dc token create <name> --tokens <file>` makes one; --insecure lets everybody do everything";
  throw new UsageError(`Listening on "${host}", which others can reach, needs "--tokens <file>" or "--jwks"`, hint);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

async function announce(server: OnePort, options: ServeOptions, log: StderrLogger): Promise<void> {
  const { host, insecure, tokens, jwt, tls } = options;
  const port = await listen(server, options);
  const shown = host.includes(":") ? `[${host}]` : host;
  log.note(`${versionLine().trim()}, ${options.given === "" ? "all settings at their defaults" : options.given}`);
  print(`Serving ${tls === undefined ? "http" : "https"}://${shown}:${port} from ${options.database.shown}\n`);
  if (tokens !== undefined || jwt !== undefined) return;
  const who = insecure && !isLoopback(host) ? "everybody who reaches this port" : "every program on this machine";
  log.warn(`No token is asked for: ${who} may read and change everything`);
}

async function listen(server: OnePort, { host, port }: ServeOptions): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program listens there" : message;
    throw new OperationError("unavailable", `Cannot listen on ${host} port ${port}: ${why}`, { cause: error });
  }
}

async function answers(store: DcStore): Promise<boolean> {
  try {
    await store.read((reader) => reader.revision());
    return true;
  } catch {
    return false;
  }
}

function firstSignal(): Promise<ExitStatus> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (status: ExitStatus) => {
      if (stopping) endProcess(status);
      stopping = true;
      resolve(status);
    };
    process.on("SIGTERM", () => stop(EXIT_STATUS.terminated));
    process.on("SIGINT", () => stop(EXIT_STATUS.interrupted));
  });
}
