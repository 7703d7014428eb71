import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { ByteAccount, type ByteBudget } from "#kernel/byte_budget.ts";
import { AddressLimit } from "./address_limit.ts";
import { Exchanges, type PortRequest, type PortResponse } from "./exchanges.ts";
import type { Speech } from "./first_bytes.ts";

export interface PortLimits {
  /** How long a new connection may send nothing, in milliseconds; TLS handshakes as well. */
  readonly firstBytesMs: number;
  /** How long a connection may wait without a request or dawdle over headers, in milliseconds. */
  readonly idleMs: number;
  /** How long a request may take to arrive, in milliseconds. */
  readonly requestMs: number;
  readonly maxConnections: number;
  /** Connections of one network address. */
  readonly maxPerAddress: number;
}

/** Requests that run on a connection. */
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
  /** Above the limits: it is served probes alone, once. */
  readonly isExcess: boolean;
}

/** How often idle and slow connections are looked for, in milliseconds, at most. */
const SWEEP_MS = 1000;

/**
 * Every connection of a port and what runs on it, so that a shutdown can drain and slow clients can be ended. The HTTP
 * servers' own timers do not run on servers that do not listen.
 */
export class Connections {
  readonly #limits: PortLimits;
  readonly #budget: ByteBudget;
  readonly #addresses: AddressLimit;
  readonly #exchanges: Exchanges;
  readonly #sockets = new Map<Socket, Connection>();
  /** Peers of raw sockets above the limits: a secured socket names its peer, not the socket below. */
  readonly #excessPeers = new Set<string>();
  readonly #sessions = new Map<ServerHttp2Session, Use>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  #draining = false;

  constructor(limits: PortLimits, budget: ByteBudget) {
    this.#limits = limits;
    this.#budget = budget;
    this.#addresses = new AddressLimit(limits);
    this.#exchanges = new Exchanges(budget);
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.idleMs / 2, limits.requestMs / 2));
    this.#sweeper.unref();
  }

  /** Takes a new connection. Returns false if there are too many to serve even a probe on it. */
  add(socket: Socket): boolean {
    const admitted = this.#addresses.admit(socket.remoteAddress);
    if (admitted === undefined) return false;
    const peer = peerOf(socket);
    if (admitted.isExcess) this.#excessPeers.add(peer);
    this.#sockets.set(socket, { speech: "new", use: new Use(), isExcess: admitted.isExcess });
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#excessPeers.delete(peer);
      admitted.leave();
    });
    return true;
  }

  /** Takes the secured socket above a raw one that was admitted before. */
  addSecured(socket: Socket): void {
    this.#sockets.set(socket, { speech: "new", use: new Use(), isExcess: this.#excessPeers.has(peerOf(socket)) });
    socket.once("close", () => this.#sockets.delete(socket));
  }

  isExcess(socket: Socket): boolean {
    return this.#sockets.get(socket)?.isExcess === true;
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

  /** Counts a request until its response is done. Returns the account of the bytes that it holds. */
  begin(request: PortRequest, response: PortResponse): ByteAccount {
    request.on("error", () => {});
    response.on("error", () => {});
    const isExcess = this.isExcess(request.socket);
    const account = isExcess ? ByteAccount.full() : this.#budget.open();
    this.#exchanges.begin(request, response, account);
    const use = this.#runningOn(request);
    if (use !== undefined) use.active++;
    if (this.#draining || isExcess) announceEnd(response);
    response.once("close", () => {
      this.#exchanges.end(response);
      use?.end();
      if (this.#draining && use?.active === 0 && !("stream" in request)) request.socket.end();
    });
    return account;
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
    for (const response of this.#exchanges.responses) announceEnd(response);
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
    const { idleMs, requestMs } = this.#limits;
    for (const [socket, { speech, use }] of this.#sockets) {
      if (speech === "h1" && use.isIdle(idleMs)) socket.destroy();
    }
    for (const [session, use] of this.#sessions) {
      if (!use.isIdle(idleMs)) continue;
      // GOAWAY first: the client sends a request that is on its way again. A session that stays is destroyed.
      if (session.closed) session.destroy();
      else session.close();
    }
    this.#exchanges.endSlowOnes(requestMs);
  }
}

// Asks an HTTP/1.1 client to send no other request on this connection. HTTP/2 does so by GOAWAY.
function announceEnd(response: PortResponse): void {
  if (!("stream" in response)) {
    if (!response.headersSent) response.setHeader("connection", "close");
  } else response.stream?.session?.close();
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
