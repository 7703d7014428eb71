import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { parseRef, REF_GRAMMAR } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { MaintenanceWindowSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { deviceTypeMessage, storedDeviceType } from "./planning/device_types.ts";
import { storedWindow, windowMessage } from "./planning/windows/stored_windows.ts";
import { SCHEMAS } from "./writes/changes.ts";
import { storedMessage } from "./writes/mutations.ts";

/** References that one request may name. Ours: a request's address stays below 16 KiB. */
export const MAX_STORED_REFS = 50;

const KINDS: readonly string[] = [...Object.keys(SCHEMAS), "device_type", "window"];

export interface StoredResource {
  /** As asked. */
  readonly ref: string;
  /** With its etag, by the names of the wire; absent if nothing is stored. */
  readonly resource?: JsonObject;
}

/**
 * Reads resources as stored, to be changed: one entry per reference, in their order.
 * @throws Refusal for a reference that names no resource, or for more than MAX_STORED_REFS
 */
export async function storedResources(reader: DcReader, refs: readonly string[]): Promise<readonly StoredResource[]> {
  if (refs.length > MAX_STORED_REFS) {
    const expected = `at most ${MAX_STORED_REFS}`;
    const detail = { field: "ref", value: refs.length, expected };
    throw refuse("BATCH_TOO_LARGE", `Cannot read ${refs.length} resources at once: expected ${expected}`, detail);
  }
  const found: StoredResource[] = [];
  for (const ref of refs) {
    const resource = await readStored(reader, ref);
    found.push({ ref, ...(resource !== undefined && { resource }) });
  }
  return found;
}

async function readStored(reader: DcReader, text: string): Promise<JsonObject | undefined> {
  const ref = parseRef(text);
  const options = { useProtoFieldName: true };
  if (ref === undefined || !KINDS.includes(ref.kind)) {
    const expected = KINDS.map((kind) => REF_GRAMMAR[kind as ResourceKind]).join(", ");
    const message = `Cannot read resource "${text}": expected ${expected}`;
    throw refuse("INVALID_REF", message, { field: "ref", value: text, expected });
  }
  if (ref.kind === "device_type") {
    const stored = await storedDeviceType(reader, ref.code);
    return stored && (toJson(DeviceTypeSchema, deviceTypeMessage(stored), options) as JsonObject);
  }
  if (ref.kind === "window") {
    const stored = await storedWindow(reader, ref.code);
    return stored && (toJson(MaintenanceWindowSchema, windowMessage(stored), options) as JsonObject);
  }
  const kind = ref.kind as ResourceKind;
  const stored = await reader.stored(kind, refKey(text).slice(kind.length + 1));
  return stored && (toJson(SCHEMAS[kind], storedMessage(kind, stored), options) as JsonObject);
}
