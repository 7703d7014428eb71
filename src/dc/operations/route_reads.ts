import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { codeKey, parseRef, REF_GRAMMAR, toRefKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import { DeviceTypeSchema } from "#gen/datacenter/v1/planning_pb.ts";
import { MaintenanceWindowSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { createDeviceTypeMessage, readDeviceType } from "./planning/device_types.ts";
import { createWindowMessage, readWindow } from "./planning/windows/list_windows.ts";
import { RESOURCE_SCHEMAS } from "./writes/changes.ts";
import { convertStoredResource } from "./writes/mutations.ts";

/** Maximum number of references in one request. Our choice: a request's URL stays below 16 KiB. */
export const MAX_STORED_REFS = 50;

const STORED_KINDS: readonly string[] = [...Object.keys(RESOURCE_SCHEMAS), "device_type", "window"];

export interface StoredResource {
  /** The reference as the request spells it. */
  readonly ref: string;
  /** The resource with its etag, as proto JSON with the proto's names; absent if nothing is stored. */
  readonly resource?: JsonObject;
}

/**
 * Reads stored resources for editing: one entry per reference, in the order of the references.
 * @throws Refusal for a reference that names no resource, or for more than MAX_STORED_REFS
 */
export async function readStoredResources(
  reader: DcReader,
  refs: readonly string[],
): Promise<readonly StoredResource[]> {
  if (refs.length > MAX_STORED_REFS) {
    const expected = `at most ${MAX_STORED_REFS}`;
    const detail = { field: "ref", value: refs.length, expected };
    throw refuse("BATCH_TOO_LARGE", `Cannot read ${refs.length} resources at once: expected ${expected}`, detail);
  }
  const found: StoredResource[] = [];
  for (const ref of refs) {
    const resource = await readResourceJson(reader, ref);
    found.push({ ref, ...(resource !== undefined && { resource }) });
  }
  return found;
}

async function readResourceJson(reader: DcReader, text: string): Promise<JsonObject | undefined> {
  const ref = parseRef(text);
  const options = { useProtoFieldName: true };
  if (ref === undefined || !STORED_KINDS.includes(ref.kind)) {
    const expected = STORED_KINDS.map((kind) => REF_GRAMMAR[kind as ResourceKind]).join(", ");
    const message = `Cannot read resource "${text}": expected ${expected}`;
    throw refuse("INVALID_REF", message, { field: "ref", value: text, expected });
  }
  if (ref.kind === "device_type") {
    const stored = await readDeviceType(reader, ref.code);
    return stored && (toJson(DeviceTypeSchema, createDeviceTypeMessage(stored), options) as JsonObject);
  }
  if (ref.kind === "window") {
    const stored = await readWindow(reader, ref.code);
    return stored && (toJson(MaintenanceWindowSchema, createWindowMessage(stored), options) as JsonObject);
  }
  const kind = ref.kind as ResourceKind;
  const stored = await reader.stored(kind, toRefKey(text).slice(kind.length + 1));
  return stored && (toJson(RESOURCE_SCHEMAS[kind], convertStoredResource(kind, stored), options) as JsonObject);
}

export interface InventoryOverview {
  readonly sites: readonly { readonly site_id: string; readonly floors: readonly FloorOverview[] }[];
  readonly fabrics: readonly { readonly fabric_id: string; readonly links: number }[];
  readonly totals: Readonly<Record<"racks" | "devices" | "cracs" | "ports" | "cables" | "fabric_links", number>>;
}

interface FloorOverview {
  readonly floor_ref: string;
  readonly floor_number: number;
  readonly racks: number;
  readonly cracs: number;
  readonly devices: number;
}

/**
 * Lists the names that a new user needs for requests: sites with their floors, the lowest first, and fabrics. Resources
 * without a floor count only in the totals.
 */
export async function readInventoryOverview(reader: DcReader): Promise<InventoryOverview> {
  const { floors, links, cables, ports } = await reader.inventoryCounts();
  const sites = new Map<string, FloorOverview[]>();
  const totals = { racks: 0, devices: 0, cracs: 0, ports, cables, fabric_links: links.length };
  for (const { siteId, floorNumber, rack, crac, device } of floors) {
    totals.racks += rack;
    totals.cracs += crac;
    totals.devices += device;
    if (siteId === "") continue;
    const floor = { floor_ref: `floor:${siteId}/${floorNumber}`, floor_number: floorNumber };
    const list = sites.getOrInsertComputed(siteId, () => []);
    list.push({ ...floor, racks: rack, cracs: crac, devices: device });
  }
  const fabrics = Map.groupBy(links, codeKey);
  return {
    sites: [...sites]
      .sort(([a], [b]) => a.localeCompare(b, "en"))
      .map(([site_id, list]) => ({ site_id, floors: list.sort((a, b) => a.floor_number - b.floor_number) })),
    fabrics: [...fabrics.values()]
      .map((own) => ({ fabric_id: own[0] ?? "", links: own.length }))
      .sort((a, b) => a.fabric_id.localeCompare(b.fabric_id, "en")),
    totals,
  };
}
