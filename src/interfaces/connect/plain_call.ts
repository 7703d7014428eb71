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
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { checkAndChargeBinary, LARGE_BODY_BYTES } from "./body_meter.ts";
import { findUnsupportedVersion } from "./call_headers.ts";
import { COMPRESSIONS } from "./compressions.ts";
import { BINARY_OPTIONS, createMessageFormat, JSON_OPTIONS } from "./json_options.ts";
import { type MessageFormat, readMessage } from "./large_message.ts";
import { ENVELOPE_BYTES, MAX_MESSAGE_BYTES, MAX_TIMEOUT_MS } from "./limits.ts";
import type { NodeRequest } from "./node_http.ts";

/** Maximum size of a cached body, in bytes. Our choice: read requests are small. */
const MAX_CACHED_BODY_BYTES = 1024;
/** Maximum number of bodies in each half of the cache; a full half replaces the older one. Our choice. */
const MAX_CACHED_BODIES = 200;

/** Cache of decoded messages, never modified, by their bytes: consoles and agents repeat the same requests. */
class DecodedMessageCache<Message> {
  #young = new Map<string, Message>();
  #old = new Map<string, Message>();

  /** @throws the error of `read`, which is not cached */
  getOrRead(body: Uint8Array, read: () => Message): Message {
    if (body.length > MAX_CACHED_BODY_BYTES) return read();
    const key = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const message = this.#old.get(key) ?? read();
    if (this.#young.size >= MAX_CACHED_BODIES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, message);
    return message;
  }
}

type RpcInputMessage = MessageShape<Rpc["method"]["input"]>;

/** One RPC, with the forms of its request and reply messages. */
export interface PlainMethod {
  readonly rpc: Rpc;
  /** Caches for reads only: a repeated write must not get the cached message. */
  readonly caches?: {
    readonly json: DecodedMessageCache<RpcInputMessage>;
    readonly binary: DecodedMessageCache<RpcInputMessage>;
  };
  readonly messages: MethodSerializationLookup<Rpc["method"]["input"], Rpc["method"]["output"]>;
}

/** A call whose headers require no special handling. */
export interface PlainCall {
  readonly method: PlainMethod;
  readonly protocol: "connect" | "grpc";
  /** Content type of the reply. */
  readonly contentType: string;
  readonly timeoutMs: number | undefined;
  readonly compression: Compression | null;
  readonly contentLength: number | undefined;
}

export function mapPlainMethods(): ReadonlyMap<string, PlainMethod> {
  const limits = { readMaxBytes: MAX_MESSAGE_BYTES, writeMaxBytes: MAX_MESSAGE_BYTES };
  return new Map(
    allRpcs.map((rpc): [string, PlainMethod] => [
      `/${rpc.method.parent.typeName}/${rpc.method.name}`,
      {
        rpc,
        messages: createMethodSerializationLookup(rpc.method, BINARY_OPTIONS, JSON_OPTIONS, limits),
        ...(rpc.effect === "read" && {
          caches: { json: new DecodedMessageCache(), binary: new DecodedMessageCache() },
        }),
      },
    ]),
  );
}

/** Recognizes a call by its headers. Returns undefined if any of them is unusual or wrong. */
export function recognizePlainCall(
  methods: ReadonlyMap<string, PlainMethod>,
  request: NodeRequest,
): PlainCall | undefined {
  const { headers } = request;
  const method = methods.get(request.url ?? "");
  const authority = "authority" in request ? request.authority : headers.host;
  if (method === undefined || request.method !== "POST" || authority === undefined) return undefined;
  const promisedBytes = readContentLength(headers);
  if (promisedBytes !== undefined && !(promisedBytes <= MAX_MESSAGE_BYTES)) return undefined;
  const dialect = findProtocolHeaders(headers, "stream" in request);
  if (dialect === undefined || headers[dialect.encoding] !== undefined) return undefined;
  const { timeoutMs, error } = dialect.timeout;
  if (error !== undefined) return undefined;
  const accepted = readHeaderText(headers, dialect.acceptEncoding);
  const { response } = compressionNegotiate(COMPRESSIONS, null, accepted, dialect.acceptEncoding);
  const { protocol, contentType } = dialect;
  return { method, protocol, contentType, timeoutMs, compression: response, contentLength: promisedBytes };
}

function findProtocolHeaders(headers: IncomingHttpHeaders, isHttp2: boolean) {
  switch (headers["content-type"]) {
    case "application/json":
      return findConnectHeaders(headers, contentTypeUnaryJson);
    case "application/proto":
      return findConnectHeaders(headers, contentTypeUnaryProto);
    case "application/grpc":
    case "application/grpc+proto":
      return isHttp2 ? findGrpcHeaders(headers) : undefined;
    default:
      return undefined;
  }
}

function findConnectHeaders(headers: IncomingHttpHeaders, contentType: string) {
  if (findUnsupportedVersion(readHeaderText(headers, "connect-protocol-version")) !== undefined) return undefined;
  return {
    protocol: "connect" as const,
    contentType,
    encoding: "content-encoding",
    acceptEncoding: "accept-encoding",
    timeout: parseConnectTimeout(readHeaderText(headers, "connect-timeout-ms"), MAX_TIMEOUT_MS),
  };
}

function findGrpcHeaders(headers: IncomingHttpHeaders) {
  return {
    protocol: "grpc" as const,
    contentType: contentTypeProto,
    encoding: "grpc-encoding",
    acceptEncoding: "grpc-accept-encoding",
    timeout: parseGrpcTimeout(readHeaderText(headers, "grpc-timeout"), MAX_TIMEOUT_MS),
  };
}

/** Returns the content length; undefined if the header is absent, NaN if it cannot be parsed. */
function readContentLength(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["content-length"];
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function readHeaderText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}

/**
 * Parses the message of a complete body. Returns undefined for a malformed envelope. A small message is parsed without
 * steps, since most calls are small.
 * @throws Refusal for a message that cannot be read, or that would become too many objects
 */
export function parseCallMessage(
  { method, protocol, contentType, contentLength }: PlainCall,
  body: Uint8Array,
  { scheduler, account }: { readonly scheduler: CooperativeScheduler; readonly account: ByteAccount },
): RpcInputMessage | undefined | Promise<RpcInputMessage | undefined> {
  if (contentLength !== undefined && contentLength !== body.length) return undefined;
  const bytes = protocol === "grpc" ? extractEnvelopeContent(body) : body;
  if (bytes === undefined) return undefined;
  const isBinary = contentType !== contentTypeUnaryJson;
  const format = createMessageFormat(method.rpc, isBinary);
  if (bytes.length >= LARGE_BODY_BYTES) return scheduler.run(readLargeBody(format, bytes, account));
  const read = () => runAllSteps(readMessage(format, bytes)) as RpcInputMessage;
  return method.caches === undefined ? read() : method.caches[isBinary ? "binary" : "json"].getOrRead(bytes, read);
}

function* readLargeBody(format: MessageFormat, bytes: Uint8Array, account: ByteAccount): Steps<RpcInputMessage> {
  if (format.isBinary) yield* checkAndChargeBinary(format.input, bytes, account);
  return (yield* readMessage(format, bytes)) as RpcInputMessage;
}

/** Returns the message in the only envelope of a body; undefined if the message is compressed. */
function extractEnvelopeContent(body: Uint8Array): Uint8Array | undefined {
  if (body.length < ENVELOPE_BYTES || body[0] !== 0) return undefined;
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1);
  return length === body.length - ENVELOPE_BYTES ? body.subarray(ENVELOPE_BYTES) : undefined;
}
