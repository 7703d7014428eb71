import { readFile } from "node:fs/promises";
import { openService } from "#dc/open_service.ts";
import type { DcStore } from "#dc/ports.ts";
import { httpHandler } from "#interfaces/http/handler.ts";
import { type JwtOptions, JwtPrincipals } from "#interfaces/http/jwt_principals.ts";
import { Metrics, type ProcessFacts } from "#interfaces/http/metrics.ts";
import { principalFinder } from "#interfaces/http/principal_finder.ts";
import { TokenFile } from "#interfaces/http/token_file.ts";
import { WebhookSecret } from "#interfaces/http/webhook_secret.ts";
import { OperationError } from "#kernel/errors.ts";
import { OnePort } from "#runtime/one_port.ts";
import { loadPage } from "#runtime/pages.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";
import { EXIT_STATUS, type ExitStatus, endProcess } from "../exit_status.ts";
import { print, printError } from "../print.ts";
import type { Talk } from "../talk.ts";
import { UsageError } from "../usage_error.ts";
import { VERSION } from "../version.ts";
import type { Database } from "./database.ts";

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
  readonly tls: { readonly key: string; readonly cert: string } | undefined;
}

/** How long running calls may take to end after the first signal, in milliseconds; container runtimes kill after 10 s. */
const GRACE_MS = 8000;

/**
 * Serves the datacenter until SIGTERM or SIGINT: the first one drains, a second one ends at once. Status 0 when every
 * call was answered, the signal's status when some were cut off.
 */
export async function serveDatacenter(options: ServeOptions, talk: Talk): Promise<ExitStatus> {
  checkAccess(options);
  const tls = await readTls(options.tls);
  const tokens = options.tokens === undefined ? undefined : await TokenFile.open(options.tokens, talk.warn);
  const jwts = options.jwt === undefined ? undefined : await JwtPrincipals.open(options.jwt);
  const secretFile = options.webhookSecretFile;
  const webhookSecret = secretFile === undefined ? undefined : await WebhookSecret.open(secretFile);
  const store = await options.database.open();
  const shutdown = new AbortController();
  const metrics = new Metrics();
  const rasterizer = new Rasterizer();
  const service = await openService(store, {
    clock: { now: () => new Date() },
    authRequired: tokens !== undefined || jwts !== undefined,
    observe: (call) => metrics.observe(call),
    rasterize: (svg, widthPx) => rasterizer.png(svg, widthPx),
  });
  const handler = httpHandler({
    service,
    findPrincipal: principalFinder(tokens, jwts),
    isReady: () => answers(store),
    metrics: (format) => metrics.text(format, processFacts()),
    webhookSecret,
    countDeadLetters: (count) => metrics.countDeadLetters(count),
    loadPage,
    version: VERSION,
    report,
    shutdown: shutdown.signal,
  });
  const server = new OnePort({ handler, ...(tls !== undefined && { tls }) });
  // One broken call must not end those of everybody else.
  process.on("uncaughtException", (error) => report("server", error));
  process.on("unhandledRejection", (error) => report("server", error));
  const stopped = firstSignal();
  try {
    await announce(server, options, talk);
    const status = await stopped;
    talk.note("Ending: no new connection is taken, running calls are answered");
    shutdown.abort();
    return (await server.close(GRACE_MS)) ? EXIT_STATUS.ok : status;
  } finally {
    await rasterizer.close();
    await store.close();
  }
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

async function readTls(paths: ServeOptions["tls"]): Promise<ServeOptions["tls"]> {
  if (paths === undefined) return undefined;
  const [key, cert] = await Promise.all([paths.key, paths.cert].map(readPem));
  return { key: key ?? "", cert: cert ?? "" };
}

async function readPem(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { message } = error as Error;
    throw new OperationError("not_found", `Cannot read "${path}": ${message}`, { cause: error });
  }
}

async function announce(server: OnePort, options: ServeOptions, talk: Talk): Promise<void> {
  const { host, insecure, tokens, jwt, tls } = options;
  const port = await listen(server, options);
  const shown = host.includes(":") ? `[${host}]` : host;
  print(`Serving ${tls === undefined ? "http" : "https"}://${shown}:${port} from ${options.database.shown}\n`);
  if (tokens !== undefined || jwt !== undefined) return;
  const who = insecure && !isLoopback(host) ? "everybody who reaches this port" : "every program on this machine";
  talk.warn(`No token is asked for: ${who} may read and change everything`);
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

function processFacts(): ProcessFacts {
  const { user, system } = process.cpuUsage();
  return {
    version: VERSION,
    startTimeS: Math.round(Date.now() / 1000 - process.uptime()),
    cpuSeconds: (user + system) / 1e6,
    residentMemoryBytes: process.memoryUsage.rss(),
  };
}

function report(method: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`${new Date().toISOString()} ${method}: ${text}\n`);
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
