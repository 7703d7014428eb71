import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { request as secureRequest } from "node:https";
import { connect as connectTcp } from "node:net";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** Longest silence of the server, in milliseconds; without it the request waits for ever. */
  readonly timeoutMs?: number;
}

/** One request over HTTP/1.1, by TLS when the address says so; certificates are not looked at. */
export function http1(url: string, { method = "GET", headers = {}, body, timeoutMs }: Ask = {}): Promise<Answer> {
  const ask = url.startsWith("https:") ? secureRequest : request;
  return new Promise((resolve, reject) => {
    const call = ask(url, { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on("error", reject);
    if (timeoutMs !== undefined) call.setTimeout(timeoutMs, () => call.destroy(new Error("no answer")));
    call.end(body);
  });
}

/** Posts a message as JSON. */
export function postJson(url: string, message: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  const all = { "content-type": "application/json", ...headers };
  return http1(url, { method: "POST", headers: all, body: JSON.stringify(message) });
}

/** Sends a request as it is written, and returns all that comes back until the server closes the connection. */
export function answerToRaw(url: string, head: readonly string[], body: string | Uint8Array = ""): Promise<string> {
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(body);
  // A server that refuses early may reset the connection while the rest is sent.
  return new Promise((resolve) => socket.on("error", () => {}).on("close", () => resolve(text)));
}

/** Where the datacenter's RPCs are. */
export const RPC = "/datacenter.v1.DatacenterService";

/** Calls an RPC with JSON. @returns its reply, or its refusal, as JSON */
export async function callRpc(url: string, rpc: string, request: object, headers: OutgoingHttpHeaders = {}) {
  const { status, text } = await postJson(`${url}${RPC}/${rpc}`, request, headers);
  return { status, body: JSON.parse(text) };
}

/** Writes a rack that has a code and a place, and nothing else. */
export function putRack(url: string, code: string, headers: OutgoingHttpHeaders = {}) {
  return callRpc(url, "UpsertRack", { rack: { code, location: { site_id: "S1", floor_number: 1 } } }, headers);
}

/** Several requests over one HTTP/2 connection with prior knowledge, or TLS. */
export class Http2Client {
  private readonly session: ClientHttp2Session;

  constructor(url: string) {
    this.session = connect(url, { rejectUnauthorized: false });
    this.session.on("error", () => {});
  }

  ask(path: string, { method = "GET", headers = {}, body }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request({ ...headers, ":method": method, ":path": path });
      const chunks: Buffer[] = [];
      let head: IncomingHttpHeaders & { readonly ":status"?: number | undefined } = {};
      stream.on("response", (given) => {
        head = given;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", reject);
      stream.on("end", () =>
        resolve({ status: head[":status"] ?? 0, headers: head, text: Buffer.concat(chunks).toString() }),
      );
      stream.end(body);
    });
  }

  close(): void {
    this.session.close();
  }
}
