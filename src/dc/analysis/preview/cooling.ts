import type { CoolingMedium, Health, LoadBasis } from "#dc/model/enum_values.ts";
import { COOLING_MEDIUMS } from "#dc/model/enum_values.ts";
import { parseRef } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { CoolingPreview, FigureChange, Hotspot } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { CoolingBalance, type PlantBalance } from "../cooling/cooling_balance.ts";
import { coolingUnits, servedAreas } from "../cooling/cooling_units.ts";
import { zoneHotspots } from "../cooling/thermal_spots.ts";
import { areasAround, type Place, placeHeat } from "../places.ts";
import { sumLossesW } from "../power/power_load.ts";
import { hotspotReasons, overallHealth } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import { compareFigures, type Figures, type Judged, worstFirst } from "./figures.ts";
import type { FindingDifference } from "./findings.ts";

type Name = Exclude<keyof CoolingPreview, keyof Judged | "medium">;

/** An area that cooling units serve whose figures changes alter, for one kind of heat. */
export type CoolingChange = Judged & { readonly medium: CoolingMedium } & Readonly<Partial<Record<Name, FigureChange>>>;

/** Units kept in reserve: the default of ThermalHeadroom. */
const RESERVE_UNITS = 1;

/**
 * Compares the areas that cooling units serve: heat, usable capacity and reserve. Cost: O(places), and the areas that share
 * a unit with what changes.
 */
export function* coolingChanges(
  before: Topology,
  after: Topology,
  basis: LoadBasis,
  findings: FindingDifference,
): Steps<readonly CoolingChange[]> {
  const sides = [new Side(before, basis), new Side(after, basis)] as const;
  yield;
  const reached = areasReached(sides, warmedAreas(before, after, basis));
  const found: CoolingChange[] = [];
  for (const [key, ref] of new Map(sides.flatMap((side) => [...side.named(reached)]))) {
    yield;
    const [was, is] = [sides[0].hotspots(key, ref), sides[1].hotspots(key, ref)];
    findings.compare(hotspotReasons(was), hotspotReasons(is), 0);
    for (const medium of COOLING_MEDIUMS) {
      const change = changeOf(ref, medium, sides[0].balanceOf(key, ref, medium), sides[1].balanceOf(key, ref, medium));
      if (change !== undefined) found.push(change);
    }
  }
  return worstFirst(found, ({ headroomKw }) => -(headroomKw?.after ?? 0));
}

/** The key of an area that is no site: kind, site, and floor. */
const AREA = /^(floor|room|row|zone):([^/]*)\/([^/]*)/;

/** The cooling of one of two states. */
class Side {
  readonly topology: Topology;
  readonly balance: CoolingBalance;

  constructor(topology: Topology, basis: LoadBasis) {
    this.topology = topology;
    this.balance = new CoolingBalance(topology, { basis, reserveUnits: RESERVE_UNITS, failedCracCodes: [] });
  }

  unitsOf(area: string): readonly Crac[] {
    return coolingUnits(this.topology.inventory.cracs).get(area) ?? [];
  }

  /** The areas among some that a unit names as served, by key, each as it is written. */
  *named(keys: Iterable<string>): Generator<readonly [key: string, ref: string]> {
    for (const key of keys) {
      const ref = this.unitsOf(key)[0]?.serves?.find((text) => text.toLowerCase() === key);
      if (ref !== undefined) yield [key, ref];
    }
  }

  /** Keys of the areas around all places inside an area, itself included, and of its floor and site: it may have no place. */
  *areasIn(area: string): Generator<string> {
    yield area;
    const [, kind, site, floor] = AREA.exec(area) ?? [];
    if (kind !== undefined) yield* [`site:${site}`, `floor:${site}/${floor}`];
    for (const at of this.balance.inside(area)) yield* this.balance.place(at)?.areas ?? [];
  }

  /** Undefined for an area that no unit of this state serves. */
  balanceOf(key: string, ref: string, medium: CoolingMedium): PlantBalance | undefined {
    const area = this.unitsOf(key).length === 0 ? undefined : parseRef(ref);
    const balance = area && this.balance.of(area, medium);
    return balance?.units === 0 && balance.heatKw === 0 ? undefined : balance;
  }

  hotspots(key: string, ref: string): readonly Hotspot[] {
    return COOLING_MEDIUMS.flatMap((medium) => {
      const balance = this.balanceOf(key, ref, medium);
      return balance === undefined ? [] : zoneHotspots(ref, medium, balance);
    });
  }
}

/** Keys of the areas around places that come, go, or whose heat differs. An empty place joins units to the areas around it. */
function warmedAreas(before: Topology, after: Topology, basis: LoadBasis): ReadonlySet<string> {
  const [had, has] = [before.places(), after.places()].map((places) => new Set(places));
  if (had === undefined || has === undefined) return new Set();
  // A place stays the same object as long as its devices do.
  const gone = new Map([...had.difference(has)].map((place) => [keyOf(place), place]));
  const areas = new Set<string>();
  const add = (place: Place) => {
    for (const area of place.areas) areas.add(area);
  };
  for (const place of has) {
    const was = had.has(place) ? place : gone.get(keyOf(place));
    gone.delete(keyOf(place));
    if (was === undefined || heatText(was, before, basis) !== heatText(place, after, basis)) add(place);
  }
  for (const place of gone.values()) add(place);
  return areas;
}

function keyOf({ areas }: Place): string {
  return [...areas].join("\n");
}

function heatText(place: Place, topology: Topology, basis: LoadBasis): string {
  const { airW, liquidW } = placeHeat(place, basis);
  return `${airW} ${liquidW} ${place.lossy.length === 0 ? 0 : sumLossesW(place.lossy, topology, basis)}`;
}

/**
 * Keys of the areas whose balance may differ: those whose heat does, and those that share a unit with them. Heat that a
 * unit puts into the air elsewhere reaches further areas.
 */
function areasReached(sides: readonly [Side, Side], start: ReadonlySet<string>): ReadonlySet<string> {
  const [was, is] = sides.map(({ topology }) => new Set(topology.inventory.cracs));
  const changed = [...(was?.symmetricDifference(is ?? new Set<Crac>()) ?? [])];
  const warmed = new Set(start);
  const reached = new Set<string>();
  const seen = new Set<Crac>();
  const take = (crac: Crac, isChanged: boolean) => {
    if (seen.has(crac)) return;
    seen.add(crac);
    for (const area of new Set(servedAreas(crac).flatMap((one) => sides.flatMap((side) => [...side.areasIn(one)])))) {
      reached.add(area);
      // Other units take over from one that changes, or give up to it.
      if (isChanged) warmed.add(area);
    }
    if (crac.heatRejection !== "AIR" || crac.location === undefined) return;
    for (const area of areasAround({ location: crac.location })) warmed.add(area);
  };
  for (const crac of changed) take(crac, true);
  // The set grows while it is walked, so it is the queue as well.
  for (const area of warmed) {
    reached.add(area);
    for (const side of sides) for (const crac of side.unitsOf(area)) take(crac, false);
  }
  return reached;
}

function changeOf(
  ref: string,
  medium: CoolingMedium,
  was: PlantBalance | undefined,
  is: PlantBalance | undefined,
): CoolingChange | undefined {
  const { figures, differs } = compareFigures(was && figuresOf(was), is && figuresOf(is));
  if (!differs) return undefined;
  return {
    ref,
    medium,
    ...figures,
    ...(was !== undefined && { healthBefore: healthOf(ref, medium, was) }),
    ...(is !== undefined && { healthAfter: healthOf(ref, medium, is) }),
  };
}

function figuresOf({ heatKw, usableKw, reserveKw, headroomKw }: PlantBalance): Figures<Name> {
  return { heatKw, usableKw, reserveKw, headroomKw };
}

function healthOf(ref: string, medium: CoolingMedium, balance: PlantBalance): Health {
  return overallHealth(hotspotReasons(zoneHotspots(ref, medium, balance)));
}
