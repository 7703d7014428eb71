import type { Socket } from "node:net";

/** First bytes of an HTTP/2 client with prior knowledge. Source: RFC 9113, 3.4. */
const H2_PREFACE = Buffer.from("PRI");
/** The record type of a TLS handshake. Source: RFC 8446, 5.1. */
const TLS_HANDSHAKE = 0x16;

/** Protocol of a connection. */
export type WireProtocol = "h1" | "h2" | "tls";

/** Detects the protocol from the first bytes. Returns undefined if more bytes are needed. */
export function detectProtocol(head: Buffer): WireProtocol | undefined {
  if (head[0] === TLS_HANDSHAKE) return "tls";
  if (head.subarray(0, H2_PREFACE.length).equals(H2_PREFACE)) return "h2";
  const mayBecomeH2 = head.length < H2_PREFACE.length && H2_PREFACE.subarray(0, head.length).equals(head);
  return mayBecomeH2 ? undefined : "h1";
}

/**
 * Reports the protocol of a new connection once, after putting the bytes back into the socket. Destroys a connection
 * that ends, or sends too few bytes within `timeoutMs`. Reads with `readable`, because `data` and `pause` lose bytes in
 * some engines.
 */
export function detectSocketProtocol(
  socket: Socket,
  timeoutMs: number,
  onDetected: (speech: WireProtocol) => void,
): void {
  let head = Buffer.alloc(0);
  const destroySocket = () => socket.destroy();
  const timer = setTimeout(destroySocket, timeoutMs);
  const stopTimer = () => clearTimeout(timer);
  socket.once("close", stopTimer);
  socket.once("end", destroySocket);
  const onReadable = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) head = Buffer.concat([head, chunk]);
    const speech = head.length === 0 ? undefined : detectProtocol(head);
    if (speech === undefined) {
      if (!socket.destroyed && !socket.readableEnded) socket.once("readable", onReadable);
      return;
    }
    stopTimer();
    socket.off("close", stopTimer);
    socket.off("end", destroySocket);
    socket.unshift(head);
    onDetected(speech);
  };
  socket.once("readable", onReadable);
}
