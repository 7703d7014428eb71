import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { refuse } from "#dc/model/refusal.ts";
import { createSizeRefusal } from "./body_meter.ts";
import { convertToConnectError } from "./errors.ts";
import { computeMaxInflatedBytes, MAX_GROWTH_RATIO, MAX_MESSAGE_BYTES } from "./limits.ts";

/** Supported message compressions. They reject a small request that expands to megabytes. */
export const COMPRESSIONS: Compression[] = [compressionGzip, compressionBrotli].map((inner) => ({
  ...inner,
  decompress: async (bytes, readMaxBytes) => {
    const limit = Math.min(computeMaxInflatedBytes(bytes.length), readMaxBytes);
    return inner.decompress(bytes, limit).catch((error: unknown) => {
      throw createExpansionError(inner.name, limit, error);
    });
  },
}));

/** Names of the supported compressions. */
export const ENCODINGS: readonly string[] = COMPRESSIONS.map(({ name }) => name);

function createExpansionError(coding: string, limit: number, error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  const why = `it grows to more than ${MAX_GROWTH_RATIO} times its size`;
  const refusal =
    error.code !== Code.ResourceExhausted
      ? refuse("MALFORMED_MESSAGE", `Cannot decompress the message: expected ${coding}, as the header names it`)
      : limit < MAX_MESSAGE_BYTES
        ? refuse("MESSAGE_TOO_COMPLEX", `Cannot read the compressed request: ${why}`)
        : createSizeRefusal(MAX_MESSAGE_BYTES);
  return convertToConnectError(refusal, () => {});
}
