import { createServer, type Server } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from "node:tls";
import { Connections, type PortLimits, type PortRequest, type PortResponse } from "./connections.ts";
import { listenForSpeech } from "./first_bytes.ts";
import { withoutGoaway } from "./goaway_filter.ts";
import { joinWrites } from "./joined_writes.ts";

export type RequestHandler = (request: PortRequest, response: PortResponse) => void;

/** A private key and its certificate chain as PEM text. */
export interface TlsText {
  readonly key: string;
  readonly cert: string;
}

export interface OnePortOptions {
  readonly handler: RequestHandler;
  /** Serves TLS beside cleartext when given. */
  readonly tls?: TlsText;
  readonly limits?: Partial<PortLimits>;
}

/** Ours: patient with slow networks, and finite with clients that only hold a connection. */
const LIMITS: PortLimits = { firstBytesMs: 15_000, idleMs: 75_000, requestMs: 120_000, maxConnections: 10_000 };

/** Streams at once per HTTP/2 connection, and bytes that a client may send ahead. */
const HTTP2_SETTINGS = { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024 };
/** In MB. Bun counts outgoing data that the client has not taken yet, and kills streams at the default of 10. */
const HTTP2_SESSION_MEMORY = 1024;

const onBun = process.versions["bun"] !== undefined;
const onDeno = (process.versions as Readonly<Record<string, string | undefined>>)["deno"] !== undefined;

/**
 * One TCP port for HTTP/1.1, HTTP/2 with prior knowledge and, with a certificate, both over TLS.
 *
 * A plain socket server looks at the first bytes of a connection and hands it to one of two HTTP servers that listen
 * nowhere themselves: the engines' own servers cannot send gRPC's trailers. Works alike in Bun, Deno and Node.
 */
export class OnePort {
  readonly #limits: PortLimits;
  readonly #connections: Connections;
  readonly #h1: Server;
  readonly #h2: Http2Server;
  #tls: TlsServer | undefined;
  readonly #listener = createNetServer({ noDelay: true }, (socket) => this.#accept(socket));

  constructor({ handler, tls, limits = {} }: OnePortOptions) {
    this.#limits = { ...LIMITS, ...limits };
    this.#connections = new Connections(this.#limits);
    const tracked: RequestHandler = (request, response) => {
      this.#connections.begin(request, response);
      handler(request, response);
    };
    this.#h1 = http1(tracked, this.#limits);
    this.#h2 = createHttp2Server({ settings: HTTP2_SETTINGS, maxSessionMemory: HTTP2_SESSION_MEMORY }, tracked);
    this.#h2.on("session", (session) => this.#connections.addSession(session));
    this.#h2.on("sessionError", () => {});
    this.#tls = tls === undefined ? undefined : this.#secure(tls);
    this.#listener.maxConnections = this.#limits.maxConnections;
  }

  /** Serves another certificate to connections from now on; those that are open keep theirs. */
  renewTls(tls: TlsText): void {
    this.#tls = this.#secure(tls);
  }

  /** Begins to listen; port 0 takes a free one. Returns the port. Rejects as the operating system refuses. */
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
   * Stops listening, lets the running requests end and closes every connection behind its last one.
   *
   * @param graceMs after this time whatever still runs is cut off
   * @returns whether everything ended by itself
   */
  async close(graceMs: number): Promise<boolean> {
    const closed = new Promise<true>((resolve) => this.#listener.close(() => resolve(true)));
    this.#connections.drain();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), graceMs);
    });
    const drained = await Promise.race([closed, late]);
    clearTimeout(timer);
    this.#connections.destroy();
    return drained;
  }

  #accept(socket: Socket): void {
    // For life: a late reset without a listener would end the process.
    socket.on("error", () => socket.destroy());
    this.#connections.add(socket);
    listenForSpeech(socket, this.#limits.firstBytesMs, (speech) => {
      this.#connections.speaks(socket, speech);
      if (speech !== "tls") this.#serve(socket, speech);
      else if (this.#tls === undefined) socket.destroy();
      else this.#tls.emit("connection", socket);
    });
  }

  #secure({ key, cert }: TlsText): TlsServer {
    const server = createTlsServer({
      key,
      cert,
      ALPNProtocols: ["h2", "http/1.1"],
      minVersion: "TLSv1.2",
      handshakeTimeout: this.#limits.firstBytesMs,
    });
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => socket.destroy());
      this.#connections.add(socket);
      this.#connections.speaks(socket, socket.alpnProtocol === "h2" ? "h2" : "h1");
      this.#serve(socket, socket.alpnProtocol === "h2" ? "h2" : "h1");
    });
    return server;
  }

  #serve(socket: Socket, speech: "h1" | "h2"): void {
    if (speech === "h2") {
      this.#h2.emit("connection", onDeno ? withoutGoaway(socket) : socket);
      return;
    }
    if (onBun) joinWrites(socket);
    this.#h1.emit("connection", socket);
  }
}

function http1(handler: RequestHandler, { idleMs }: PortLimits): Server {
  const server = createServer({ keepAliveTimeout: idleMs }, handler);
  // Deno closes kept-alive connections of a server that does not listen (denoland/deno#35609).
  Object.defineProperty(server, "listening", { value: true, writable: true, configurable: true });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
  return server;
}
