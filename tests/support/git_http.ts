import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a server does with requests that change a repository. */
export type GitHttpMood =
  | "answers"
  /** Makes the change, and breaks the connection before the answer. */
  | "cuts answers"
  /** Asks for a name and a password. */
  | "asks"
  /** Accepts connections and says nothing. */
  | "hangs";

/** Serves the bare repositories of a folder over http, by git's own program. */
export class GitHttp {
  mood: GitHttpMood = "answers";
  /** Awaited before each request for the list of refs, of a look or of a fetch. */
  beforeRefs: () => Promise<unknown> = async () => {};
  /** Requests so far, as `POST /x.git/git-receive-pack`. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(folder: string): Promise<GitHttp> {
    const server = new GitHttp(folder);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://x");
    this.requests.push(`${request.method} ${url.pathname}`);
    if (this.mood === "hangs") return;
    if (this.mood === "asks") {
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
      return;
    }
    if (url.search.endsWith("=git-upload-pack")) await this.beforeRefs();
    const env = {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: this.#folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"],
      CONTENT_LENGTH: request.headers["content-length"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      GIT_PROTOCOL: request.headers["git-protocol"]?.toString(),
      REMOTE_ADDR: "127.0.0.1",
    };
    const child = spawn("git", ["http-backend"], { env: env as NodeJS.ProcessEnv });
    child.stdin.on("error", () => {});
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("close", () => {
      if (this.mood === "cuts answers" && request.method === "POST" && url.pathname.endsWith("/git-receive-pack")) {
        request.socket.destroy();
        return;
      }
      answer(response, Buffer.concat(chunks));
    });
  }
}

/** The answer of a CGI program: lines of headers, an empty one, the body. */
function answer(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf("\r\n\r\n");
  let status = 200;
  for (const line of output.subarray(0, end).toString().split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*/, 2);
    if (name.toLowerCase() === "status") status = Number(value.slice(0, 3));
    else response.setHeader(name, value);
  }
  response.writeHead(status).end(output.subarray(end + 4));
}
