import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { ByteAccount, type ByteBudget } from "#kernel/byte_budget.ts";
import { AddressLimit, type AddressLimits } from "./address_limit.ts";
import { Exchanges, type PortRequest, type PortResponse } from "./exchanges.ts";
import type { WireProtocol } from "./first_bytes.ts";

export interface PortLimits extends AddressLimits {
  /** Time for a new connection to send its first bytes or finish a TLS handshake, in milliseconds. */
  readonly firstBytesMs: number;
  /** Maximum time that a connection may be idle or take to send a request's headers, in milliseconds. */
  readonly idleMs: number;
  /** Time for a request to arrive completely, in milliseconds. */
  readonly requestMs: number;
}

/** Use of one connection: its running requests. */
class Use {
  active = 0;
  /** Number of running requests whose reply continues until one side ends it. */
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

  /** Whether a shutdown need not wait for this connection: it runs only streams, or is idle with nothing to send. */
  isOver(socket: Pick<Socket, "writableLength"> | undefined): boolean {
    if (this.active > 0) return this.active === this.streams;
    return this.isIdle(LEAVE_MS) && (socket?.writableLength ?? 0) === 0;
  }
}

/** State that the sockets and the session of one connection share. */
interface Peer {
  readonly use: Use;
  /** Whether the connection exceeds a limit: the server answers one health probe on it and closes it. */
  readonly isExcess: boolean;
}

interface Connection extends Peer {
  /** Protocol; `new` before the first bytes were read, `tls` for the raw socket below a secured one. */
  speech: "new" | WireProtocol;
  /** Removes the connection from the counts; undefined for a secured socket, as the raw one below it is counted. */
  readonly leave?: () => void;
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
  /** Peers by address and port, because a TLS socket or an HTTP/2 session names its peer, not the socket below it. */
  readonly #peers = new Map<string, Peer>();
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

  /**
   * Adds a new connection. At the limit, closes the connection that has been idle longest. Returns false if all
   * connections are in use and the reserve for probes is used up.
   */
  add(socket: Socket): boolean {
    if (this.#addresses.isFull) this.#closeLongestIdle();
    const admitted = this.#addresses.admit(socket.remoteAddress);
    if (admitted === undefined) return false;
    const name = getPeerKey(socket);
    const peer: Peer = { use: new Use(), isExcess: admitted.isExcess };
    const leave = () => {
      if (!this.#sockets.delete(socket)) return;
      if (this.#peers.get(name) === peer) this.#peers.delete(name);
      admitted.leave();
    };
    this.#peers.set(name, peer);
    this.#sockets.set(socket, { ...peer, speech: "new", leave });
    socket.once("close", leave);
    return true;
  }

  // The file descriptor must be free on return: sockets that wait to be accepted follow in the same turn.
  #closeLongestIdle(): void {
    let longest: [Socket, Connection] | undefined;
    for (const entry of this.#sockets) {
      const [socket, { use, leave }] = entry;
      if (leave === undefined || use.active > 0 || socket.writableLength > 0) continue;
      if (longest === undefined || use.idleSince < longest[1].use.idleSince) longest = entry;
    }
    if (longest === undefined) return;
    longest[1].leave?.();
    longest[0].destroy();
  }

  /** Adds a TLS socket on top of a raw socket that was admitted before. */
  addSecured(socket: Socket): void {
    this.#sockets.set(socket, { ...this.#peerBelow(socket), speech: "new" });
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #peerBelow(socket: Pick<Socket, "remoteAddress" | "remotePort"> | undefined): Peer {
    const peer = socket === undefined ? undefined : this.#peers.get(getPeerKey(socket));
    return peer ?? { use: new Use(), isExcess: false };
  }

  isExcess(socket: Socket): boolean {
    return this.#sockets.get(socket)?.isExcess === true;
  }

  speaks(socket: Socket, speech: WireProtocol): void {
    const connection = this.#sockets.get(socket);
    if (connection !== undefined) connection.speech = speech;
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.set(session, this.#peerBelow(session.socket).use);
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
    if (this.#isDraining || isExcess) announceConnectionEnd(response);
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

  /** Closes each connection as soon as no request runs on it. Streams get a short time to send their last bytes. */
  drain(): void {
    this.#drainingSince = performance.now();
    this.#leaver = setInterval(() => this.#leave(), LEAVE_LOOK_MS);
    for (const session of this.#sessions.keys()) session.close();
    for (const response of this.#exchanges.responses) announceConnectionEnd(response);
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
      // Sends GOAWAY first, so that the client repeats a request in flight. The next check destroys an open session.
      if (session.closed) session.destroy();
      else session.close();
    }
    this.#exchanges.endSlowOnes(requestMs);
  }
}

// Asks the client to send no further request on this connection: by a header in HTTP/1.1, by GOAWAY in HTTP/2.
function announceConnectionEnd(response: PortResponse): void {
  if (!("stream" in response)) {
    if (!response.headersSent) response.setHeader("connection", "close");
  } else response.stream?.session?.close();
}

function getPeerKey({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}
