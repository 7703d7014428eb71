import type { AreaKind } from "#dc/model/enum_values.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { compareText, parseRef, type Ref } from "#dc/model/ref.ts";
import { isLocatedIn } from "./location_scope.ts";
import { areaAround } from "./places.ts";

/** The areas of a kind around the racks, devices and cooling units in a scope, in the order of references. */
export function areasOf(
  { racks, devices, cracs }: Pick<Inventory, "racks" | "devices" | "cracs">,
  kind: AreaKind,
  scope: Ref | undefined,
): readonly Ref[] {
  const found = new Map<string, Ref>();
  const located = [...racks.map((rack) => ({ ...rack, rackCode: rack.code })), ...devices, ...cracs];
  for (const one of located) {
    if (scope !== undefined && !isLocatedIn(one, scope)) continue;
    const text = areaAround(one, kind);
    const ref = text === undefined || found.has(text.toLowerCase()) ? undefined : parseRef(text);
    if (text !== undefined && ref !== undefined) found.set(text.toLowerCase(), ref);
  }
  return [...found].sort(([a], [b]) => compareText(a, b)).map(([, ref]) => ref);
}
