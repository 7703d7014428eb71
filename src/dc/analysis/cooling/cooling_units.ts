import type { CoolingMedium } from "#dc/model/enum_values.ts";
import type { Crac, Rack } from "#dc/model/resources.ts";
import { listAreaKeys } from "../places.ts";

/** Whether a recorded unit of each medium serves a location, working or not. */
export interface MediaServed {
  readonly air: boolean;
  readonly liquid: boolean;
}

/** Maps keys of the areas that units serve to their references, as the first unit writes them. */
export function mapServedRefs(cracs: readonly Crac[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const ref of cracs.flatMap(({ serves = [] }) => serves)) found.getOrInsert(ref.toLowerCase(), ref);
  return found;
}

/** Cooling units by the keys of the areas that they serve. */
export type UnitsByArea = ReadonlyMap<string, readonly Crac[]>;

/** Returns the medium whose heat a unit removes. */
export function getMedium({ kind, medium }: Crac): CoolingMedium {
  return medium ?? (kind === "CDU" ? "LIQUID" : "AIR");
}

/** Returns the capacity of a unit after derating, in kilowatts. */
export function computeDeratedKw({ sensibleCapacityKw, deratePct = 100 }: Crac): number {
  return (sensibleCapacityKw * deratePct) / 100;
}

export function listServedAreas({ serves = [] }: Crac): readonly string[] {
  return [...new Set(serves.map((text) => text.toLowerCase()))];
}

const unitsByAreaCache = new WeakMap<readonly Crac[], UnitsByArea>();

/** Groups units by the areas that they serve. The result is cached per list. */
export function groupUnitsByArea(cracs: readonly Crac[]): UnitsByArea {
  return unitsByAreaCache.getOrInsertComputed(cracs, () => {
    const found = new Map<string, Crac[]>();
    for (const crac of cracs) for (const area of listServedAreas(crac)) found.getOrInsert(area, []).push(crac);
    return found;
  });
}

const sitesWithUnitsCache = new WeakMap<readonly Crac[], ReadonlySet<string>>();

/** Returns keys of the sites with a recorded cooling unit. */
function collectSitesWithUnits(cracs: readonly Crac[]): ReadonlySet<string> {
  const known =
    sitesWithUnitsCache.get(cracs) ?? new Set(cracs.flatMap(({ location }) => location?.siteId.toLowerCase() ?? []));
  sitesWithUnitsCache.set(cracs, known);
  return known;
}

/**
 * Returns the media for which a unit serves a rack. In a site without any unit both count as served: its cooling is not
 * recorded, so no rack differs from the others.
 */
export function findServedMedia(cracs: readonly Crac[], rack: Rack): MediaServed {
  if (!collectSitesWithUnits(cracs).has(rack.location?.siteId.toLowerCase() ?? "")) return { air: true, liquid: true };
  const units = groupUnitsByArea(cracs);
  let [air, liquid] = [false, false];
  for (const area of listRackAreas(rack)) {
    for (const crac of units.get(area) ?? []) {
      if (getMedium(crac) === "AIR") air = true;
      else liquid = true;
    }
  }
  return { air, liquid };
}

const rackAreasCache = new WeakMap<Rack, readonly string[]>();

/** Returns keys of the areas that contain a rack; computed once. */
export function listRackAreas(rack: Rack): readonly string[] {
  return rackAreasCache.getOrInsertComputed(rack, () => {
    const { code, location } = rack;
    return listAreaKeys({ rackCode: code, ...(location !== undefined && { location }) });
  });
}
