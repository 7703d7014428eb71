import { createModelKey, type TypesByModel } from "#dc/exchange/fill_from_types.ts";
import { formatOriginSpace, type OriginRecord, parseOriginRecord } from "#dc/exchange/merge.ts";
import { codeKey } from "#dc/model/code.ts";
import type { DeviceType } from "#dc/model/device_type.ts";
import { getResourceKey } from "#dc/model/resource_key.ts";
import type { Device, ResourceKind } from "#dc/model/resources.ts";
import { readDocumentPages, readResourcePages } from "#dc/operations/database_pages.ts";
import { readAllDeviceTypes } from "#dc/operations/planning/device_types.ts";
import type { DcReader, DcStore } from "#dc/ports.ts";

/** Resources and device types in a database before an import. */
export interface KnownResources {
  /** Resources from the same source, by id. */
  readonly records: ReadonlyMap<string, OriginRecord>;
  /** Codes of the resources in `records`, by id. */
  readonly codes: ReadonlyMap<string, string>;
  /** Device types of the catalogue. */
  readonly types: TypesByModel;
  /** Keys of codes that resources of other sources have. */
  readonly foreign: {
    readonly rack: ReadonlySet<string>;
    readonly device: ReadonlySet<string>;
    readonly crac: ReadonlySet<string>;
    readonly feed: ReadonlySet<string>;
  };
}

/** Reads the resources of a source and all codes in use. Cost: one pass over racks, devices and cooling units. */
export function readKnownResources(store: DcStore, origin: string): Promise<KnownResources> {
  return store.read(async (reader) => {
    const records = new Map<string, OriginRecord>();
    const space = formatOriginSpace(origin);
    for await (const page of readDocumentPages(reader, space)) {
      for (const { key, body } of page) {
        const record = parseOriginRecord(body);
        if (record !== undefined) records.set(key, record);
      }
    }
    const codes = new Map<string, string>();
    const own: Record<"rack" | "device" | "crac", Set<string>> = {
      rack: new Set(),
      device: new Set(),
      crac: new Set(),
    };
    for (const [id, { kind, named }] of records) {
      if (!("code" in named) || !(kind in own)) continue;
      codes.set(id, named.code);
      own[kind as "rack"].add(codeKey(named.code));
    }
    const rack = await readForeignCodes(reader, "rack", own.rack);
    const crac = await readForeignCodes(reader, "crac", own.crac);
    const feed = new Set<string>();
    const device = await readForeignCodes(reader, "device", own.device, (one) => {
      for (const { powerOut } of (one as Device).ports ?? [])
        if (powerOut?.feedId !== undefined) feed.add(codeKey(powerOut.feedId));
    });
    return { records, codes, types: await readTypesByModel(reader), foreign: { rack, device, crac, feed } };
  });
}

async function readTypesByModel(reader: DcReader): Promise<TypesByModel> {
  const types = new Map<string, DeviceType>();
  for await (const { resource } of readAllDeviceTypes(reader)) {
    const key = createModelKey(resource.manufacturer, resource.model);
    if (key !== undefined) types.set(key, resource);
  }
  return types;
}

async function readForeignCodes(
  reader: DcReader,
  kind: Extract<ResourceKind, "rack" | "device" | "crac">,
  own: ReadonlySet<string>,
  visit: (resource: object) => void = () => {},
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const page of readResourcePages(reader, kind)) {
    for (const resource of page) {
      const key = getResourceKey(resource);
      if (own.has(key)) continue;
      found.add(key);
      visit(resource);
    }
  }
  return found;
}
