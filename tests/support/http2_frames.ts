import { connect, type Socket } from "node:net";

// HTTP/2 written by hand, for what no client library sends. Source: RFC 9113 and RFC 7541.

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;

/** One frame; `length` lies about the payload where given. */
export function frame(
  type: number,
  payload: Uint8Array = Buffer.alloc(0),
  { stream = 0, flags = 0, length = payload.length }: { stream?: number; flags?: number; length?: number } = {},
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields in HPACK, none of them indexed or compressed. */
export function fields(list: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(list.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const head = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) head.push((rest % 128) + 128);
  return Buffer.concat([Buffer.of(...head, rest), bytes]);
}

/** Sends bytes on a connection of its own; resolves when the other side closes it, or with false when it stays open. */
export async function sendRaw(port: number, bytes: Uint8Array, patienceMs: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  const closed = new Promise<true>((resolve) => socket.once("close", () => resolve(true)));
  await written(socket, bytes);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  const ended = await Promise.race([closed, open]);
  clearTimeout(timer);
  socket.destroy();
  return ended;
}

/** Hands bytes over to the system, or finds that the connection is gone. */
export function written(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("close", done);
      resolve();
    };
    socket.once("close", done);
    socket.write(bytes, done);
  });
}
