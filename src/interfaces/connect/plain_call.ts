import type { IncomingHttpHeaders } from "node:http";
import type { MessageShape } from "@bufbuild/protobuf";
import {
  type Compression,
  compressionNegotiate,
  createMethodSerializationLookup,
  type MethodSerializationLookup,
} from "@connectrpc/connect/protocol";
import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  parseTimeout as parseConnectTimeout,
} from "@connectrpc/connect/protocol-connect";
import { contentTypeProto, parseTimeout as parseGrpcTimeout } from "@connectrpc/connect/protocol-grpc";
import type { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { allRpcs } from "#dc/operations/index.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { Steps } from "#kernel/steps.ts";
import { checkWireShape, LARGE_BYTES } from "./body_meter.ts";
import { COMPRESSIONS } from "./compressions.ts";
import { BINARY_OPTIONS, jsonOptions, largeForm } from "./json_options.ts";
import { readScanned } from "./json_reading.ts";
import { largeMessage } from "./large_message.ts";
import { ENVELOPE_BYTES, MAX_MESSAGE_BYTES, MAX_TIMEOUT_MS } from "./limits.ts";
import type { NodeRequest } from "./node_http.ts";
import { unknownVersion } from "./protocol_version.ts";

/** Largest cached body, in bytes. Ours: read requests are small. */
const MAX_BODY_BYTES = 1024;
/** Bodies in each of two halves; the older half is dropped at once. Ours: the requests of a few consoles. */
const MAX_BODIES = 200;

/**
 * Decoded messages by their bytes: consoles and agents repeat the same requests. Only for messages that
 * are never changed.
 */
class KnownBodies<Message> {
  #young = new Map<string, Message>();
  #old = new Map<string, Message>();

  /** @throws the error of `read`, which is not cached */
  get(body: Uint8Array, read: () => Message): Message {
    if (body.length > MAX_BODY_BYTES) return read();
    const key = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const message = this.#old.get(key) ?? read();
    if (this.#young.size >= MAX_BODIES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, message);
    return message;
  }
}

type Request = MessageShape<Rpc["method"]["input"]>;

/** One RPC and how its messages are read and written. */
export interface PlainMethod {
  readonly rpc: Rpc;
  /** Only for reads: a repeated write is not answered from a cache. */
  readonly known?: { readonly json: KnownBodies<Request>; readonly binary: KnownBodies<Request> };
  readonly messages: MethodSerializationLookup<Rpc["method"]["input"], Rpc["method"]["output"]>;
}

/** A call whose headers require no special handling. */
export interface PlainCall {
  readonly method: PlainMethod;
  readonly protocol: "connect" | "grpc";
  /** Of the answer. */
  readonly contentType: string;
  readonly timeoutMs: number | undefined;
  readonly compression: Compression | null;
  readonly promisedBytes: number | undefined;
}

export function plainMethods(): ReadonlyMap<string, PlainMethod> {
  const limits = { readMaxBytes: MAX_MESSAGE_BYTES, writeMaxBytes: MAX_MESSAGE_BYTES };
  return new Map(
    allRpcs.map((rpc) => [
      `/${rpc.method.parent.typeName}/${rpc.method.name}`,
      {
        rpc,
        messages: createMethodSerializationLookup(rpc.method, BINARY_OPTIONS, jsonOptions(rpc), limits),
        ...(rpc.effect === "read" && { known: { json: new KnownBodies(), binary: new KnownBodies() } }),
      },
    ]),
  );
}

/** The call by its headers, or undefined when anything about them is unusual or wrong. */
export function plainCall(methods: ReadonlyMap<string, PlainMethod>, request: NodeRequest): PlainCall | undefined {
  const { headers } = request;
  const method = methods.get(request.url ?? "");
  const authority = "authority" in request ? request.authority : headers.host;
  if (method === undefined || request.method !== "POST" || authority === undefined) return undefined;
  const promisedBytes = lengthOf(headers);
  if (promisedBytes !== undefined && !(promisedBytes <= MAX_MESSAGE_BYTES)) return undefined;
  const dialect = dialectOf(headers, "stream" in request);
  if (dialect === undefined || headers[dialect.encoding] !== undefined) return undefined;
  const { timeoutMs, error } = dialect.timeout;
  if (error !== undefined) return undefined;
  const accepted = textOf(headers, dialect.acceptEncoding);
  const { response } = compressionNegotiate(COMPRESSIONS, null, accepted, dialect.acceptEncoding);
  const { protocol, contentType } = dialect;
  return { method, protocol, contentType, timeoutMs, compression: response, promisedBytes };
}

function dialectOf(headers: IncomingHttpHeaders, isHttp2: boolean) {
  switch (headers["content-type"]) {
    case "application/json":
      return connectDialect(headers, contentTypeUnaryJson);
    case "application/proto":
      return connectDialect(headers, contentTypeUnaryProto);
    case "application/grpc":
    case "application/grpc+proto":
      return isHttp2 ? grpcDialect(headers) : undefined;
    default:
      return undefined;
  }
}

function connectDialect(headers: IncomingHttpHeaders, contentType: string) {
  if (unknownVersion(textOf(headers, "connect-protocol-version")) !== undefined) return undefined;
  return {
    protocol: "connect" as const,
    contentType,
    encoding: "content-encoding",
    acceptEncoding: "accept-encoding",
    timeout: parseConnectTimeout(textOf(headers, "connect-timeout-ms"), MAX_TIMEOUT_MS),
  };
}

function grpcDialect(headers: IncomingHttpHeaders) {
  return {
    protocol: "grpc" as const,
    contentType: contentTypeProto,
    encoding: "grpc-encoding",
    acceptEncoding: "grpc-accept-encoding",
    timeout: parseGrpcTimeout(textOf(headers, "grpc-timeout"), MAX_TIMEOUT_MS),
  };
}

/** NaN when it cannot be read. */
function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["content-length"];
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function textOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}

/**
 * Parses the message of a complete body. Returns undefined if it is malformed. A small one takes no steps, since most
 * calls are small.
 * @throws Refusal MESSAGE_TOO_COMPLEX or SERVER_BUSY for a binary message that would become too many objects
 */
export function messageOf(
  { method, protocol, contentType, promisedBytes }: PlainCall,
  body: Uint8Array,
  { scheduler, account }: { readonly scheduler: CooperativeScheduler; readonly account: ByteAccount },
): Request | undefined | Promise<Request | undefined> {
  if (promisedBytes !== undefined && promisedBytes !== body.length) return undefined;
  const bytes = protocol === "grpc" ? envelopeContent(body) : body;
  if (bytes === undefined) return undefined;
  const form = contentType === contentTypeUnaryJson ? "json" : "binary";
  if (bytes.length < LARGE_BYTES) return smallMessage(method, form, bytes);
  return scheduler.run(messageInSteps({ method, form, bytes }, account));
}

interface MessageBytes {
  readonly method: PlainMethod;
  readonly form: "json" | "binary";
  readonly bytes: Uint8Array;
}

function* messageInSteps({ method, form, bytes }: MessageBytes, account: ByteAccount): Steps<Request | undefined> {
  if (form === "binary") yield* checkWireShape(method.rpc.method.input, bytes, account);
  return yield* largeMessage(largeForm(method.rpc, form === "binary"), bytes);
}

function smallMessage(method: PlainMethod, form: "json" | "binary", bytes: Uint8Array): Request | undefined {
  const parse = () => method.messages.getI(form === "binary").parse(bytes);
  const read = () => readScanned(parse);
  try {
    return method.known === undefined ? read() : method.known[form].get(bytes, read);
  } catch {
    return undefined;
  }
}

/** The message of the only envelope, or undefined if it is compressed. */
function envelopeContent(body: Uint8Array): Uint8Array | undefined {
  if (body.length < ENVELOPE_BYTES || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return length === body.length - ENVELOPE_BYTES ? body.subarray(ENVELOPE_BYTES) : undefined;
}
