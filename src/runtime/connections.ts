import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { ByteAccount, type ByteBudget } from "#kernel/slots.ts";
import { ExchangeTracker, type PortRequest, type PortResponse } from "./exchanges.ts";

export interface PortLimits extends AddressLimits {
  /** Time for a new connection to send its first bytes or finish a TLS handshake, in milliseconds. */
  readonly firstBytesMs: number;
  /** Maximum time that a connection may be idle or take to send a request's headers, in milliseconds. */
  readonly idleMs: number;
  /** Time for a request to arrive completely, in milliseconds. */
  readonly requestMs: number;
}

/** Use of one connection: its running requests. */
class ConnectionUse {
  activeRequests = 0;
  /** Number of running requests whose reply continues until one side ends it. */
  activeStreams = 0;
  /** Time at which the connection opened or its last request ended; milliseconds of the monotonic clock. */
  idleSince = performance.now();

  isIdle(forMs: number): boolean {
    return this.activeRequests === 0 && performance.now() - this.idleSince > forMs;
  }

  beginRequest(isStream: boolean): void {
    this.activeRequests++;
    if (isStream) this.activeStreams++;
  }

  endRequest(isStream: boolean): void {
    this.activeRequests--;
    if (isStream) this.activeStreams--;
    this.idleSince = performance.now();
  }

  /** Whether a shutdown need not wait for this connection: it runs only streams, or is idle with nothing to send. */
  isDrained(socket: Pick<Socket, "writableLength"> | undefined): boolean {
    if (this.activeRequests > 0) return this.activeRequests === this.activeStreams;
    return this.isIdle(DRAIN_GRACE_MS) && (socket?.writableLength ?? 0) === 0;
  }
}

/** State that the sockets and the session of one connection share. */
interface ConnectionPeer {
  readonly use: ConnectionUse;
  /** Whether the connection exceeds a limit: the server answers one health probe on it and closes it. */
  readonly isExcess: boolean;
}

interface Connection extends ConnectionPeer {
  /** Protocol; `new` before the first bytes were read, `tls` for the raw socket below a secured one. */
  protocol: "new" | WireProtocol;
  /** Removes the connection from the counts; undefined for a secured socket, as the raw one below it is counted. */
  readonly release?: () => void;
}

/** Maximum interval between checks for idle and slow connections, in milliseconds. */
const MAX_SWEEP_INTERVAL_MS = 1000;
/** Time for peers to receive the last bytes of streams and idle connections during a shutdown, in milliseconds. */
const DRAIN_GRACE_MS = 300;
/** Interval at which a shutdown checks for idle connections, in milliseconds. */
const DRAIN_CHECK_MS = 50;

/**
 * Tracks a port's connections and their requests, so that a shutdown can drain them and slow clients are disconnected.
 * The timers of the HTTP servers do not run, because those servers do not listen.
 */
export class ConnectionTracker {
  readonly #limits: PortLimits;
  readonly #budget: ByteBudget;
  readonly #addresses: ConnectionLimiter;
  readonly #exchanges: ExchangeTracker;
  readonly #sockets = new Map<Socket, Connection>();
  /** Peers by address and port, because a TLS socket or an HTTP/2 session names its peer, not the socket below it. */
  readonly #peers = new Map<string, ConnectionPeer>();
  readonly #sessions = new Map<ServerHttp2Session, ConnectionUse>();
  readonly #sweepTimer: ReturnType<typeof setInterval>;
  readonly #isStream: (request: PortRequest) => boolean;
  #drainTimer: ReturnType<typeof setInterval> | undefined;
  #drainingSince: number | undefined;

  /** @param isStream whether the reply to a request continues until one side ends it */
  constructor(limits: PortLimits, budget: ByteBudget, isStream: (request: PortRequest) => boolean) {
    this.#limits = limits;
    this.#budget = budget;
    this.#isStream = isStream;
    this.#addresses = new ConnectionLimiter(limits);
    this.#exchanges = new ExchangeTracker(budget);
    this.#sweepTimer = setInterval(
      () => this.#closeIdleAndSlow(),
      Math.min(MAX_SWEEP_INTERVAL_MS, limits.idleMs / 2, limits.requestMs / 2),
    );
    this.#sweepTimer.unref();
  }

  /**
   * Adds a new connection. At the limit, closes the connection that has been idle longest. Returns false if all
   * connections are in use and the reserve for probes is used up.
   */
  addSocket(socket: Socket): boolean {
    if (this.#addresses.isFull) this.#closeLongestIdle();
    const admitted = this.#addresses.admitConnection(socket.remoteAddress);
    if (admitted === undefined) return false;
    const name = getPeerKey(socket);
    const peer: ConnectionPeer = { use: new ConnectionUse(), isExcess: admitted.isExcess };
    const leave = () => {
      if (!this.#sockets.delete(socket)) return;
      if (this.#peers.get(name) === peer) this.#peers.delete(name);
      admitted.release();
    };
    this.#peers.set(name, peer);
    this.#sockets.set(socket, { ...peer, protocol: "new", release: leave });
    socket.once("close", leave);
    return true;
  }

  // The file descriptor must be free on return: sockets that wait to be accepted follow in the same turn.
  #closeLongestIdle(): void {
    let longest: [Socket, Connection] | undefined;
    for (const entry of this.#sockets) {
      const [socket, { use, release }] = entry;
      if (release === undefined || use.activeRequests > 0 || socket.writableLength > 0) continue;
      if (longest === undefined || use.idleSince < longest[1].use.idleSince) longest = entry;
    }
    if (longest === undefined) return;
    longest[1].release?.();
    longest[0].destroy();
  }

  /** Adds a TLS socket on top of a raw socket that was admitted before. */
  addTlsSocket(socket: Socket): void {
    this.#sockets.set(socket, { ...this.#findPeer(socket), protocol: "new" });
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #findPeer(socket: Pick<Socket, "remoteAddress" | "remotePort"> | undefined): ConnectionPeer {
    const peer = socket === undefined ? undefined : this.#peers.get(getPeerKey(socket));
    return peer ?? { use: new ConnectionUse(), isExcess: false };
  }

  isExcess(socket: Socket): boolean {
    return this.#sockets.get(socket)?.isExcess === true;
  }

  setProtocol(socket: Socket, speech: WireProtocol): void {
    const connection = this.#sockets.get(socket);
    if (connection !== undefined) connection.protocol = speech;
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.set(session, this.#findPeer(session.socket).use);
    session.on("error", () => {});
    session.once("close", () => this.#sessions.delete(session));
    if (this.#isDraining) session.close();
  }

  get #isDraining(): boolean {
    return this.#drainingSince !== undefined;
  }

  /** Counts a request until its response ends. Returns the account for its memory. */
  beginExchange(request: PortRequest, response: PortResponse): ByteAccount {
    request.on("error", () => {});
    response.on("error", () => {});
    const isExcess = this.isExcess(request.socket);
    const account = isExcess ? ByteAccount.createFull() : this.#budget.openAccount();
    this.#exchanges.addExchange(request, response, account);
    const use = this.#findUse(request);
    const isStream = this.#isStream(request);
    use?.beginRequest(isStream);
    if (this.#isDraining || isExcess) announceConnectionEnd(response);
    response.once("close", () => {
      this.#exchanges.endExchange(response);
      use?.endRequest(isStream);
      if (this.#isDraining && use?.activeRequests === 0 && !("stream" in request)) request.socket.end();
    });
    return account;
  }

  #findUse(request: PortRequest): ConnectionUse | undefined {
    if (!("stream" in request)) return this.#sockets.get(request.socket)?.use;
    const { session } = request.stream;
    return session === undefined ? undefined : this.#sessions.get(session as ServerHttp2Session);
  }

  /** Closes each connection as soon as no request runs on it. Streams get a short time to send their last bytes. */
  drainConnections(): void {
    this.#drainingSince = performance.now();
    this.#drainTimer = setInterval(() => this.#closeDrained(), DRAIN_CHECK_MS);
    for (const session of this.#sessions.keys()) session.close();
    for (const response of this.#exchanges.responses) announceConnectionEnd(response);
    for (const [socket, { protocol, use }] of this.#sockets) {
      if (protocol === "h1" && use.activeRequests === 0) socket.end();
      else if (protocol === "new") socket.destroy();
    }
  }

  destroyConnections(): void {
    clearInterval(this.#sweepTimer);
    clearInterval(this.#drainTimer);
    for (const session of this.#sessions.keys()) session.destroy();
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Closes the connections of peers that do not react to the shutdown. */
  #closeDrained(): void {
    if (performance.now() - (this.#drainingSince ?? 0) < DRAIN_GRACE_MS) return;
    for (const [session, use] of this.#sessions) if (use.isDrained(session.socket)) session.destroy();
    const hasSessions = [...this.#sessions.keys()].some(({ destroyed }) => !destroyed);
    const securedOnly = [...this.#sockets.values()].every(({ protocol }) => protocol === "tls");
    for (const [socket, { protocol, use }] of this.#sockets) {
      // Engines end a session without requests, but keep its socket open until the peer closes it.
      const isUnused = protocol === "h2" ? !hasSessions : protocol !== "tls" || securedOnly;
      if (isUnused && use.isDrained(socket)) socket.destroy();
    }
  }

  #closeIdleAndSlow(): void {
    const { idleMs, requestMs } = this.#limits;
    for (const [socket, { protocol, use }] of this.#sockets) {
      if (protocol === "h1" && use.isIdle(idleMs)) socket.destroy();
    }
    for (const [session, use] of this.#sessions) {
      if (!use.isIdle(idleMs)) continue;
      // Sends GOAWAY first, so that the client repeats a request in flight. The next check destroys an open session.
      if (session.closed) session.destroy();
      else session.close();
    }
    this.#exchanges.endSlowExchanges(requestMs);
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

interface AddressLimits {
  readonly maxConnections: number;
  /** Maximum number of connections from one network address. */
  readonly maxPerAddress: number;
  /** Number of connections that are admitted above each of the two limits, only for health probes. */
  readonly probeConnections: number;
}

interface ConnectionAdmission {
  /** Whether the connection exceeds a limit, so that it may only be used for health probes. */
  readonly isExcess: boolean;
  release(): void;
}

/**
 * Limits the connections per network address and in total, so that one client cannot use up all connections. Admits a
 * few more above each limit, so that health probes from the same address succeed.
 */
export class ConnectionLimiter {
  readonly #limits: AddressLimits;
  readonly #byAddress = new Map<string, number>();
  #connectionCount = 0;

  constructor(limits: AddressLimits) {
    this.#limits = limits;
  }

  /** Whether the limit for all connections is reached, so that only connections for probes are admitted. */
  get isFull(): boolean {
    return this.#connectionCount >= this.#limits.maxConnections;
  }

  /** Admits a connection, or returns undefined if the reserve for probes is used up too. */
  admitConnection(remoteAddress: string | undefined): ConnectionAdmission | undefined {
    const { maxConnections, maxPerAddress, probeConnections } = this.#limits;
    const address = getAddressGroup(remoteAddress ?? "");
    const own = this.#byAddress.get(address) ?? 0;
    const above = Math.max(own - maxPerAddress, this.#connectionCount - maxConnections);
    if (above >= probeConnections) return undefined;
    this.#connectionCount++;
    this.#byAddress.set(address, own + 1);
    return { isExcess: above >= 0, release: () => this.#releaseConnection(address) };
  }

  #releaseConnection(address: string): void {
    this.#connectionCount--;
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}

/** Returns the key under which an address is counted. Cuts IPv6 to /64, as a subscriber chooses the remaining bits. */
function getAddressGroup(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address.replace(/^::ffff:/, "");
  const [head = "", tail = ""] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (!address.includes("::")) return groups.slice(0, 4).join(":");
  const missing = 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  return [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")].slice(0, 4).join(":");
}

/** First bytes of an HTTP/2 client with prior knowledge. Source: RFC 9113, 3.4. */
const H2_PREFACE = Buffer.from("PRI");
/** The record type of a TLS handshake. Source: RFC 8446, 5.1. */
const TLS_HANDSHAKE = 0x16;

/** Protocol of a connection. */
type WireProtocol = "h1" | "h2" | "tls";

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
