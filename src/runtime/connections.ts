import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Speech } from "./first_bytes.ts";

export type PortRequest = IncomingMessage | Http2ServerRequest;
export type PortResponse = ServerResponse | Http2ServerResponse;

export interface PortLimits {
  /** How long a new connection may say nothing, in milliseconds; TLS handshakes as well. */
  readonly firstBytesMs: number;
  /** How long a connection may wait without a request or dawdle over headers, in milliseconds. */
  readonly idleMs: number;
  /** How long a request may take to arrive, in milliseconds. */
  readonly requestMs: number;
  readonly maxConnections: number;
}

/** What runs on a connection. */
class Use {
  active = 0;
  /** When the connection came, or its last request ended; milliseconds of the monotonic clock. */
  idleSince = performance.now();

  isIdle(forMs: number): boolean {
    return this.active === 0 && performance.now() - this.idleSince > forMs;
  }

  end(): void {
    this.active--;
    this.idleSince = performance.now();
  }
}

interface Connection {
  /** `new` until the first bytes have been read; `tls` is the raw socket below a secured one. */
  speech: "new" | Speech;
  readonly use: Use;
}

interface Arriving {
  readonly request: PortRequest;
  readonly since: number;
}

/** How often idle and slow connections are looked for, in milliseconds, at most. */
const SWEEP_MS = 5000;

/**
 * Every connection of a port and what runs on it, so that a shutdown can drain and slow clients can be sent away. The
 * HTTP servers' own timers do not run on servers that listen nowhere.
 */
export class Connections {
  readonly #limits: PortLimits;
  readonly #sockets = new Map<Socket, Connection>();
  readonly #sessions = new Map<ServerHttp2Session, Use>();
  readonly #arriving = new Map<PortResponse, Arriving>();
  readonly #open = new Set<PortResponse>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  #draining = false;

  constructor(limits: PortLimits) {
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.idleMs / 2, limits.requestMs / 2));
    this.#sweeper.unref();
  }

  add(socket: Socket): void {
    this.#sockets.set(socket, { speech: "new", use: new Use() });
    socket.once("close", () => this.#sockets.delete(socket));
  }

  speaks(socket: Socket, speech: Speech): void {
    const connection = this.#sockets.get(socket);
    if (connection !== undefined) connection.speech = speech;
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.set(session, new Use());
    session.on("error", () => {});
    session.once("close", () => this.#sessions.delete(session));
    if (this.#draining) session.close();
  }

  /** Counts a request until its response is done. */
  begin(request: PortRequest, response: PortResponse): void {
    request.on("error", () => {});
    response.on("error", () => {});
    this.#open.add(response);
    this.#arriving.set(response, { request, since: performance.now() });
    request.once("end", () => this.#arriving.delete(response));
    const use = this.#runningOn(request);
    if (use !== undefined) use.active++;
    if (this.#draining) announceEnd(response);
    response.once("close", () => {
      this.#open.delete(response);
      this.#arriving.delete(response);
      use?.end();
      if (this.#draining && use?.active === 0 && !("stream" in request)) request.socket.end();
    });
  }

  #runningOn(request: PortRequest): Use | undefined {
    if (!("stream" in request)) return this.#sockets.get(request.socket)?.use;
    const { session } = request.stream;
    return session === undefined ? undefined : this.#sessions.get(session as ServerHttp2Session);
  }

  /** Ends every connection as soon as nothing runs on it. */
  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions.keys()) session.close();
    for (const response of this.#open) announceEnd(response);
    for (const [socket, { speech, use }] of this.#sockets) {
      if (speech === "h1" && use.active === 0) socket.end();
      else if (speech === "new") socket.destroy();
    }
  }

  destroy(): void {
    clearInterval(this.#sweeper);
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  #sweep(): void {
    const now = performance.now();
    const { idleMs, requestMs } = this.#limits;
    for (const [socket, { speech, use }] of this.#sockets) {
      if (speech === "h1" && use.isIdle(idleMs)) socket.destroy();
    }
    for (const [session, use] of this.#sessions) {
      if (!use.isIdle(idleMs)) continue;
      // GOAWAY first: a request that is on its way is not lost but sent again. Whoever stays all the same is cut off.
      if (session.closed) session.destroy();
      else session.close();
    }
    for (const { request, since } of this.#arriving.values()) if (now - since > requestMs) request.destroy();
  }
}

// The client learns that it must not send another request on this connection. HTTP/2 says so by GOAWAY.
function announceEnd(response: PortResponse): void {
  if (!("stream" in response) && !response.headersSent) response.setHeader("connection", "close");
}
