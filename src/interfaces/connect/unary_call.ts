import {
  type BinaryReadOptions,
  type DescMessage,
  fromBinary,
  type JsonReadOptions,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import {
  type Compression,
  compressionNegotiate,
  encodeEnvelope,
  encodeEnvelopes,
  envelopeCompress,
  type UniversalHandler,
} from "@connectrpc/connect/protocol";
import { grpcStatusOk } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { MiddlewareHandler } from "hono";
import { refuse } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import {
  createUnreadableRefusal,
  readJsonText,
  readJsonValue,
  UnreadableJson,
} from "#dc/operations/messages/json_place.ts";
import type { DcService } from "#dc/service.ts";
import { describeError } from "#kernel/errors.ts";
import { parseJson } from "#kernel/json_object.ts";
import type { ByteAccount } from "#kernel/slots.ts";
import type { Steps } from "#kernel/steps.ts";
import {
  type CallHead,
  COMPRESSIONS,
  checkCallHeaders,
  checkProtocolVersion,
  computeMaxInflatedBytes,
  describeHead,
  hasDisconnected,
  isEncoded,
  MAX_MESSAGE_BYTES,
  type NodeRequest,
  readGetCall,
} from "./call_headers.ts";
import { createDisconnectError } from "./errors.ts";
import type { RouteEnv, WholeReply } from "./kept_replies.ts";
import { checkBinaryShape, checkJsonShape } from "./message_shape.ts";
import { chargeBytes, createScheduler, type FindPrincipal, LARGE_BODY_BYTES, readBody } from "./request.ts";

/** Size of the prefix of a gRPC message, in bytes: one byte of flags and four of length. */
const ENVELOPE_BYTES = 5;
/** Minimum size of a message that is compressed, in bytes. Source: the default of connect. */
export const COMPRESS_MIN_BYTES = 1024;

/**
 * Opens a unary call: authenticates before the body is read, so that an unauthorized caller cannot make the server read
 * one, then reads the bytes of its message. Health and reflection require no principal. Leaves `failure` for the
 * library, which writes errors in the form of each protocol.
 */
export function openCall(
  handler: UniversalHandler,
  { service, findPrincipal }: { readonly service: DcService; readonly findPrincipal: FindPrincipal },
): MiddlewareHandler<RouteEnv> {
  const { method } = handler;
  const rpc = findRpc(method);
  const needsPrincipal = SERVICES.some((one) => one.service === method.parent);
  const authenticate = async (head: CallHead) => {
    checkProtocolVersion(head);
    const principal = needsPrincipal ? await findPrincipal(head.header.get("authorization")) : undefined;
    if (rpc !== undefined) service.demandRole(rpc.effect, rpc.method.name, principal);
    checkCallHeaders(head);
    return principal;
  };
  return async (context, next) => {
    const { incoming, outgoing } = context.env;
    try {
      if (hasDisconnected(incoming, outgoing)) throw createDisconnectError();
      const head = readGetCall(handler, incoming) ?? describeHead(incoming.method ?? "", wrapHeaders(incoming), method);
      if (isAnswerable(handler, head)) {
        context.set("head", head);
        const principal = await authenticate(head);
        context.set("body", await readMessageBytes(head, incoming, context.get("account")));
        context.set("caller", { interface: head.isGrpc ? "GRPC" : "REST", ...(principal && { principal }) });
      }
    } catch (failure) {
      context.set("failure", failure);
    }
    await next();
  };
}

/** Whether the library knows the method of HTTP and the content type; otherwise it refuses the call unread. */
function isAnswerable(handler: UniversalHandler, { verb, header }: CallHead): boolean {
  const type = header.get("content-type") ?? "";
  return handler.allowedMethods.includes(verb) && handler.supportedContentType(type) && !/^\S+-text/.test(type);
}

function wrapHeaders({ headers }: NodeRequest): CallHead["header"] {
  return {
    get: (name) => {
      const value = headers[name];
      return typeof value === "string" ? value : (value?.join(", ") ?? null);
    },
  };
}

/** Reads the message of a call, without its envelope and decompressed, and checks its shape. @throws Refusal */
async function readMessageBytes(head: CallHead, incoming: NodeRequest, account: ByteAccount): Promise<Uint8Array> {
  const { header, method, message, isGrpc: isEnveloped, isBinary } = head;
  const encoding = header.get(isEnveloped ? "grpc-encoding" : "content-encoding");
  const compression = isEncoded(encoding) ? COMPRESSIONS.find(({ name }) => name === encoding) : undefined;
  const isCompressed = compression !== undefined;
  // A gRPC envelope has five bytes before the JSON, which a scan would misread.
  const isJson = !isBinary && !isEnveloped && !isCompressed;
  const limit = MAX_MESSAGE_BYTES + (isEnveloped ? ENVELOPE_BYTES : 0);
  const body = message ?? (await readBody(incoming, { account, limit, isJson }));
  const sent = isEnveloped ? extractMessage(body, isCompressed) : { bytes: body, isCompressed };
  // Charged before it is inflated, so that many small bodies cannot grow at once.
  if (sent.isCompressed) chargeBytes(account, computeMaxInflatedBytes(sent.bytes.length));
  const bytes = sent.isCompressed ? await decompress(sent.bytes, compression) : sent.bytes;
  const isChecked = isBinary ? bytes.length < LARGE_BODY_BYTES : isJson && message === undefined;
  if (!isChecked)
    await createScheduler(incoming).run(isBinary ? checkBinaryShape(method.input, bytes) : checkJsonShape(bytes));
  return bytes;
}

async function decompress(bytes: Uint8Array, compression: Compression | undefined): Promise<Uint8Array> {
  return compression === undefined ? bytes : compression.decompress(new Uint8Array(bytes), MAX_MESSAGE_BYTES);
}

/**
 * Returns the message in the only envelope of a body, and whether it is compressed.
 * @throws Refusal MESSAGE_COUNT unless there is one message, MALFORMED_MESSAGE for a malformed envelope
 */
function extractMessage(body: Uint8Array, isEncodingNamed: boolean) {
  if (body.length === 0) throw refuse("MESSAGE_COUNT", "The call has no message: expected one");
  const announced = body.length < ENVELOPE_BYTES ? undefined : new DataView(body.buffer, body.byteOffset).getUint32(1);
  const found = body.length - ENVELOPE_BYTES;
  if (announced === undefined || announced > found) {
    const message = `The envelope of the message announces ${announced ?? "no"} bytes: ${Math.max(0, found)} follow it`;
    throw refuse("MALFORMED_MESSAGE", message);
  }
  if (announced < found) throw refuse("MESSAGE_COUNT", "The call has more than one message: expected one");
  const isCompressed = (body[0] ?? 0) % 2 !== 0;
  if (isCompressed && !isEncodingNamed)
    throw refuse("MALFORMED_MESSAGE", "The message is marked as compressed: expected its compression in grpc-encoding");
  return { bytes: body.subarray(ENVELOPE_BYTES), isCompressed };
}

/** Type, form and reading options of the messages of one method. */
export interface MessageFormat {
  readonly input: DescMessage;
  readonly isBinary: boolean;
  readonly options: Partial<JsonReadOptions & BinaryReadOptions>;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a request; looks for doubled names of large JSON in steps. @throws Refusal that names what cannot be read */
export function* readMessage({ input, isBinary, options }: MessageFormat, bytes: Uint8Array): Steps<Message> {
  try {
    if (isBinary) return fromBinary(input, bytes, options);
    if (bytes.length < LARGE_BODY_BYTES) return readJsonText(input, utf8.decode(bytes), options);
    const json = yield* parseJson(bytes);
    yield;
    return readJsonValue(input, json as JsonValue, options);
  } catch (error) {
    if (error instanceof UnreadableJson) throw createUnreadableRefusal(error);
    const problem = describeError(error);
    if (isBinary) throw refuse("MALFORMED_MESSAGE", `Cannot read the message: ${problem}`);
    const named = error instanceof SyntaxError ? `cannot decode message ${input.typeName} from JSON: ${problem}` : "";
    throw createUnreadableRefusal(new UnreadableJson(named || String(error), ""));
  }
}

/**
 * Returns a successful reply in the form of the call's protocol. The library's own way to it leads through streams,
 * which cost more than most reads.
 */
export async function encodeReply({ header, isGrpc, isBinary }: CallHead, bytes: Uint8Array): Promise<WholeReply> {
  const form = isBinary ? "proto" : "json";
  const acceptHeader = isGrpc ? "grpc-accept-encoding" : "accept-encoding";
  const { response: coding } = compressionNegotiate(COMPRESSIONS, null, header.get(acceptHeader), acceptHeader);
  const { flags, data } = await envelopeCompress({ flags: 0, data: bytes }, coding, COMPRESS_MIN_BYTES);
  if (!isGrpc) {
    const encoding = flags === 0 ? undefined : { "content-encoding": coding?.name ?? "" };
    const headers = { ...encoding, "content-length": String(data.length), "content-type": `application/${form}` };
    return { status: 200, headers, body: data };
  }
  const isWeb = /^application\/grpc-web/i.test(header.get("content-type") ?? "");
  const headers = {
    "content-type": `application/${isWeb ? "grpc-web" : "grpc"}+${form}`,
    ...(coding && { "grpc-encoding": coding.name }),
  };
  const trailers = { "grpc-status": grpcStatusOk };
  if (!isWeb) return { status: 200, headers, body: encodeEnvelope(flags, data), trailers };
  const end = { flags: trailerFlag, data: trailerSerialize(new Headers(trailers)) };
  return { status: 200, headers, body: encodeEnvelopes({ flags, data }, end) };
}
