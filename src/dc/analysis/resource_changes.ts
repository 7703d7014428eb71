import { codeKey } from "#dc/model/code.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import { canonicalJson } from "#kernel/canonical_json.ts";
import { itemAt } from "./sorted_list.ts";

export interface Change<Resource> {
  readonly key: string;
  readonly before?: Resource | undefined;
  readonly after?: Resource | undefined;
}

/** Everything that was or is under the keys, and whatever else was read. */
export function edits<Resource>(
  list: readonly Resource[],
  keys: readonly string[],
  read: readonly Resource[],
  keyOf: (resource: Resource) => string,
): readonly Change<Resource>[] {
  const after = new Map(read.map((resource) => [keyOf(resource), resource]));
  return [...new Set([...keys, ...after.keys()])]
    .map((key) => ({ key, before: itemAt(list, key, keyOf), after: after.get(key) }))
    .filter((change) => change.before !== undefined || change.after !== undefined);
}

/** Keys of the racks that a device was in and is in. */
export function racksOf({ before, after }: Change<Device>): readonly string[] {
  return [before, after].flatMap((device) => (device?.rackCode === undefined ? [] : codeKey(device.rackCode)));
}

/** Whether a change can alter who has power or what anything carries; a new name or position cannot. */
export function concernsPower({ before, after }: Change<Device | Crac>): boolean {
  return figuresOf(before) !== figuresOf(after);
}

function figuresOf(owner: Device | Crac | undefined): string {
  if (owner === undefined) return "";
  if (isCrac(owner)) return canonicalJson(owner);
  const { maxDrawW, allocatedDrawW, measuredDrawW, powerFactor } = owner;
  return canonicalJson({ maxDrawW, allocatedDrawW, measuredDrawW, powerFactor, supply: supplyOf(owner) });
}

/** Whether a change can alter who has power or how loads are split, not only what a device draws. */
export function concernsSupply(change: Change<Device | Crac>): boolean {
  const { before, after } = change;
  if (before === undefined || after === undefined) return true;
  return isCrac(before) || isCrac(after) ? concernsPower(change) : supplyOf(before) !== supplyOf(after);
}

function isCrac(owner: Device | Crac): owner is Crac {
  return "sensibleCapacityKw" in owner;
}

function supplyOf({ kind, status, power, ports, parentDeviceCode, bay, mount }: Device): string {
  return canonicalJson({ kind, status, power, ports, parentDeviceCode, bay, mount });
}
