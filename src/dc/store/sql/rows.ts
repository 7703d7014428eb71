import { codeKey } from "#dc/model/code.ts";
import { drawW } from "#dc/model/draw.ts";
import { resourceKey } from "#dc/model/resource_key.ts";
import type { Crac, Device, DeviceBody, Port, Rack, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { StoredVersion } from "#dc/ports.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { type SqlRow, type SqlValue, text } from "./sql_runner.ts";

// Between rows and resources. A column that orders or filters is never null, so that one comparison serves all rows.

export type Columns = Readonly<Record<string, SqlValue>>;

/** The columns of a resource's row, the kept ones included. */
export function columnsOf<Kind extends ResourceKind>(kind: Kind, stored: StoredVersion<ResourceByKind[Kind]>): Columns {
  const { resource, etag, createTime, updateTime } = stored;
  return {
    key: resourceKey(resource),
    ...looked[kind](resource as never),
    body: formatCanonicalJson(withoutPorts(resource)),
    etag,
    create_time: createTime,
    update_time: updateTime,
  };
}

function withoutPorts(resource: object): object {
  if (!("ports" in resource)) return resource;
  const { ports: _, ...rest } = resource;
  return rest;
}

const looked: { readonly [Kind in ResourceKind]: (resource: ResourceByKind[Kind]) => Columns } = {
  rack: ({ code, assetTag, location }: Rack) => ({
    code,
    asset_tag: assetTag ?? null,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
  }),
  device: deviceColumns,
  crac: ({ code, location, rackCode }: Crac) => ({
    code,
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    rack_key: codeKey(rackCode ?? ""),
  }),
  cable: () => ({}),
  fabric_link: () => ({}),
};

function deviceColumns(device: Device): Columns {
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
    search_text: searchText(device),
    site: codeKey(location?.siteId ?? ""),
    floor: location?.floorNumber ?? 0,
    room: codeKey(location?.room ?? ""),
    lane: codeKey(location?.row ?? ""),
    rack_key: codeKey(device.rackCode ?? ""),
    rack_code: device.rackCode ?? "",
    position_u: device.positionU ?? -1,
    parent_key: codeKey(device.parentDeviceCode ?? ""),
    draw_w: drawW(device, "ALLOCATED"),
    inlets: (device.ports ?? []).filter(({ kind }) => kind === "POWER_IN").length,
  };
}

/** Text that a search matches; fields are separated so that no match spans two of them. */
export function searchText({ code, name, serial, assetTag, model }: DeviceBody): string {
  return [code, name, serial, assetTag, model]
    .filter((part) => part !== undefined)
    .join("\n")
    .toLowerCase();
}

/** Data of a row beside the resource. */
export function storedOf<Resource>(row: SqlRow, resource: Resource): StoredVersion<Resource> {
  return {
    resource,
    etag: text(row, "etag"),
    createTime: text(row, "create_time"),
    updateTime: text(row, "update_time"),
  };
}

export function bodyOf<Resource>(row: SqlRow): Resource {
  return JSON.parse(text(row, "body"));
}

/** A device with its ports, which keep the order in which they were given. */
export function withPorts(body: DeviceBody, ports: readonly Port[]): Device {
  return ports.length === 0 ? body : { ...body, ports };
}
