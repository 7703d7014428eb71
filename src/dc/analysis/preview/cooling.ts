import type {
  CoolingPreview,
  FigureChange,
  FindingPreview,
  Hotspot,
  SupplyPreview,
} from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { COOLING_MEDIUMS, type CoolingMedium, HEALTHS, type Health, type LoadBasis } from "../../model/enum_values.ts";
import { roundFigure } from "../../model/figure.ts";
import { compareText, parseRef } from "../../model/ref.ts";
import type { Crac } from "../../model/resources.ts";
import { CoolingBalance, type PlantBalance } from "../cooling/cooling_balance.ts";
import { groupUnitsByArea, listServedAreas } from "../cooling/cooling_units.ts";
import { listZoneHotspots } from "../cooling/thermal_spots.ts";
import { type DeviceLocation, listAreaKeys, sumLocationHeat } from "../places.ts";
import { sumPowerLossesW } from "../power/power_load.ts";
import { getNodeKey } from "../power/power_node_table.ts";
import type { PowerGraph } from "../power/power_nodes.ts";
import { createHotspotReasons, findWorstReason, type HealthReason } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";

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

/** Findings that changes add and remove, faults first. */
export interface FindingChanges {
  readonly added: readonly FindingPreview[];
  readonly removed: readonly FindingPreview[];
}

/** Collects findings that changes add or remove. The same reason of several racks is one finding. */
export class FindingComparison {
  readonly #added = new Map<string, FindingPreview>();
  readonly #removed = new Map<string, FindingPreview>();

  /** Compares the reasons of one rack or area. Ignores reasons without health. @param racks 0 for an area */
  compareReasons(before: readonly HealthReason[], after: readonly HealthReason[], racks: 0 | 1): void {
    if (before === after) return;
    const [had, has] = [new Set(before.map(formatReasonKey)), new Set(after.map(formatReasonKey))];
    for (const reason of after) if (!had.has(formatReasonKey(reason))) addRackFinding(this.#added, reason, racks);
    for (const reason of before) if (!has.has(formatReasonKey(reason))) addRackFinding(this.#removed, reason, racks);
  }

  listChanges(): FindingChanges {
    return { added: sortFindings(this.#added), removed: sortFindings(this.#removed) };
  }
}

function formatReasonKey({ code, ref, health }: HealthReason): string {
  return `${health} ${code} ${ref}`;
}

function addRackFinding(found: Map<string, FindingPreview>, reason: HealthReason, racks: 0 | 1): void {
  const { code, ref, health, value, limit } = reason;
  if (health === undefined) return;
  const known = found.get(formatReasonKey(reason));
  const figures = { ...(value !== undefined && { value }), ...(limit !== undefined && { limit }) };
  found.set(formatReasonKey(reason), { code, ref, health, ...figures, racks: (known?.racks ?? 0) + racks });
}

function sortFindings(found: ReadonlyMap<string, FindingPreview>): readonly FindingPreview[] {
  return [...found.values()].sort(
    (a, b) =>
      Number(b.health === "FAULT") - Number(a.health === "FAULT") ||
      b.racks - a.racks ||
      compareText(a.code, b.code) ||
      compareText(a.ref, b.ref),
  );
}

/** Figures of one element by name. */
export type Figures<Name extends string> = { readonly [Key in Name]?: number | undefined };

interface ComparedFigures<Name extends string> {
  /** Figures of an element, except figures that are unknown both before and after. */
  readonly figures: Readonly<Partial<Record<Name, FigureChange>>>;
  readonly isDifferent: boolean;
}

/**
 * Compares the figures of an element before and after changes.
 *
 * @param before undefined for a new element
 * @param after undefined for a removed element
 */
export function compareElementFigures<Name extends string>(
  before: Figures<Name> | undefined,
  after: Figures<Name> | undefined,
): ComparedFigures<Name> {
  const figures: Partial<Record<Name, FigureChange>> = {};
  let differs = false;
  for (const name of Object.keys(after ?? before ?? {}) as Name[]) {
    const [was, is] = [roundOptionalValue(before?.[name]), roundOptionalValue(after?.[name])];
    if (was !== is) differs = true;
    if (was === undefined && is === undefined) continue;
    figures[name] = { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
  }
  return { figures, isDifferent: differs };
}

function roundOptionalValue(value: number | undefined): number | undefined {
  return value === undefined ? undefined : roundFigure(value);
}

/** Numbers of one element in two states of a graph; -1 in a state without it. */
export type ElementPair = readonly [before: number, after: number];

/** Yields each element's numbers in two states of a graph. Cost: O(nodes); equal nodes are not compared in detail. */
export function* yieldElementPairs(before: PowerGraph, after: PowerGraph): Generator<ElementPair> {
  const size = Math.max(before.nodes.length, after.nodes.length);
  for (let index = 0; index < size; index += 1) yield* yieldPairsAt(before, after, index);
}

/** Yields the elements that have a node number in either state of a graph. */
export function* yieldPairsAt(before: PowerGraph, after: PowerGraph, index: number): Generator<ElementPair> {
  const [was, is] = [before.nodes[index], after.nodes[index]];
  if (was === is) {
    yield [index, index];
    return;
  }
  const [had, has] = [getNodeKey(was), getNodeKey(is)];
  // The number of a removed element may have been reused for another one.
  if (has !== "") yield [had === has ? index : (before.indexOf.get(has) ?? -1), index];
  if (had !== "" && had !== has && after.indexOf.get(had) === undefined) yield [index, -1];
}

/** An element whose health may change; `healthBefore` is absent for a new element, `healthAfter` for a removed one. */
export type HealthChange = { readonly ref: string } & Partial<Pick<SupplyPreview, "healthBefore" | "healthAfter">>;

/** Sorts changes by the worst health afterwards, then worsened health first, then by size, then by reference. */
export function sortWorstFirst<Change extends HealthChange>(
  changes: readonly Change[],
  size: (change: Change) => number = () => 0,
): readonly Change[] {
  const weight = (health: Health | undefined) => HEALTHS.indexOf(health ?? "OK");
  const rise = ({ healthBefore, healthAfter }: Change) => weight(healthAfter) - weight(healthBefore);
  return changes.toSorted(
    (a, b) =>
      weight(b.healthAfter) - weight(a.healthAfter) ||
      rise(b) - rise(a) ||
      size(b) - size(a) ||
      compareText(a.ref, b.ref),
  );
}
