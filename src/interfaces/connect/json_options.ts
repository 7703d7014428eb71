import type { BinaryReadOptions, BinaryWriteOptions, JsonReadOptions, JsonWriteOptions } from "@bufbuild/protobuf";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { Rpc } from "#dc/operations/rpc.ts";
import { requestDecoder } from "./json_reading.ts";
import type { LargeForm } from "./large_message.ts";

/** How JSON is read and written: proto names and zero values out; both spellings in. Source: docs/decisions.md#d-02. */
export const JSON_OPTIONS: Partial<JsonReadOptions & JsonWriteOptions> = {
  useProtoFieldName: true,
  alwaysEmitImplicit: true,
  registry: detailRegistry,
};

/** Unknown fields are discarded: they are never read, and two bytes would become an object. */
export const BINARY_OPTIONS: Partial<BinaryReadOptions & BinaryWriteOptions> = { readUnknownFields: false };

/**
 * Unknown fields are rejected in writes, so that a typo loses no data, and ignored in reads, so that newer clients can
 * call older servers.
 */
export function jsonOptions({ method, effect }: Rpc) {
  const options = { ...JSON_OPTIONS, ignoreUnknownFields: effect === "read" };
  return { ...options, textDecoder: requestDecoder(method.input, options) };
}

/** How large requests of an RPC are read. */
export function largeForm(rpc: Rpc, isBinary: boolean): LargeForm {
  const { input } = rpc.method;
  if (isBinary) return { input, isBinary, options: BINARY_OPTIONS };
  return { input, isBinary, options: { ...JSON_OPTIONS, ignoreUnknownFields: rpc.effect === "read" } };
}
