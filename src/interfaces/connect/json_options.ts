import type { BinaryReadOptions, BinaryWriteOptions, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import { createRequestDecoder } from "./json_reading.ts";
import type { LargeMessageFormat } from "./large_message.ts";

/** JSON options: output has proto names and zero values; input has either spelling. Source: docs/decisions.md#d-02. */
export const JSON_OPTIONS: Partial<JsonReadOptions & JsonWriteOptions> = {
  useProtoFieldName: true,
  alwaysEmitImplicit: true,
  registry: detailRegistry,
};

/** Binary options: unknown fields are discarded, because nothing reads them and two bytes would become an object. */
export const BINARY_OPTIONS: Partial<BinaryReadOptions & BinaryWriteOptions> = { readUnknownFields: false };

/**
 * Returns the JSON options of an RPC. Writes reject unknown fields, so that a typo loses no data. Reads ignore unknown
 * fields, so that newer clients can call older servers.
 */
export function createJsonOptions({ method, effect }: Rpc) {
  const options = { ...JSON_OPTIONS, ignoreUnknownFields: effect === "read" };
  return { ...options, textDecoder: createRequestDecoder(method.input, options) };
}

/** Returns the message type and the decoding options of large requests of an RPC. */
export function createLargeMessageFormat(rpc: Rpc, isBinary: boolean): LargeMessageFormat {
  const options = isBinary ? BINARY_OPTIONS : { ...JSON_OPTIONS, ignoreUnknownFields: rpc.effect === "read" };
  return { input: rpc.method.input, isBinary, options };
}
