import { readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from "node:tls";
import { OperationError } from "#kernel/errors.ts";
import { type ByteAccount, ByteBudget } from "#kernel/slots.ts";
import { ConnectionTracker, detectSocketProtocol, type PortLimits } from "./connections.ts";
import type { PortRequest, PortResponse } from "./exchanges.ts";

/** File descriptors that connections may not use. Our choice: a database needs nine, files and pictures a few more. */
const RESERVED_DESCRIPTORS = 24;
/** Assumed descriptors in use if the system lists none. Our choice: a server with a database file has about 20. */
const USUAL_DESCRIPTORS = 32;

/** Returns the maximum number of open files of this process, or undefined if it is unlimited or unknown. */
function readOpenFilesLimit(): number | undefined {
  const { userLimits } = (process.report?.getReport() ?? {}) as Partial<DiagnosticReport>;
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) ? soft : undefined;
}

/** The used part of an engine's diagnostic report. Source: Node.js, "Diagnostic report". */
interface DiagnosticReport {
  readonly userLimits: { readonly open_files?: { readonly soft: number | string } };
}

/** Lowers the connection limits to the open files that remain after the descriptors in use and a reserve. */
function fitLimitsToOpenFiles(limits: PortLimits, openFiles: number | undefined): PortLimits {
  if (openFiles === undefined) return limits;
  const free = Math.max(openFiles - countDescriptors(), 4);
  const all = free - Math.min(RESERVED_DESCRIPTORS, Math.floor(free / 2));
  const probeConnections = Math.min(limits.probeConnections, Math.ceil(all / 4));
  return { ...limits, probeConnections, maxConnections: Math.min(limits.maxConnections, all - probeConnections) };
}

function countDescriptors(): number {
  for (const folder of ["/proc/self/fd", "/dev/fd"]) {
    try {
      return readdirSync(folder).length;
    } catch {
      // The folder does not exist on this system; try the next.
    }
  }
  return USUAL_DESCRIPTORS;
}

/** Handles one request; `account` is charged with its memory and closed after its response. */
export type RequestHandler = (request: PortRequest, response: PortResponse, account: ByteAccount) => void;

/** A private key and its certificate chain as PEM text. */
export interface TlsCredentials {
  readonly key: string;
  readonly cert: string;
}

export interface SharedPortOptions {
  readonly handler: RequestHandler;
  /** Key and certificate for TLS; if set, cleartext is refused unless `cleartext` is set too. */
  readonly tls?: TlsCredentials;
  /** Whether the port accepts cleartext in addition to TLS. */
  readonly cleartext?: boolean;
  /** Whether a redirect from cleartext to TLS may use this Host header. */
  readonly isOwnHost?: (host: string) => boolean;
  /** Whether the reply to a request continues until one side ends it. A shutdown does not wait for such requests. */
  readonly isStream?: (request: PortRequest) => boolean;
  /** Returns the body, as JSON, of the refusal of an HTTP/1.1 request whose head cannot be read; empty if absent. */
  readonly formatHeadRefusal?: (isTooLarge: boolean) => string;
  /** Memory budget of all open requests together; unlimited if absent. */
  readonly budget?: ByteBudget;
  readonly limits?: Partial<PortLimits>;
}

/** Limits of a port. Our choice: allows for slow networks, and bounds clients that only hold a connection open. */
const DEFAULT_LIMITS: PortLimits = {
  firstBytesMs: 15_000,
  idleMs: 75_000,
  requestMs: 120_000,
  maxConnections: 10_000,
  maxPerAddress: 2500,
  // Several load balancers may send health probes at the same time.
  probeConnections: 64,
};
/** Time for a connection above the limits to send its first bytes, in milliseconds. Health probes send at once. */
const EXCESS_FIRST_BYTES_MS = 1000;
/** TLS 1.2 ciphers with AEAD and ephemeral keys; all ciphers of TLS 1.3 are of that kind. Source: RFC 9325, 4.2. */
const TLS12_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
];
const TLS13_CIPHERS = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

/**
 * Concurrent streams per HTTP/2 connection, and bytes that a client may send ahead. Our choice: engines begin all
 * streams of one received chunk in one iteration of the event loop, so their number bounds it. A call with more bytes
 * of headers is reset, as the engines do only when the limit is announced; it is that of HTTP/1.1 in the engines.
 */
const HTTP2_SETTINGS = { maxConcurrentStreams: 250, initialWindowSize: 1024 * 1024, maxHeaderListSize: 16 * 1024 };
/** Memory limit of an HTTP/2 session in MB. Bun counts unsent data too and ends streams at the default of 10 MB. */
const HTTP2_SESSION_MEMORY_MB = 1024;

const runsOnBun = process.versions["bun"] !== undefined;
const runsOnDeno = (process.versions as Readonly<Record<string, string | undefined>>)["deno"] !== undefined;

/**
 * One TCP port for HTTP/1.1, HTTP/2 with prior knowledge and, with a certificate, both over TLS.
 *
 * A plain socket server reads the first bytes of a connection and passes it to one of two HTTP servers that do not
 * listen themselves, because the engines' own servers cannot send gRPC's trailers. Runs in Bun, Deno and Node.
 */
export class SharedPort {
  /** Maximum number of open files of this process; undefined if it is unlimited or unknown. */
  readonly openFiles: number | undefined;
  readonly #limits: PortLimits;
  readonly #connections: ConnectionTracker;
  readonly #h1: Server;
  readonly #h2: Http2Server;
  readonly #cleartext: CleartextResponder | undefined;
  #tls: TlsServer | undefined;
  readonly #listener = createNetServer({ noDelay: true }, (socket) => this.#acceptSocket(socket));

  constructor(options: SharedPortOptions) {
    const { handler, tls, cleartext = tls === undefined, isOwnHost, isStream = () => false } = options;
    const { budget = new ByteBudget(Number.POSITIVE_INFINITY) } = options;
    this.openFiles = readOpenFilesLimit();
    this.#limits = fitLimitsToOpenFiles({ ...DEFAULT_LIMITS, ...options.limits }, this.openFiles);
    this.#connections = new ConnectionTracker(this.#limits, budget, isStream);
    const tracked = (request: PortRequest, response: PortResponse) =>
      handler(request, response, this.#connections.beginExchange(request, response));
    this.#cleartext = cleartext ? undefined : new CleartextResponder(isOwnHost);
    this.#h1 = createHttp1Server(tracked, this.#limits, options.formatHeadRefusal);
    this.#h2 = createHttp2Server({ settings: HTTP2_SETTINGS, maxSessionMemory: HTTP2_SESSION_MEMORY_MB }, tracked);
    this.#h2.on("session", (session) => this.#connections.addSession(session));
    this.#h2.on("sessionError", () => {});
    this.#tls = tls === undefined ? undefined : this.#createTlsServer(tls);
  }

  get limits(): PortLimits {
    return this.#limits;
  }

  /** Replaces the certificate for new connections; open connections keep theirs. */
  renewTls(tls: TlsCredentials): void {
    this.#tls = this.#createTlsServer(tls);
  }

  /** Starts to listen. Returns the port; port 0 picks a free one. Rejects if the operating system refuses it. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(port, host, () => {
        this.#listener.off("error", reject);
        // A failed accept (too many open files) concerns one connection, not the server.
        this.#listener.on("error", () => {});
        resolve((this.#listener.address() as AddressInfo).port);
      });
    });
  }

  /**
   * Stops listening and closes every connection after its last running request.
   * @param graceMs time after which remaining requests are aborted
   * @returns whether all requests ended by themselves
   */
  async close(graceMs: number): Promise<boolean> {
    const closed = new Promise<true>((resolve) => this.#listener.close(() => resolve(true)));
    this.#connections.drainConnections();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), graceMs);
    });
    const drained = await Promise.race([closed, late]);
    clearTimeout(timer);
    this.#connections.destroyConnections();
    return drained;
  }

  #acceptSocket(socket: Socket): void {
    // The listener stays for the socket's lifetime: a late reset without one would end the process.
    socket.on("error", () => socket.destroy());
    if (!this.#connections.addSocket(socket)) {
      socket.destroy();
      return;
    }
    const patienceMs = this.#connections.isExcess(socket) ? EXCESS_FIRST_BYTES_MS : this.#limits.firstBytesMs;
    detectSocketProtocol(socket, patienceMs, (speech) => {
      this.#connections.setProtocol(socket, speech);
      if (speech === "tls") this.#startTls(socket);
      else if (this.#cleartext === undefined) this.#serveSocket(socket, speech);
      else this.#cleartext.answerConnection(socket, speech);
    });
  }

  #startTls(socket: Socket): void {
    if (this.#tls === undefined) socket.destroy();
    else this.#tls.emit("connection", socket);
  }

  #createTlsServer({ key, cert }: TlsCredentials): TlsServer {
    const server = createTlsServer({
      key,
      cert,
      ALPNProtocols: ["h2", "http/1.1"],
      minVersion: "TLSv1.2",
      ciphers: [...TLS13_CIPHERS, ...TLS12_CIPHERS].join(":"),
      handshakeTimeout: this.#limits.firstBytesMs,
    });
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => socket.destroy());
      this.#connections.addTlsSocket(socket);
      this.#connections.setProtocol(socket, socket.alpnProtocol === "h2" ? "h2" : "h1");
      this.#serveSocket(socket, socket.alpnProtocol === "h2" ? "h2" : "h1");
    });
    return server;
  }

  #serveSocket(socket: Socket, speech: "h1" | "h2"): void {
    if (speech === "h2") {
      this.#h2.emit("connection", runsOnDeno ? filterGoaway(socket) : socket);
      return;
    }
    if (runsOnBun) joinSocketWrites(socket);
    this.#h1.emit("connection", socket);
  }
}

function createHttp1Server(
  handler: (request: PortRequest, response: PortResponse) => void,
  { idleMs }: PortLimits,
  formatHeadRefusal: (isTooLarge: boolean) => string = () => "",
): Server {
  const server = createServer({ keepAliveTimeout: idleMs }, handler);
  // Deno closes kept-alive connections of a server that does not listen (denoland/deno#35609).
  Object.defineProperty(server, "listening", { value: true, writable: true, configurable: true });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const isTooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const body = formatHeadRefusal(isTooLarge);
    const status = isTooLarge ? "431 Request Header Fields Too Large" : "400 Bad Request";
    const type = body === "" ? "" : "Content-Type: application/json\r\n";
    const head = `HTTP/1.1 ${status}\r\nConnection: close\r\n${type}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    if (socket.writable) socket.end(head + body);
    else socket.destroy();
  });
  return server;
}

/**
 * Joins all writes of one tick. On a socket from another server, Bun's HTTP/1.1 writes each header block, chunk frame
 * and end by a separate system call, which halves the throughput.
 */
function joinSocketWrites(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isCorked = false;
  const flush = () => {
    isCorked = false;
    socket.uncork();
  };
  const writeCorked = (...args: unknown[]) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      process.nextTick(flush);
    }
    return write(...args);
  };
  socket.write = writeCorked as typeof socket.write;
}

const TLS_ONLY_MESSAGE = "This port serves TLS only";
/** Time for a refused client to read the reply, in milliseconds. */
const REPLY_READ_MS = 2000;
/** FAILED_PRECONDITION: a retry without TLS fails again. */
const GRPC_FAILED_PRECONDITION = "9";

/** Answers cleartext connections of a port that serves TLS only. Bodies are not read. */
class CleartextResponder {
  readonly #isOwnHost: (host: string) => boolean;
  readonly #h1 = createServer((request, response) => this.#redirect(request, response));
  readonly #h2 = createHttp2Server({ settings: { maxConcurrentStreams: 1 } });

  /** @param isOwnHost whether the server may redirect to this Host; other requests get the refusal */
  constructor(isOwnHost: (host: string) => boolean = () => false) {
    this.#isOwnHost = isOwnHost;
    this.#h1.on("clientError", (_error, socket) => socket.destroy());
    // Deno closes connections of a server that does not listen (denoland/deno#35609).
    Object.defineProperty(this.#h1, "listening", { value: true, writable: true, configurable: true });
    this.#h2.on("session", (session) => session.on("error", () => {}));
    this.#h2.on("sessionError", () => {});
    this.#h2.on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => {});
      // Sends trailers only, because gRPC clients report a bare GOAWAY as a timeout.
      const status = { "grpc-status": GRPC_FAILED_PRECONDITION, "grpc-message": TLS_ONLY_MESSAGE };
      stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
      stream.session?.close();
    });
  }

  answerConnection(socket: Socket, speech: "h1" | "h2"): void {
    (speech === "h2" ? this.#h2 : this.#h1).emit("connection", socket);
    setTimeout(() => socket.destroy(), REPLY_READ_MS).unref();
  }

  /**
   * Redirects a page request to the same address with TLS. Other requests get 426, so that no client sends a token
   * twice.
   */
  #redirect({ method, headers, url = "/" }: IncomingMessage, response: ServerResponse): void {
    const { host = "", accept = "" } = headers;
    const isPage = (method === "GET" || method === "HEAD") && accept.includes("text/html") && url.startsWith("/");
    if (isPage && this.#isOwnHost(host)) {
      response.writeHead(308, { location: `https://${host}${url}`, connection: "close" });
      response.end();
      return;
    }
    const upgrade = { upgrade: "TLS/1.3, HTTP/1.1", connection: "Upgrade, close" };
    response.writeHead(426, { ...upgrade, "content-type": "text/plain; charset=utf-8" });
    response.end(`${TLS_ONLY_MESSAGE}\n`);
  }
}

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
function filterGoaway(socket: Socket): Duplex {
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

/** Listens on an address and returns the port. @throws OperationError that names the address and the reason */
export async function listenOnAddress(
  server: SharedPort,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program listens there" : message;
    throw new OperationError("unavailable", `Cannot listen on ${host} port ${port}: ${why}`, { cause: error });
  }
}
