import type { CoolingMedium } from "#dc/model/enum_values.ts";
import type { Crac, Rack } from "#dc/model/resources.ts";
import { areasAround } from "../places.ts";

/** Whether any recorded unit of each medium serves a place, working or not. */
export interface MediaServed {
  readonly air: boolean;
  readonly liquid: boolean;
}

/** Cooling units by the keys of the areas that they serve. */
export type UnitsByArea = ReadonlyMap<string, readonly Crac[]>;

/** The heat that a unit takes. */
export function mediumOf({ kind, medium }: Crac): CoolingMedium {
  return medium ?? (kind === "CDU" ? "LIQUID" : "AIR");
}

/** The capacity of a unit after derating, in kilowatts. */
export function deratedKw({ sensibleCapacityKw, deratePct = 100 }: Crac): number {
  return (sensibleCapacityKw * deratePct) / 100;
}

export function servedAreas({ serves = [] }: Crac): readonly string[] {
  return [...new Set(serves.map((text) => text.toLowerCase()))];
}

const grouped = new WeakMap<readonly Crac[], UnitsByArea>();

/** Groups units by the areas that they serve; the same list is grouped once. */
export function coolingUnits(cracs: readonly Crac[]): UnitsByArea {
  const known = grouped.get(cracs);
  if (known !== undefined) return known;
  const found = new Map<string, Crac[]>();
  for (const crac of cracs) {
    for (const area of servedAreas(crac)) {
      const list = found.get(area);
      if (list === undefined) found.set(area, [crac]);
      else list.push(crac);
    }
  }
  grouped.set(cracs, found);
  return found;
}

const sites = new WeakMap<readonly Crac[], ReadonlySet<string>>();

/** Keys of the sites that have a cooling unit recorded. */
function sitesWithUnits(cracs: readonly Crac[]): ReadonlySet<string> {
  const known = sites.get(cracs) ?? new Set(cracs.flatMap(({ location }) => location?.siteId.toLowerCase() ?? []));
  sites.set(cracs, known);
  return known;
}

/**
 * The media for which a unit serves a rack. In a site without any unit both count as served: its cooling is not
 * recorded, so no rack differs from the others.
 */
export function servedAround(cracs: readonly Crac[], rack: Rack): MediaServed {
  if (!sitesWithUnits(cracs).has(rack.location?.siteId.toLowerCase() ?? "")) return { air: true, liquid: true };
  const units = coolingUnits(cracs);
  let [air, liquid] = [false, false];
  for (const area of areasOfRack(rack)) {
    for (const crac of units.get(area) ?? []) {
      if (mediumOf(crac) === "AIR") air = true;
      else liquid = true;
    }
  }
  return { air, liquid };
}

const rackAreas = new WeakMap<Rack, readonly string[]>();

/** Keys of the areas around a rack; computed once. */
export function areasOfRack(rack: Rack): readonly string[] {
  const known = rackAreas.get(rack);
  if (known !== undefined) return known;
  const { code, location } = rack;
  const made = areasAround({ rackCode: code, ...(location !== undefined && { location }) });
  rackAreas.set(rack, made);
  return made;
}
