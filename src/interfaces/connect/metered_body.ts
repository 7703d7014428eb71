import { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { OperationError } from "#kernel/errors.ts";
import {
  BodyMeter,
  checkAndChargeBinary,
  checkAndChargeJson,
  createUploadAbortedError,
  isEncoded,
} from "./body_meter.ts";
import { convertToConnectError } from "./errors.ts";
import { readLargeInSteps } from "./json_reading.ts";
import { ENVELOPE_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";

type ByteStream = AsyncIterable<Uint8Array>;

/** Returns a request's body, charged and checked while the library reads it. Returns bodies of streams unchanged. */
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
  // An enveloped message may be uncompressed even if the header names a compression.
  if (isCompressed && !isEnveloped) return meterChunks(body, meter);
  const whole = async (bytes: Uint8Array) => {
    const message = isEnveloped ? extractUncompressed(bytes) : bytes;
    if (message === undefined) return bytes;
    if (isBinaryRequest(header)) await meter.scheduler.run(checkAndChargeBinary(method.input, message, account));
    else if (isEnveloped) await meter.scheduler.run(checkAndChargeJson(message, account));
    // The library refuses malformed bytes.
    if (isEnveloped && !isSingleEnvelope(bytes)) return bytes;
    const read = await readLargeInSteps(message);
    if (read === message) return bytes;
    return isEnveloped ? encodeEnvelope(0, read) : read;
  };
  return meterChunks(body, meter, {
    prepareBody: whole,
    maxBytes: MAX_MESSAGE_BYTES + (isEnveloped ? ENVELOPE_BYTES : 0),
  });
}

/** Whether the body is JSON without envelopes. */
export function isPlainJson(header: Headers): boolean {
  return (header.get("content-type") ?? "").startsWith("application/json");
}

/** Whether a request's messages are binary rather than JSON. */
export function isBinaryRequest(header: Headers): boolean {
  return !/json/i.test(header.get("content-type") ?? "");
}

/** Returns the content of an envelope; undefined if it is compressed. */
function extractUncompressed(bytes: Uint8Array): Uint8Array | undefined {
  return (bytes[0] ?? 0) % 2 === 0 ? bytes.subarray(ENVELOPE_BYTES) : undefined;
}

/** Whether an envelope announces exactly as many bytes as follow it. */
function isSingleEnvelope(bytes: Uint8Array): boolean {
  if (bytes.length < ENVELOPE_BYTES) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(1) === bytes.length - ENVELOPE_BYTES;
}

interface WholeBodyCheck {
  /** Maximum size of a body, in bytes. */
  readonly maxBytes: number;
  /** Checks the whole body and returns the bytes for the library to parse. */
  readonly prepareBody: (bytes: Uint8Array) => Promise<Uint8Array>;
}

async function* meterChunks(body: ByteStream, meter: BodyMeter, read?: WholeBodyCheck): AsyncGenerator<Uint8Array> {
  const seen: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      await meter.chargeAndScan(chunk);
      length += chunk.length;
      seen.push(chunk);
      // The library refuses a body that is too large, and stops reading.
      if (read === undefined || length > read.maxBytes) yield* seen.splice(0);
    }
    meter.chargeParsing();
    await meter.scheduler.yieldIfDue();
    if (seen.length > 0 && read !== undefined) yield await read.prepareBody(Buffer.concat(seen));
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
