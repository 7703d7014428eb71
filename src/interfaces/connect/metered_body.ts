import { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { refuse } from "#dc/model/refusal.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { OperationError } from "#kernel/errors.ts";
import {
  BodyMeter,
  checkAndChargeBinary,
  checkAndChargeJson,
  createSizeRefusal,
  createUploadAbortedError,
  isEncoded,
} from "./body_meter.ts";
import { convertToConnectError } from "./errors.ts";
import { readRequestMessage } from "./json_reading.ts";
import { ENVELOPE_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";

type ByteStream = AsyncIterable<Uint8Array>;

/** Returns a request's body, charged, checked and read before the library reads it. Returns bodies of streams unchanged. */
export function meterBody(
  { method }: UniversalHandler,
  { body, header }: Pick<UniversalServerRequest, "body" | "header">,
  account: ByteAccount,
  peer: object,
): UniversalServerRequest["body"] {
  if (method.methodKind !== "unary" || !isByteStream(body)) return body;
  const type = header.get("content-type") ?? "";
  const isCompressed = isEncoded(header.get("content-encoding")) || isEncoded(header.get("grpc-encoding"));
  // A gRPC envelope has five bytes before the JSON, which a scan would misread.
  const meter = new BodyMeter({ account, isJson: isPlainJson(header), isCompressed, peer });
  const isEnveloped = !isPlainJson(header) && type.startsWith("application/grpc");
  const prepareBody = async (bytes: Uint8Array) => {
    const message = isEnveloped ? extractMessage(bytes, isCompressed) : bytes;
    // An enveloped message may be uncompressed even if the header names a compression. A compressed message is read
    // once the library has decompressed it.
    if (message === undefined || (isCompressed && !isEnveloped)) return bytes;
    if (isBinaryRequest(header)) await meter.scheduler.run(checkAndChargeBinary(method.input, message, account));
    else if (isEnveloped) await meter.scheduler.run(checkAndChargeJson(message, account));
    const read = await readRequestMessage(message);
    if (read === message) return bytes;
    return isEnveloped ? encodeEnvelope(0, read) : read;
  };
  const maxBytes = MAX_MESSAGE_BYTES + (isEnveloped ? ENVELOPE_BYTES : 0);
  return meterChunks(body, meter, { prepareBody, maxBytes });
}

/** Whether the body is JSON without envelopes. */
export function isPlainJson(header: Headers): boolean {
  return (header.get("content-type") ?? "").startsWith("application/json");
}

/** Whether a request's messages are binary rather than JSON. */
export function isBinaryRequest(header: Headers): boolean {
  return !/json/i.test(header.get("content-type") ?? "");
}

/**
 * Returns the message in the only envelope of a body; undefined if it is compressed.
 * @throws Refusal MESSAGE_COUNT unless there is one message, MALFORMED_MESSAGE for a malformed envelope
 */
function extractMessage(bytes: Uint8Array, isEncodingNamed: boolean): Uint8Array | undefined {
  if (bytes.length === 0) throw refuse("MESSAGE_COUNT", "The call has no message: expected one");
  const announced =
    bytes.length < ENVELOPE_BYTES ? undefined : new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
  const found = bytes.length - ENVELOPE_BYTES;
  if (announced === undefined || announced > found) {
    const message = `The envelope of the message announces ${announced ?? "no"} bytes: ${Math.max(0, found)} follow it`;
    throw refuse("MALFORMED_MESSAGE", message);
  }
  if (announced < found) throw refuse("MESSAGE_COUNT", "The call has more than one message: expected one");
  if ((bytes[0] ?? 0) % 2 === 0) return bytes.subarray(ENVELOPE_BYTES);
  if (isEncodingNamed) return undefined;
  throw refuse("MALFORMED_MESSAGE", "The message is marked as compressed: expected its compression in grpc-encoding");
}

interface WholeBodyCheck {
  /** Maximum size of a body, in bytes. */
  readonly maxBytes: number;
  /** Checks the whole body and returns the bytes for the library to parse. */
  readonly prepareBody: (bytes: Uint8Array) => Promise<Uint8Array>;
}

async function* meterChunks(body: ByteStream, meter: BodyMeter, read: WholeBodyCheck): AsyncGenerator<Uint8Array> {
  const seen: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > read.maxBytes) throw createSizeRefusal(MAX_MESSAGE_BYTES);
      await meter.chargeAndScan(chunk);
      seen.push(chunk);
    }
    meter.chargeParsing();
    await meter.scheduler.yieldIfDue();
    yield await read.prepareBody(Buffer.concat(seen));
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    // Any other error comes from the connection.
    if (!(error instanceof OperationError)) throw createUploadAbortedError();
    throw convertToConnectError(error, () => {});
  }
}

/** Charges the bytes of a reply. Returns the reply, or undefined if it does not fit into the budget. */
export async function chargeReply(
  reply: UniversalServerResponse,
  account: ByteAccount,
): Promise<UniversalServerResponse | undefined> {
  if (reply.body === undefined) return reply;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return account.tryCharge(bytes) ? { ...reply, body: yieldChunks(chunks) } : undefined;
}

async function* yieldChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function isByteStream(body: UniversalServerRequest["body"]): body is ByteStream {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
