import { setTimeout as sleep } from "node:timers/promises";
import type { DcStore } from "#dc/ports.ts";
import { createStartingHandler } from "#interfaces/http/early_reply.ts";
import { SharedPort, type TlsCredentials } from "#runtime/one_port.ts";
import type { DatabaseLocation } from "./database.ts";

/** Milliseconds between two attempts. */
const RETRY_INTERVAL_MS = 1000;

export interface DatabaseWaitOptions {
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
export async function openWhenReachable(
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
