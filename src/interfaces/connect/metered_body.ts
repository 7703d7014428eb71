import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { OperationError } from "#kernel/errors.ts";
import { BodyMeter, checkWireShape, isEncoded, uploadAborted } from "./body_meter.ts";
import { toConnectError } from "./errors.ts";
import { ENVELOPE_BYTES } from "./limits.ts";

type Bytes = AsyncIterable<Uint8Array>;

/** The body of a unary request, charged and checked while the library reads it. Streams send small messages only. */
export function meteredBody(
  { method }: UniversalHandler,
  { body, header }: Pick<UniversalServerRequest, "body" | "header">,
  account: ByteAccount,
  peer: object,
): UniversalServerRequest["body"] {
  if (method.methodKind !== "unary" || !isBytes(body)) return body;
  const type = header.get("content-type") ?? "";
  const isCompressed = isEncoded(header.get("content-encoding")) || isEncoded(header.get("grpc-encoding"));
  // An envelope of gRPC has five bytes before the JSON, which a scan would misread.
  const meter = new BodyMeter({ account, isJson: isPlainJson(header), isCompressed, peer });
  const isEnveloped = type.startsWith("application/grpc");
  // An enveloped message may be uncompressed although the header names a compression.
  const isScanned = isBinary(header) && (isEnveloped || !isCompressed);
  const check = async (bytes: Uint8Array) => {
    const message = isEnveloped ? plainContent(bytes) : bytes;
    if (message !== undefined) await meter.scheduler.run(checkWireShape(method.input, message, account));
  };
  return counted(body, meter, isScanned ? check : undefined);
}

/** Whether the body is JSON without envelopes. */
export function isPlainJson(header: Headers): boolean {
  return (header.get("content-type") ?? "").startsWith("application/json");
}

/** Whether a request's messages are binary rather than JSON. */
export function isBinary(header: Headers): boolean {
  return !/json/i.test(header.get("content-type") ?? "");
}

/** The content of an envelope that is not compressed. */
function plainContent(bytes: Uint8Array): Uint8Array | undefined {
  return (bytes[0] ?? 0) % 2 === 0 ? bytes.subarray(ENVELOPE_BYTES) : undefined;
}

async function* counted(
  body: Bytes,
  meter: BodyMeter,
  check: ((bytes: Uint8Array) => Promise<void>) | undefined,
): AsyncGenerator<Uint8Array> {
  const seen: Uint8Array[] = [];
  try {
    let last: Uint8Array = new Uint8Array();
    for await (const chunk of body) {
      await meter.take(chunk);
      if (check === undefined) yield chunk;
      else {
        // Holds the last piece back until the complete body is checked, because the library parses a message as soon as
        // it is complete.
        seen.push(chunk);
        if (last.length > 0) yield last;
        last = chunk;
      }
    }
    meter.finish();
    await meter.scheduler.yieldIfDue();
    if (check === undefined) return;
    await check(Buffer.concat(seen));
    if (last.length > 0) yield last;
  } catch (error) {
    // Any other error is the connection's.
    if (!(error instanceof OperationError)) throw uploadAborted();
    throw toConnectError(error, () => {});
  }
}

/** The same reply once its bytes are charged, or undefined when they do not fit into the budget. */
export async function chargedReply(
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
  return account.hold(bytes) ? { ...reply, body: pieces(chunks) } : undefined;
}

async function* pieces(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function isBytes(body: UniversalServerRequest["body"]): body is Bytes {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
