import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";

const TLS_ONLY_MESSAGE = "This port serves TLS only";
/** Time for a refused client to read the reply, in milliseconds. */
const REPLY_READ_MS = 2000;
/** FAILED_PRECONDITION: a retry without TLS fails again. */
const GRPC_FAILED_PRECONDITION = "9";

/** Answers cleartext connections of a port that serves TLS only. Bodies are not read. */
export class CleartextResponder {
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
