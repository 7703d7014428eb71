import type { CoolingMedium, Health, LoadBasis } from "#dc/model/enum_values.ts";
import { COOLING_MEDIUMS } from "#dc/model/enum_values.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { CoolingPreview, FigureChange, Hotspot } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { CoolingBalance, type PlantBalance } from "../cooling/cooling_balance.ts";
import { groupUnitsByArea, listServedAreas } from "../cooling/cooling_units.ts";
import { listZoneHotspots } from "../cooling/thermal_spots.ts";
import { type DeviceLocation, listAreaKeys, sumLocationHeat } from "../places.ts";
import { sumPowerLossesW } from "../power/power_load.ts";
import { createHotspotReasons, findWorstReason } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import { compareElementFigures, type Figures, type HealthChange, sortWorstFirst } from "./figures.ts";
import type { FindingComparison } from "./findings.ts";

type CoolingFigureName = Exclude<keyof CoolingPreview, keyof HealthChange | "medium">;

/** An area served by cooling units whose figures for one medium differ after changes. */
export type CoolingChange = HealthChange & { readonly medium: CoolingMedium } & Readonly<
    Partial<Record<CoolingFigureName, FigureChange>>
  >;

/** Number of units kept in reserve: the default of ThermalHeadroom. */
const RESERVE_UNITS = 1;

/**
 * Compares heat, usable capacity and reserve of the areas that cooling units serve. Cost: O(locations), and more
 * for the areas that share a unit with a changed one.
 */
export function* listCoolingChanges(
  before: Topology,
  after: Topology,
  basis: LoadBasis,
  findings: FindingComparison,
): Steps<readonly CoolingChange[]> {
  const sides = [new CoolingState(before, basis), new CoolingState(after, basis)] as const;
  yield;
  const reached = collectAffectedAreas(sides, collectHeatedAreas(before, after, basis));
  const found: CoolingChange[] = [];
  for (const [key, ref] of new Map(sides.flatMap((side) => [...side.yieldServedRefs(reached)]))) {
    yield;
    const [was, is] = [sides[0].listAreaHotspots(key, ref), sides[1].listAreaHotspots(key, ref)];
    findings.compareReasons(createHotspotReasons(was), createHotspotReasons(is), 0);
    for (const medium of COOLING_MEDIUMS) {
      const change = compareAreaCooling(
        ref,
        medium,
        sides[0].computeAreaBalance(key, ref, medium),
        sides[1].computeAreaBalance(key, ref, medium),
      );
      if (change !== undefined) found.push(change);
    }
  }
  return sortWorstFirst(found, ({ headroomKw }) => -(headroomKw?.after ?? 0));
}

/** Matches the key of an area other than a site; groups: kind, site, and floor. */
const AREA_KEY_PATTERN = /^(floor|room|row|zone):([^/]*)\/([^/]*)/;

/** Cooling of the site in one of two states. */
class CoolingState {
  readonly topology: Topology;
  readonly balance: CoolingBalance;

  constructor(topology: Topology, basis: LoadBasis) {
    this.topology = topology;
    this.balance = new CoolingBalance(topology, { basis, reserveUnits: RESERVE_UNITS, failedCracCodes: [] });
  }

  listServingUnits(area: string): readonly Crac[] {
    return groupUnitsByArea(this.topology.inventory.cracs).get(area) ?? [];
  }

  /** Yields the keys whose area a unit serves, with the area's reference as written. */
  *yieldServedRefs(keys: Iterable<string>): Generator<readonly [key: string, ref: string]> {
    for (const key of keys) {
      const ref = this.listServingUnits(key)[0]?.serves?.find((text) => text.toLowerCase() === key);
      if (ref !== undefined) yield [key, ref];
    }
  }

  /**
   * Yields keys of the area, its floor and its site, and of all areas that contain one of its locations. The first
   * three come from the key itself, because the area may have no location.
   */
  *yieldRelatedAreas(area: string): Generator<string> {
    yield area;
    const [, kind, site, floor] = AREA_KEY_PATTERN.exec(area) ?? [];
    if (kind !== undefined) yield* [`site:${site}`, `floor:${site}/${floor}`];
    for (const at of this.balance.listLocationsInArea(area)) yield* this.balance.getLocation(at)?.areas ?? [];
  }

  /** Returns the balance of an area; undefined if no unit of this state serves the area. */
  computeAreaBalance(key: string, ref: string, medium: CoolingMedium): PlantBalance | undefined {
    const area = this.listServingUnits(key).length === 0 ? undefined : parseRef(ref);
    const balance = area && this.balance.computeBalance(area, medium);
    return balance?.units === 0 && balance.heatKw === 0 ? undefined : balance;
  }

  listAreaHotspots(key: string, ref: string): readonly Hotspot[] {
    return COOLING_MEDIUMS.flatMap((medium) => {
      const balance = this.computeAreaBalance(key, ref, medium);
      return balance === undefined ? [] : listZoneHotspots(ref, medium, balance);
    });
  }
}

/**
 * Returns keys of the areas whose locations were added, removed or have different heat. Empty locations matter because
 * they connect units with areas.
 */
function collectHeatedAreas(before: Topology, after: Topology, basis: LoadBasis): ReadonlySet<string> {
  const [had, has] = [before.listLocations(), after.listLocations()].map((places) => new Set(places));
  if (had === undefined || has === undefined) return new Set();
  // A location stays the same object while its devices do.
  const gone = new Map([...had.difference(has)].map((place) => [formatLocationKey(place), place]));
  const areas = new Set<string>();
  const addAreas = (place: DeviceLocation) => {
    for (const area of place.areas) areas.add(area);
  };
  for (const place of has) {
    const was = had.has(place) ? place : gone.get(formatLocationKey(place));
    gone.delete(formatLocationKey(place));
    if (was === undefined || formatHeat(was, before, basis) !== formatHeat(place, after, basis)) addAreas(place);
  }
  for (const place of gone.values()) addAreas(place);
  return areas;
}

function formatLocationKey({ areas }: DeviceLocation): string {
  return [...areas].join("\n");
}

function formatHeat(place: DeviceLocation, topology: Topology, basis: LoadBasis): string {
  const { airW, liquidW } = sumLocationHeat(place, basis);
  return `${airW} ${liquidW} ${place.lossy.length === 0 ? 0 : sumPowerLossesW(place.lossy, topology, basis)}`;
}

/**
 * Returns keys of the areas whose balance may differ: areas with different heat, and areas that share a unit with
 * these. Heat that a unit rejects into the air elsewhere affects further areas.
 */
function collectAffectedAreas(
  sides: readonly [CoolingState, CoolingState],
  start: ReadonlySet<string>,
): ReadonlySet<string> {
  const [was, is] = sides.map(({ topology }) => new Set(topology.inventory.cracs));
  const changed = [...(was?.symmetricDifference(is ?? new Set<Crac>()) ?? [])];
  const warmed = new Set(start);
  const reached = new Set<string>();
  const seen = new Set<Crac>();
  const addUnitAreas = (crac: Crac, isChanged: boolean) => {
    if (seen.has(crac)) return;
    seen.add(crac);
    for (const area of new Set(
      listServedAreas(crac).flatMap((one) => sides.flatMap((side) => [...side.yieldRelatedAreas(one)])),
    )) {
      reached.add(area);
      // A changed unit takes heat from other units, or shifts heat to them.
      if (isChanged) warmed.add(area);
    }
    if (crac.heatRejection !== "AIR" || crac.location === undefined) return;
    for (const area of listAreaKeys({ location: crac.location })) warmed.add(area);
  };
  for (const crac of changed) addUnitAreas(crac, true);
  // The loop adds to the set while it iterates, so the set also serves as the queue.
  for (const area of warmed) {
    reached.add(area);
    for (const side of sides) for (const crac of side.listServingUnits(area)) addUnitAreas(crac, false);
  }
  return reached;
}

function compareAreaCooling(
  ref: string,
  medium: CoolingMedium,
  was: PlantBalance | undefined,
  is: PlantBalance | undefined,
): CoolingChange | undefined {
  const { figures, isDifferent } = compareElementFigures(
    was && selectCoolingFigures(was),
    is && selectCoolingFigures(is),
  );
  if (!isDifferent) return undefined;
  return {
    ref,
    medium,
    ...figures,
    ...(was !== undefined && { healthBefore: rateAreaCooling(ref, medium, was) }),
    ...(is !== undefined && { healthAfter: rateAreaCooling(ref, medium, is) }),
  };
}

function selectCoolingFigures({ heatKw, usableKw, reserveKw, headroomKw }: PlantBalance): Figures<CoolingFigureName> {
  return { heatKw, usableKw, reserveKw, headroomKw };
}

function rateAreaCooling(ref: string, medium: CoolingMedium, balance: PlantBalance): Health {
  return findWorstReason(createHotspotReasons(listZoneHotspots(ref, medium, balance)));
}
