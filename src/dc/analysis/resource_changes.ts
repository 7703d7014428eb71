import { codeKey } from "#dc/model/code.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { findItemByKey } from "./sorted_list.ts";

export interface ResourceChange<Resource> {
  readonly key: string;
  readonly before?: Resource | undefined;
  readonly after?: Resource | undefined;
}

/** Pairs resources before and after a change: those under changed keys, and all that were read after the change. */
export function listResourceChanges<Resource>(
  list: readonly Resource[],
  keys: readonly string[],
  read: readonly Resource[],
  getKey: (resource: Resource) => string,
): readonly ResourceChange<Resource>[] {
  const after = new Map(read.map((resource) => [getKey(resource), resource]));
  return [...new Set([...keys, ...after.keys()])]
    .map((key) => ({ key, before: findItemByKey(list, key, getKey), after: after.get(key) }))
    .filter((change) => change.before !== undefined || change.after !== undefined);
}

/** Returns keys of the racks that a device was in before and is in after a change. */
export function listChangedRackKeys({ before, after }: ResourceChange<Device>): readonly string[] {
  return [before, after].flatMap((device) => (device?.rackCode === undefined ? [] : codeKey(device.rackCode)));
}

/** Whether a change can alter which nodes have power or any load. A new name or position cannot. */
export function canChangePower({ before, after }: ResourceChange<Device | Crac>): boolean {
  return formatPowerFields(before) !== formatPowerFields(after);
}

function formatPowerFields(owner: Device | Crac | undefined): string {
  if (owner === undefined) return "";
  if (isCrac(owner)) return formatCanonicalJson(owner);
  const { maxDrawW, allocatedDrawW, measuredDrawW, powerFactor } = owner;
  return formatCanonicalJson({
    maxDrawW,
    allocatedDrawW,
    measuredDrawW,
    powerFactor,
    supply: formatSupplyFields(owner),
  });
}

/** Whether a change can alter which nodes have power or how loads are divided, not only the draw of a device. */
export function canChangeSupply(change: ResourceChange<Device | Crac>): boolean {
  const { before, after } = change;
  if (before === undefined || after === undefined) return true;
  return isCrac(before) || isCrac(after)
    ? canChangePower(change)
    : formatSupplyFields(before) !== formatSupplyFields(after);
}

/** Whether the change of a device can alter data paths: it is new, removed, of another kind, or a patch panel. */
export function canChangeDataPaths({ before, after }: ResourceChange<Device>): boolean {
  return before?.kind !== after?.kind || after?.kind === "PATCH_PANEL";
}

function isCrac(owner: Device | Crac): owner is Crac {
  return "sensibleCapacityKw" in owner;
}

function formatSupplyFields({ kind, status, power, ports, parentDeviceCode, bay, mount }: Device): string {
  return formatCanonicalJson({ kind, status, power, ports, parentDeviceCode, bay, mount });
}
