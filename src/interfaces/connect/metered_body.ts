import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { OperationError } from "#kernel/errors.ts";
import { BodyMeter, uploadAborted } from "./body_meter.ts";
import { toConnectError } from "./errors.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";

type Bytes = AsyncIterable<Uint8Array>;

/** The body of a unary request, charged and checked while the library reads it. Streams send small messages only. */
export function meteredBody(
  { method }: UniversalHandler,
  { body, header }: Pick<UniversalServerRequest, "body" | "header">,
  account: ByteAccount,
): UniversalServerRequest["body"] {
  if (method.methodKind !== "unary" || !isBytes(body)) return body;
  const type = header.get("content-type") ?? "";
  const isCompressed = [header.get("content-encoding"), header.get("grpc-encoding")].some(
    (encoding) => encoding !== null && encoding !== "identity",
  );
  return counted(
    body,
    new BodyMeter({
      account,
      // An envelope of gRPC has five bytes before the JSON, which a scan would misread.
      isJson: type.startsWith("application/json"),
      inflatesTo: isCompressed ? MAX_MESSAGE_BYTES : undefined,
    }),
  );
}

async function* counted(body: Bytes, meter: BodyMeter): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      meter.take(chunk);
      yield chunk;
    }
    meter.finish();
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
