import { connect } from "node:http2";

/** A request as its bytes go over the wire, by HTTP/2. */
export interface WireRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends a request and returns everything of the answer. Rejects if the stream breaks off. */
export async function askByWire(url: string, { verb, path, headers, body }: WireRequest): Promise<WireAnswer> {
  const session = connect(url);
  try {
    const stream = session.request({ ":method": verb, ":path": path, ...headers });
    const chunks: Buffer[] = [];
    let [first, last]: Readonly<Record<string, string>>[] = [{}, {}];
    stream.on("response", (found) => {
      first = found as Record<string, string>;
    });
    stream.on("trailers", (found) => {
      last = found as Record<string, string>;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve, reject) => {
      // The answer can end before the server has read the whole request.
      stream.on("end", resolve);
      stream.on("error", reject);
      stream.end(body);
    });
    return {
      status: Number(first?.[":status"]),
      headers: first ?? {},
      trailers: last ?? {},
      body: Buffer.concat(chunks),
    };
  } finally {
    session.destroy();
  }
}

export type Protocol = "connect" | "grpc" | "grpc-web";

/** What a client of the protocol understands: the code, or "ok" with the bytes of the message. */
export interface Understood {
  readonly code: string;
  readonly message: string;
  readonly reply?: Buffer;
}

/** Codes by number. Source: gRPC's status codes. */
const CODES = (
  "ok canceled unknown invalid_argument deadline_exceeded not_found already_exists permission_denied resource_exhausted " +
  "failed_precondition aborted out_of_range unimplemented internal unavailable data_loss unauthenticated"
).split(" ");

/** Codes of answers without one. Source: Connect protocol, "HTTP to Error Code"; gRPC's http-grpc-status-mapping. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: "internal",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  429: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** Reads an answer as the protocol's specification tells a client to. */
export function understood(protocol: Protocol, answer: WireAnswer): Understood {
  return protocol === "connect" ? understoodConnect(answer) : understoodGrpc(protocol, answer);
}

function understoodConnect({ status, headers, body }: WireAnswer): Understood {
  if (status === 200) return { code: "ok", message: "", reply: body };
  if (headers["content-type"]?.startsWith("application/json")) {
    const { code, message } = JSON.parse(body.toString());
    if (CODES.includes(code)) return { code, message: message ?? "" };
  }
  return { code: CODE_OF_STATUS[status] ?? "unknown", message: "" };
}

function understoodGrpc(protocol: Protocol, { status, headers, trailers, body }: WireAnswer): Understood {
  const type = protocol === "grpc" ? /^application\/grpc(?![-\w])/ : /^application\/grpc-web/;
  if (status !== 200 || !type.test(headers["content-type"] ?? "")) {
    return { code: CODE_OF_STATUS[status] ?? "unknown", message: "" };
  }
  const frames = [...framesOf(body)];
  const ending = frames.find(({ flags }) => (flags & 0x80) !== 0);
  const last = protocol === "grpc" ? trailers : linesOf(ending?.data.toString("latin1") ?? "");
  const found = last["grpc-status"] === undefined ? headers : last;
  const code = CODES[Number(found["grpc-status"] ?? 2)] ?? "unknown";
  const message = decodeURIComponent(found["grpc-message"] ?? "");
  const replies = frames.filter(({ flags }) => (flags & 0x80) === 0);
  // A unary call that succeeds has exactly one message.
  if (code === "ok" && replies.length !== 1) return { code: "unimplemented", message: `${replies.length} messages` };
  return { code, message, ...(replies[0] !== undefined && { reply: replies[0].data }) };
}

function* framesOf(body: Buffer): Generator<{ readonly flags: number; readonly data: Buffer }> {
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1);
    yield { flags: body[at] ?? 0, data: body.subarray(at + 5, at + 5 + length) };
    at += 5 + length;
  }
}

function linesOf(block: string): Readonly<Record<string, string>> {
  const lines = block.split("\r\n").filter((line) => line.includes(":"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

/** A message in an envelope of gRPC. */
export function envelope(bytes: Uint8Array, flags = 0, length = bytes.length): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}
