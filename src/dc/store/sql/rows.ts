import { codeKey } from "#dc/model/code.ts";
import { getDrawW } from "#dc/model/draw.ts";
import { getResourceKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, DeviceBody, Port, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { getTextColumn, type SqlRow, type SqlValue } from "./sql_runner.ts";

// Conversion between rows and resources. Columns for sorting or filtering are never null, so that one comparison
// covers all rows.

export type RowColumns = Readonly<Record<string, SqlValue>>;

/** Returns the columns of a resource's row, including the columns of the stored metadata. */
export function createResourceColumns<Kind extends ResourceKind>(
  kind: Kind,
  stored: StoredVersion<ResourceByKind[Kind]>,
): RowColumns {
  const { resource, etag, createTime, updateTime } = stored;
  return {
    key: getResourceKey(resource),
    ...LOOKUP_COLUMNS[kind](resource as never),
    body: formatCanonicalJson(removeResourcePorts(resource)),
    etag,
    create_time: createTime,
    update_time: updateTime,
  };
}

function removeResourcePorts(resource: object): object {
  if (!("ports" in resource)) return resource;
  const { ports: _, ...rest } = resource;
  return rest;
}

const LOOKUP_COLUMNS: { readonly [Kind in ResourceKind]: (resource: ResourceByKind[Kind]) => RowColumns } = {
  rack: ({ code, assetTag, location }: Rack) => ({
    code,
    asset_tag: assetTag ?? null,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
  }),
  device: createDeviceColumns,
  crac: ({ code, location, rackCode }: Crac) => ({
    code,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    rack_key: codeKey(rackCode ?? ""),
  }),
  cable: () => ({}),
  fabric_link: () => ({}),
};

function createDeviceColumns(device: Device): RowColumns {
  const { code, location } = device;
  return {
    code,
    name: device.name ?? "",
    kind: device.kind,
    role: device.role ?? "",
    status: device.status ?? "",
    asset_tag: device.assetTag ?? null,
    manufacturer: (device.manufacturer ?? "").toLowerCase(),
    model: (device.model ?? "").toLowerCase(),
    search_text: formatSearchText(device),
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    room: codeKey(location?.room ?? ""),
    lane: codeKey(location?.row ?? ""),
    rack_key: codeKey(device.rackCode ?? ""),
    rack_code: device.rackCode ?? "",
    position_u: device.positionU ?? -1,
    parent_key: codeKey(device.parentDeviceCode ?? ""),
    draw_w: getStoredDrawW(device),
    inlets: (device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length,
  };
}

/** Returns the value of the column `draw_w`: -1 for a draw that is not recorded, which no condition matches. */
function getStoredDrawW(device: Device): number {
  return getDrawW(device, "ALLOCATED") ?? -1;
}

/** Returns the text that a search matches. Its fields are separated, so that no match spans two fields. */
export function formatSearchText({ code, name, serial, assetTag, model }: DeviceBody): string {
  return [code, name, serial, assetTag, model]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}

/** Returns a row's resource with the metadata of the row. */
export function addStoredMetadata<Resource>(row: SqlRow, resource: Resource): StoredVersion<Resource> {
  return {
    resource,
    etag: getTextColumn(row, "etag"),
    createTime: getTextColumn(row, "create_time"),
    updateTime: getTextColumn(row, "update_time"),
  };
}

export function parseResourceBody<Resource>(row: SqlRow): Resource {
  return JSON.parse(getTextColumn(row, "body"));
}

/** Returns a device with these ports; without the field if there are no ports. */
export function addDevicePorts(body: DeviceBody, ports: readonly Port[]): Device {
  return ports.length === 0 ? body : { ...body, ports };
}
