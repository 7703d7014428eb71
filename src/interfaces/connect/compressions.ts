import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { refuse } from "#dc/model/refusal.ts";
import { convertToConnectError } from "./errors.ts";
import { prepareDecompressed } from "./json_reading.ts";
import { computeMaxInflatedBytes, MAX_GROWTH_RATIO } from "./limits.ts";

/** Supported message compressions. They reject a small request that expands to megabytes. */
export const COMPRESSIONS: Compression[] = [compressionGzip, compressionBrotli].map((inner) => ({
  ...inner,
  decompress: async (bytes, readMaxBytes) => {
    const limit = computeMaxInflatedBytes(bytes.length);
    const inflated = await inner.decompress(bytes, Math.min(limit, readMaxBytes)).catch((error: unknown) => {
      const isTooMuch = error instanceof ConnectError && error.code === Code.ResourceExhausted;
      throw isTooMuch && limit < readMaxBytes ? createExpansionError() : error;
    });
    return prepareDecompressed(inflated);
  },
}));

function createExpansionError(): ConnectError {
  const message = `Cannot read the compressed request: it grows to more than ${MAX_GROWTH_RATIO} times its size`;
  return convertToConnectError(refuse("MESSAGE_TOO_COMPLEX", message), () => {});
}
