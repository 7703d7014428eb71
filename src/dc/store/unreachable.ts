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
export function isServerUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return NETWORK_CODES.has(code) || SERVER_CODE.test(code) || isServerUnreachable(error.cause);
}
