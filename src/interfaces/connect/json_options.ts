import type { BinaryReadOptions, BinaryWriteOptions, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import type { MessageFormat } from "./large_message.ts";

/** JSON options: output has proto names and zero values; input has either spelling. Source: docs/decisions.md#d-02. */
export const JSON_OPTIONS: Partial<JsonReadOptions & JsonWriteOptions> = {
  useProtoFieldName: true,
  alwaysEmitImplicit: true,
  registry: detailRegistry,
};

/** Binary options: unknown fields are discarded, because nothing reads them and two bytes would become an object. */
export const BINARY_OPTIONS: Partial<BinaryReadOptions & BinaryWriteOptions> = { readUnknownFields: false };

/**
 * Returns the form of requests of an RPC. Writes reject unknown fields, so that a typo loses no data. Reads ignore
 * unknown fields, so that newer clients can call older servers.
 */
export function createMessageFormat({ method, effect }: Rpc, isBinary: boolean): MessageFormat {
  const options = isBinary ? BINARY_OPTIONS : { ...JSON_OPTIONS, ignoreUnknownFields: effect === "read" };
  return { input: method.input, isBinary, options };
}
