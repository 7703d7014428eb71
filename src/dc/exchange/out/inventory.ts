import type { Cable, Device, Rack } from "#dc/model/resources.ts";

export interface ExportInventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cables: readonly Cable[];
}

export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

const THERE: readonly (string | undefined)[] = ["ACTIVE", "FAILED", "DECOMMISSIONING"];

/** Whether something can be asked of a device: it is there, and has a network port or no ports recorded. */
export function isReachable({ status, kind, role, ports = [] }: Device): boolean {
  if (!THERE.includes(status) || kind === "PATCH_PANEL" || role === "circuit") return false;
  return ports.length === 0 || ports.some((port) => port.kind === "NETWORK");
}

/** Returns facts of a device that other programs group by, without unknown ones. */
export function factsOf({
  code,
  name,
  kind,
  role,
  status,
  manufacturer,
  model,
  serial,
  location,
  rackCode,
  positionU,
  tenant,
}: Device): Readonly<Record<string, string>> {
  const facts: Readonly<Record<string, string | undefined>> = {
    code,
    name,
    kind,
    role,
    status,
    manufacturer,
    model,
    serial,
    tenant,
    site: location?.siteId,
    floor: location === undefined ? undefined : String(location.floorNumber),
    room: location?.room,
    row: location?.row,
    rack: rackCode,
    position_u: positionU === undefined ? undefined : String(positionU),
  };
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
