import type { Socket } from "node:net";

/** How an HTTP/2 client with prior knowledge begins. Source: RFC 9113, 3.4. */
const H2_PREFACE = Buffer.from("PRI");
/** The record type of a TLS handshake. Source: RFC 8446, 5.1. */
const TLS_HANDSHAKE = 0x16;

/** What a connection speaks. */
export type Speech = "h1" | "h2" | "tls";

/** What the first bytes say, or undefined while more are needed. */
export function speechOf(head: Buffer): Speech | undefined {
  if (head[0] === TLS_HANDSHAKE) return "tls";
  if (head.subarray(0, H2_PREFACE.length).equals(H2_PREFACE)) return "h2";
  const mayBecomeH2 = head.length < H2_PREFACE.length && H2_PREFACE.subarray(0, head.length).equals(head);
  return mayBecomeH2 ? undefined : "h1";
}

/**
 * Calls `known` once with the protocol of a new connection; the bytes are back in the socket then. A connection that ends, or
 * says too little for `timeoutMs`, is destroyed. Reads by `readable`: `data` and `pause` lose bytes in one engine or
 * the other.
 */
export function listenForSpeech(socket: Socket, timeoutMs: number, known: (speech: Speech) => void): void {
  let head = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const timer = setTimeout(giveUp, timeoutMs);
  const settled = () => clearTimeout(timer);
  socket.once("close", settled);
  socket.once("end", giveUp);
  const onReadable = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) head = Buffer.concat([head, chunk]);
    const speech = head.length === 0 ? undefined : speechOf(head);
    if (speech === undefined) {
      if (!socket.destroyed && !socket.readableEnded) socket.once("readable", onReadable);
      return;
    }
    settled();
    socket.off("close", settled);
    socket.off("end", giveUp);
    socket.unshift(head);
    known(speech);
  };
  socket.once("readable", onReadable);
}
