import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { protocolVersion } from "@connectrpc/connect/protocol-connect";

/** Returns an unsupported `Connect-Protocol-Version`; undefined if the version is supported or absent. */
export function findUnsupportedVersion(version: string | null): string | undefined {
  return version === null || version === protocolVersion ? undefined : version;
}

/**
 * Rejects a call with another version of Connect's protocol. The library checks the version only if it is required, and
 * plain HTTP clients send none. Source: Connect protocol, Unary-Request-Headers and Unary-Get-Request.
 *
 * @throws ConnectError invalid_argument
 */
export function checkProtocolVersion({ protocolName, requestHeader, requestMethod, url }: HandlerContext): void {
  if (protocolName !== "connect") return;
  const header = findUnsupportedVersion(requestHeader.get("connect-protocol-version"));
  if (header !== undefined) throw createVersionError("Connect-Protocol-Version", header, protocolVersion);
  const parameter = requestMethod === "GET" ? new URL(url).searchParams.get("connect") : null;
  const expected = `v${protocolVersion}`;
  if (parameter !== null && parameter !== expected)
    throw createVersionError('parameter "connect"', parameter, expected);
}

function createVersionError(where: string, given: string, expected: string): ConnectError {
  return new ConnectError(`Unknown ${where} "${given.slice(0, 64)}": expected "${expected}"`, Code.InvalidArgument);
}
