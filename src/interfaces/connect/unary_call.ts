import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import type { MiddlewareHandler } from "hono";
import { refuse } from "#dc/model/refusal.ts";
import { findRpc, SERVICES } from "#dc/operations/index.ts";
import type { DcService } from "#dc/service.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import {
  BodyMeter,
  checkAndChargeBinary,
  checkAndChargeJson,
  createUploadAbortedError,
  isEncoded,
  LARGE_BODY_BYTES,
} from "./body_meter.ts";
import { type CallHead, checkCallHeaders, checkProtocolVersion, describeHead, readGetCall } from "./call_headers.ts";
import { type FindPrincipal, findConnection } from "./caller.ts";
import { COMPRESSIONS } from "./compressions.ts";
import { readBody } from "./incoming_body.ts";
import { ENVELOPE_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";
import { hasDisconnected, type NodeRequest } from "./node_http.ts";
import type { RouteEnv } from "./whole_reply.ts";

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
    if (rpc !== undefined) service.demandRole(rpc, principal);
    checkCallHeaders(head);
    return principal;
  };
  return async (context, next) => {
    const { incoming, outgoing } = context.env;
    try {
      if (hasDisconnected(incoming, outgoing)) throw createUploadAbortedError();
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
  const isJson = !isBinary && !isEnveloped;
  const isCompressed = compression !== undefined;
  // A gRPC envelope has five bytes before the JSON, which a scan would misread.
  const meter = new BodyMeter({ account, isJson, isCompressed, peer: findConnection(incoming) });
  const limit = MAX_MESSAGE_BYTES + (isEnveloped ? ENVELOPE_BYTES : 0);
  const body = message ?? (await readBody(incoming, meter, limit));
  const sent = isEnveloped ? extractMessage(body, isCompressed) : { bytes: body, isCompressed };
  const bytes = sent.isCompressed ? await decompress(sent.bytes, compression) : sent.bytes;
  if (isBinary && bytes.length <= LARGE_BODY_BYTES) return bytes;
  if (isBinary) await meter.scheduler.run(checkAndChargeBinary(method.input, bytes, account));
  else if (isEnveloped || sent.isCompressed || message !== undefined)
    await meter.scheduler.run(checkAndChargeJson(bytes, account));
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
