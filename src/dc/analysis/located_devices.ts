import { codeKey } from "#dc/model/code.ts";
import type { Device } from "#dc/model/resources.ts";
import type { ResourceChange } from "./resource_changes.ts";
import { applyListEdits } from "./sorted_list.ts";

/** Devices grouped by rack, each list sorted by key. */
export interface LocatedDevices {
  /** Devices in racks by the key of the rack. */
  readonly racked: ReadonlyMap<string, readonly Device[]>;
  /** Devices outside of racks, sorted by key. */
  readonly unracked: readonly Device[];
}

/** Groups devices by rack. @param devices sorted by key */
export function groupDevicesByRack(devices: readonly Device[]): LocatedDevices {
  const racked = Map.groupBy(devices, ({ rackCode = "" }) => codeKey(rackCode));
  const unracked = racked.get("") ?? [];
  racked.delete("");
  return { racked, unracked };
}

/** Returns the groups after changes of devices. Cost: a copy of the map of racks, and of the lists that change. */
export function updateDeviceGroups(
  { racked, unracked }: LocatedDevices,
  changes: readonly ResourceChange<Device>[],
): LocatedDevices {
  const lists = new Map(racked);
  const outside: ResourceChange<Device>[] = [];
  for (const { key, before, after } of changes) {
    const [from, to] = [before, after].map((device) => device && codeKey(device.rackCode ?? ""));
    for (const rack of new Set([from, to])) {
      const edit = { key, after: rack === to ? after : undefined };
      if (rack === "") outside.push(edit);
      else if (rack !== undefined) lists.set(rack, applyListEdits(lists.get(rack) ?? [], [edit], getDeviceKey));
    }
  }
  return { racked: lists, unracked: applyListEdits(unracked, outside, getDeviceKey) };
}

function getDeviceKey({ code }: Device): string {
  return codeKey(code);
}
