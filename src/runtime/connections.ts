import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { ByteAccount, type ByteBudget } from "#kernel/byte_budget.ts";
import { AddressLimit } from "./address_limit.ts";
import { Exchanges, type PortRequest, type PortResponse } from "./exchanges.ts";
import type { Speech } from "./first_bytes.ts";

export interface PortLimits {
  /** Time for a new connection to send its first bytes or finish a TLS handshake, in milliseconds. */
  readonly firstBytesMs: number;
  /** How long a connection may wait without a request or dawdle over headers, in milliseconds. */
  readonly idleMs: number;
  /** Time for a request to arrive completely, in milliseconds. */
  readonly requestMs: number;
  readonly maxConnections: number;
  /** Connections of one network address. */
  readonly maxPerAddress: number;
}

/** Requests that run on a connection. */
class Use {
  active = 0;
  /** Number of those requests whose reply continues until one side ends it. */
  streams = 0;
  /** Time at which the connection opened or its last request ended; milliseconds of the monotonic clock. */
  idleSince = performance.now();

  isIdle(forMs: number): boolean {
    return this.active === 0 && performance.now() - this.idleSince > forMs;
  }

  begin(isStream: boolean): void {
    this.active++;
    if (isStream) this.streams++;
  }

  end(isStream: boolean): void {
    this.active--;
    if (isStream) this.streams--;
    this.idleSince = performance.now();
  }

  /**
   * Whether a shutdown need not wait for this connection: only streams run, or it is idle and has nothing left to send.
   */
  isOver(socket: Pick<Socket, "writableLength"> | undefined): boolean {
    if (this.active > 0) return this.active === this.streams;
    return this.isIdle(LEAVE_MS) && (socket?.writableLength ?? 0) === 0;
  }
}

interface Connection {
  /** `new` until the first bytes have been read; `tls` is the raw socket below a secured one. */
  speech: "new" | Speech;
  readonly use: Use;
  /** Above the limits: it is served probes alone, once. */
  readonly isExcess: boolean;
}

/** Maximum interval between checks for idle and slow connections, in milliseconds. */
const SWEEP_MS = 1000;
/** Time for peers to receive the last bytes of streams and idle connections during a shutdown, in milliseconds. */
const LEAVE_MS = 300;
/** Interval at which a shutdown checks for idle connections, in milliseconds. */
const LEAVE_LOOK_MS = 50;

/**
 * Tracks a port's connections and their requests, so that a shutdown can drain them and slow clients are disconnected.
 * The timers of the HTTP servers do not run, because those servers do not listen.
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
  readonly #isStream: (request: PortRequest) => boolean;
  #leaver: ReturnType<typeof setInterval> | undefined;
  #drainingSince: number | undefined;

  /** @param isStream whether the reply to a request continues until one side ends it */
  constructor(limits: PortLimits, budget: ByteBudget, isStream: (request: PortRequest) => boolean) {
    this.#limits = limits;
    this.#budget = budget;
    this.#isStream = isStream;
    this.#addresses = new AddressLimit(limits);
    this.#exchanges = new Exchanges(budget);
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.idleMs / 2, limits.requestMs / 2));
    this.#sweeper.unref();
  }

  /** Adds a new connection. Returns false if even the reserve for probes is used up. */
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

  /** Adds the TLS socket above a raw socket that was admitted before. */
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
    if (this.#isDraining) session.close();
  }

  get #isDraining(): boolean {
    return this.#drainingSince !== undefined;
  }

  /** Counts a request until its response ends. Returns the account for its memory. */
  begin(request: PortRequest, response: PortResponse): ByteAccount {
    request.on("error", () => {});
    response.on("error", () => {});
    const isExcess = this.isExcess(request.socket);
    const account = isExcess ? ByteAccount.full() : this.#budget.open();
    this.#exchanges.begin(request, response, account);
    const use = this.#runningOn(request);
    const isStream = this.#isStream(request);
    use?.begin(isStream);
    if (this.#isDraining || isExcess) announceEnd(response);
    response.once("close", () => {
      this.#exchanges.end(response);
      use?.end(isStream);
      if (this.#isDraining && use?.active === 0 && !("stream" in request)) request.socket.end();
    });
    return account;
  }

  #runningOn(request: PortRequest): Use | undefined {
    if (!("stream" in request)) return this.#sockets.get(request.socket)?.use;
    const { session } = request.stream;
    return session === undefined ? undefined : this.#sessions.get(session as ServerHttp2Session);
  }

  /** Closes each connection when nothing runs on it. Streams get a moment to send their last bytes. */
  drain(): void {
    this.#drainingSince = performance.now();
    this.#leaver = setInterval(() => this.#leave(), LEAVE_LOOK_MS);
    for (const session of this.#sessions.keys()) session.close();
    for (const response of this.#exchanges.responses) announceEnd(response);
    for (const [socket, { speech, use }] of this.#sockets) {
      if (speech === "h1" && use.active === 0) socket.end();
      else if (speech === "new") socket.destroy();
    }
  }

  destroy(): void {
    clearInterval(this.#sweeper);
    clearInterval(this.#leaver);
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Closes the connections of peers that do not react to the shutdown. */
  #leave(): void {
    if (performance.now() - (this.#drainingSince ?? 0) < LEAVE_MS) return;
    for (const [session, use] of this.#sessions) if (use.isOver(session.socket)) session.destroy();
    const hasSessions = [...this.#sessions.keys()].some(({ destroyed }) => !destroyed);
    const securedOnly = [...this.#sockets.values()].every(({ speech }) => speech === "tls");
    for (const [socket, { speech, use }] of this.#sockets) {
      // Engines end a session without requests, but keep its socket open until the peer closes it.
      const isUnused = speech === "h2" ? !hasSessions : speech !== "tls" || securedOnly;
      if (isUnused && use.isOver(socket)) socket.destroy();
    }
  }

  #sweep(): void {
    const { idleMs, requestMs } = this.#limits;
    for (const [socket, { speech, use }] of this.#sockets) {
      if (speech === "h1" && use.isIdle(idleMs)) socket.destroy();
    }
    for (const [session, use] of this.#sessions) {
      if (!use.isIdle(idleMs)) continue;
      // GOAWAY comes first, so that the client repeats a request in flight elsewhere. A session that does not close is
      // destroyed.
      if (session.closed) session.destroy();
      else session.close();
    }
    this.#exchanges.endSlowOnes(requestMs);
  }
}

// Asks an HTTP/1.1 client to send no further request on this connection. HTTP/2 uses GOAWAY for this.
function announceEnd(response: PortResponse): void {
  if (!("stream" in response)) {
    if (!response.headersSent) response.setHeader("connection", "close");
  } else response.stream?.session?.close();
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
