import { codeKey } from "#dc/model/code.ts";
import type { Device } from "#dc/model/resources.ts";

/** Groups devices by their rack once; the answer looks a rack up by its code. Cost: O(devices). */
export function byRack(devices: readonly Device[]): (rackCode: string) => readonly Device[] {
  const racks = new Map<string, Device[]>();
  for (const device of devices) {
    if (device.rackCode === undefined) continue;
    const key = codeKey(device.rackCode);
    const list = racks.get(key);
    if (list === undefined) racks.set(key, [device]);
    else list.push(device);
  }
  return (rackCode) => racks.get(codeKey(rackCode)) ?? [];
}
