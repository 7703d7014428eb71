import { codeKey } from "#dc/model/code.ts";
import type { Device } from "#dc/model/resources.ts";
import type { Change } from "./resource_changes.ts";
import { withEdits } from "./sorted_list.ts";

/** Devices by location, each list in the order of keys. */
export interface LocatedDevices {
  /** By the key of the rack. */
  readonly racked: ReadonlyMap<string, readonly Device[]>;
  /** Unracked devices. */
  readonly free: readonly Device[];
}

/** Groups devices, which are in the order of keys, by location. */
export function locate(devices: readonly Device[]): LocatedDevices {
  const racked = new Map<string, Device[]>();
  const free: Device[] = [];
  for (const device of devices) {
    if (device.rackCode === undefined) {
      free.push(device);
      continue;
    }
    const key = codeKey(device.rackCode);
    const list = racked.get(key);
    if (list === undefined) racked.set(key, [device]);
    else list.push(device);
  }
  return { racked, free };
}

/** Returns the locations after changes of devices. Cost: a copy of the racks, and of the lists that change. */
export function relocate({ racked, free }: LocatedDevices, changes: readonly Change<Device>[]): LocatedDevices {
  const lists = new Map(racked);
  const outside: Change<Device>[] = [];
  for (const { key, before, after } of changes) {
    const [from, to] = [before, after].map((device) => device && codeKey(device.rackCode ?? ""));
    for (const rack of new Set([from, to])) {
      const edit = { key, after: rack === to ? after : undefined };
      if (rack === "") outside.push(edit);
      else if (rack !== undefined) lists.set(rack, withEdits(lists.get(rack) ?? [], [edit], keyOf));
    }
  }
  return { racked: lists, free: withEdits(free, outside, keyOf) };
}

function keyOf({ code }: Device): string {
  return codeKey(code);
}
