import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey, getResourceKey } from "#dc/model/ref.ts";
import type { Cable, ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { ResourceKeys } from "#dc/ports.ts";

/** The part of an inventory that some keys name, with the cables of the devices among them. */
export function reduced({ racks, devices, cracs, cables, fabricLinks }: Inventory, among: ResourceKeys): Inventory {
  const isAmong = (kind: ResourceKind) => {
    const keys = new Set(among[kind]);
    return (resource: ResourceByKind[ResourceKind]) => keys.has(getResourceKey(resource));
  };
  const owners = new Set(among.device);
  const touches = ({ a, b }: Cable) => owners.has(codeKey(a.deviceCode)) || owners.has(codeKey(b.deviceCode));
  const named = isAmong("cable");
  return {
    racks: racks.filter(isAmong("rack")),
    devices: devices.filter(isAmong("device")),
    cracs: cracs.filter(isAmong("crac")),
    cables: cables.filter((cable) => named(cable) || touches(cable)),
    fabricLinks: fabricLinks.filter(isAmong("fabric_link")),
  };
}
