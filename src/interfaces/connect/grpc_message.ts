const HEADER = "grpc-message";

/**
 * Encodes a gRPC status message as the protocol requires: only `%` and bytes outside of printable ASCII are escaped.
 * The library escapes everything that a URI would, which some clients (grpc-js) decode only in part. Source: gRPC over
 * HTTP/2, Status-Message.
 */
export function writeMessagePlainly(trailer: Headers | undefined): void {
  const escaped = trailer?.get(HEADER);
  if (escaped === undefined || escaped === null) return;
  trailer?.set(HEADER, statusMessage(decodeURIComponent(escaped)));
}

function statusMessage(text: string): string {
  // A blank at either end would be lost to readers of the header.
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ | $/gu, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
