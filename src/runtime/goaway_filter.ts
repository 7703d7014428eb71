import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Type byte of GOAWAY. Source: RFC 9113, 6.8. */
const GOAWAY_TYPE = 7;
/** Bytes of a frame's header: length (3), type, flags, stream (4). Source: RFC 9113, 4.1. */
const FRAME_HEADER_BYTES = 9;
/** Bytes that a client sends before its first frame. Source: RFC 9113, 3.4. */
const PREFACE_BYTES = 24;

/**
 * Removes GOAWAY frames from the bytes of an HTTP/2 client, wherever chunks split them.
 *
 * Deno 2.9 corrupts its session's memory when a client sends GOAWAY (denoland/deno#36788) and may abort. For a server,
 * the end of the connection carries the same information.
 */
export class GoawayFilter {
  #passedBytes = PREFACE_BYTES;
  #skippedBytes = 0;
  #header = Buffer.alloc(0);

  /** Returns the bytes of `chunk` that do not belong to GOAWAY frames, in pieces. */
  filterChunk(chunk: Buffer): Buffer[] {
    const kept: Buffer[] = [];
    for (let rest = chunk; rest.length > 0; ) rest = this.#filterNext(rest, kept);
    return kept;
  }

  #filterNext(chunk: Buffer, kept: Buffer[]): Buffer {
    if (this.#passedBytes > 0) {
      const part = chunk.subarray(0, this.#passedBytes);
      this.#passedBytes -= part.length;
      kept.push(part);
      return chunk.subarray(part.length);
    }
    if (this.#skippedBytes > 0) {
      const length = Math.min(this.#skippedBytes, chunk.length);
      this.#skippedBytes -= length;
      return chunk.subarray(length);
    }
    const part = chunk.subarray(0, FRAME_HEADER_BYTES - this.#header.length);
    this.#header = Buffer.concat([this.#header, part]);
    if (this.#header.length === FRAME_HEADER_BYTES) this.#startFrame(this.#header, kept);
    return chunk.subarray(part.length);
  }

  #startFrame(header: Buffer, kept: Buffer[]): void {
    const length = header.readUIntBE(0, 3);
    if (header[3] === GOAWAY_TYPE) this.#skippedBytes = length;
    else {
      this.#passedBytes = length;
      kept.push(header);
    }
    this.#header = Buffer.alloc(0);
  }
}

/** Returns a stream of the bytes without GOAWAY frames, with the socket members that `node:http2` uses. */
export function filterGoaway(socket: Socket): Duplex {
  const filter = new GoawayFilter();
  const stream = new Duplex({
    allowHalfOpen: true,
    read: () => socket.resume(),
    write(chunk, _encoding, done) {
      if (socket.write(chunk)) done();
      else socket.once("drain", () => done());
    },
    final: (done) => socket.end(() => done()),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (chunk: Buffer) => {
    for (const part of filter.filterChunk(chunk)) if (!stream.push(part)) socket.pause();
  });
  socket.on("end", () => stream.push(null));
  socket.on("close", () => stream.destroy());
  socket.on("error", (error) => stream.destroy(error));
  return addSocketMembers(stream, socket);
}

function addSocketMembers(stream: Duplex, socket: Socket): Duplex {
  for (const name of ["remoteAddress", "remotePort", "localAddress", "localPort", "encrypted"] as const) {
    Object.defineProperty(stream, name, { get: () => Reflect.get(socket, name) });
  }
  for (const name of ["setNoDelay", "setKeepAlive", "setTimeout"] as const) {
    const forward = (...values: readonly unknown[]) => {
      Reflect.apply(socket[name], socket, values);
      return stream;
    };
    Object.defineProperty(stream, name, { value: forward });
  }
  return Object.assign(stream, { ref: () => stream, unref: () => stream });
}
