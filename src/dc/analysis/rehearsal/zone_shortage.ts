import { COOLING_MEDIUMS, type CoolingMedium, type LoadBasis } from "#dc/model/enum_values.ts";
import { roundFigure } from "#dc/model/figure.ts";
import { sumHeatByMedium } from "#dc/model/rack_space.ts";
import { codeKey, parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import type { ZoneShortage } from "#gen/datacenter/v1/messages.ts";
import { CoolingBalance, type MediumWatts } from "../cooling/cooling_balance.ts";
import { getMedium, listServedAreas, mapServedRefs } from "../cooling/cooling_units.ts";
import { hasHeadroom } from "../cooling/thermal_spots.ts";
import { type DeviceLocation, listAreaKeys, sumLocationHeat } from "../places.ts";
import type { PowerNode } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";

interface CooledZone {
  readonly key: string;
  readonly ref: string;
  readonly area: Ref;
  readonly units: readonly Crac[];
  /** State before anything fails, and the kilowatts that are missing then, by medium. */
  readonly before: Readonly<Record<CoolingMedium, { readonly state: ZoneState; readonly missingKw: number }>>;
}

type ZoneState = "SHORT" | "NO_RESERVE" | "ENOUGH";

/** Number of units kept in reserve, the default of ThermalHeadroom. */
const RESERVE_UNITS = 1;
const NO_SHORTAGES: readonly ZoneShortage[] = [];
/** Maximum difference in kilowatts between sums of heat added in another order. */
const HEAT_ROUNDING_KW = 1e-6;

/** Determines the cooling of areas that units serve after the loss of units and of the heat of unpowered devices. */
export class ZoneShortageFinder {
  readonly #topology: Topology;
  readonly #basis: LoadBasis;
  readonly #zones: readonly CooledZone[];
  /** Zones that the loss of a unit may affect, by the key of its code. */
  readonly #zonesByUnit = new Map<string, ReadonlySet<CooledZone>>();
  /**
   * Location indexes by the areas that contain a location. `#locationByNode` holds the index for each device node, plus 1;
   * 0 if not yet looked up.
   */
  #locationsByKey: ReadonlyMap<string, number> | undefined;
  readonly #locationByNode: Int32Array;
  /** Heat in watts that is no longer emitted, by the nodes of one location that are off. */
  readonly #missingHeatCache = new Map<string, MediumWatts>();

  constructor(topology: Topology, basis: LoadBasis) {
    this.#topology = topology;
    this.#basis = basis;
    this.#locationByNode = new Int32Array(topology.power.nodes.length);
    const balance = new CoolingBalance(topology, { basis, reserveUnits: RESERVE_UNITS, failedCracCodes: [] });
    this.#zones = [...mapServedRefs(topology.inventory.cracs)].flatMap(([key, ref]) => {
      const area = parseRef(ref);
      if (area === undefined) return [];
      const units = balance.listServingUnits(area);
      const stateOf = (medium: CoolingMedium) => {
        const { state = "ENOUGH", heatKw = 0, capacityKw = 0 } = judgeZoneState(balance, area, medium, units) ?? {};
        return { state, missingKw: heatKw - capacityKw } as const;
      };
      return [{ key, ref, area, units, before: { AIR: stateOf("AIR"), LIQUID: stateOf("LIQUID") } }];
    });
    this.#groupZonesByUnit(balance);
  }

  /**
   * Lists areas that lose their reserve or have uncovered heat after the loss of cooling units.
   * @param offline nodes of devices that emit no heat any more
   * @param withDeeper adds areas whose uncovered heat rises
   */
  listShortages(lost: readonly Crac[], offline: readonly number[], withDeeper = false): readonly ZoneShortage[] {
    const zones = this.#collectAffectedZones(lost);
    if (zones.size === 0) return NO_SHORTAGES;
    const balance = new CoolingBalance(this.#topology, {
      basis: this.#basis,
      reserveUnits: RESERVE_UNITS,
      failedCracCodes: lost.map(({ code }) => code),
      missingHeat: this.#sumMissingHeat(offline),
    });
    return [...zones].flatMap((zone) =>
      COOLING_MEDIUMS.flatMap((medium): ZoneShortage[] => {
        const now = judgeZoneState(balance, zone.area, medium, zone.units);
        if (now === undefined) return [];
        const { heatKw, capacityKw } = now;
        const { state, missingKw } = zone.before[medium];
        const isDeeper = withDeeper && now.state === "SHORT" && heatKw - capacityKw > missingKw + HEAT_ROUNDING_KW;
        if (!isDeeper && !isZoneStateWorse(state, now.state)) return [];
        return [{ ref: zone.ref, medium, short: now.state === "SHORT", heatKw, capacityKw }];
      }),
    );
  }

  listAffectedAreas(lost: readonly Crac[]): readonly Ref[] {
    return [...this.#collectAffectedZones(lost)].map(({ area }) => area);
  }

  /** Returns keys of the areas that the loss of units may affect. */
  listAffectedKeys(lost: readonly Crac[]): readonly string[] {
    return [...this.#collectAffectedZones(lost)].map(({ key }) => key);
  }

  #collectAffectedZones(lost: readonly Crac[]): ReadonlySet<CooledZone> {
    return new Set(lost.flatMap(({ code }) => [...(this.#zonesByUnit.get(codeKey(code)) ?? [])]));
  }

  /** A lost unit shifts its heat to other units of the same locations, and therefore affects all their zones. */
  #groupZonesByUnit(balance: CoolingBalance): void {
    const zonesOf = new Map<string, CooledZone[]>();
    for (const zone of this.#zones) {
      for (const { code } of zone.units) zonesOf.getOrInsert(codeKey(code), []).push(zone);
    }
    const served = new Map(this.#zones.map((zone) => [zone.key, zone.units]));
    for (const crac of this.#topology.inventory.cracs) {
      const besides = listServedAreas(crac).flatMap(
        (area) => (balance.listLocationsInArea(area).length > 0 && served.get(area)) || [],
      );
      const found = new Set([crac, ...besides].flatMap(({ code }) => zonesOf.get(codeKey(code)) ?? []));
      this.#zonesByUnit.set(codeKey(crac.code), found);
    }
  }

  /** Sums the heat in watts that offline devices no longer emit, by location. */
  #sumMissingHeat(offline: readonly number[]): ReadonlyMap<number, MediumWatts> {
    const off = new Map<number, number[]>();
    for (const index of offline) {
      const at = this.#findLocation(index);
      if (at < 0) continue;
      off.getOrInsert(at, []).push(index);
    }
    const missing = new Map<number, MediumWatts>();
    for (const [at, indexes] of off) missing.set(at, this.#computeMissingHeat(at, indexes));
    return missing;
  }

  /** Returns the location index of a device; -1 for other nodes. */
  #findLocation(index: number): number {
    const known = this.#locationByNode[index] as number;
    if (known > 0) return known - 1;
    const node = this.#topology.power.nodes[index];
    if (node?.kind !== "DEVICE") return -1;
    this.#locationsByKey ??= new Map(
      this.#topology.listLocations().map(({ areas }, at) => [[...areas].join("\n"), at]),
    );
    const at = this.#locationsByKey.get(listAreaKeys(node.device).join("\n")) ?? -1;
    this.#locationByNode[index] = at + 1;
    return at;
  }

  /** Returns a cached sum, because all failures in a chain of supply turn off the same devices. */
  #computeMissingHeat(at: number, indexes: readonly number[]): MediumWatts {
    const off = indexes.join();
    const known = this.#missingHeatCache.get(off);
    if (known !== undefined) return known;
    const place = this.#topology.listLocations()[at] as DeviceLocation;
    const all = sumLocationHeat(place, this.#basis);
    const { nodes } = this.#topology.power;
    const gone = new Set(indexes.map((index) => (nodes[index] as Extract<PowerNode, { kind: "DEVICE" }>).device.code));
    const rest = gone.size === place.devices.length ? [] : place.devices.filter(({ code }) => !gone.has(code));
    const { airW, liquidW } = rest.length === 0 ? NO_HEAT : sumHeatByMedium(rest, this.#basis);
    const watts = { AIR: all.airW - airW, LIQUID: all.liquidW - liquidW };
    if (this.#missingHeatCache.size >= MAX_CACHED_HEAT_SUMS) this.#missingHeatCache.clear();
    this.#missingHeatCache.set(off, watts);
    return watts;
  }
}

/** Maximum number of cached sums of heat; the cache is cleared when it is exceeded. Our choice. */
const MAX_CACHED_HEAT_SUMS = 20_000;
const NO_HEAT = { airW: 0, liquidW: 0 };

function isZoneStateWorse(before: ZoneState, after: ZoneState): boolean {
  return after !== before && (after === "SHORT" || before === "ENOUGH");
}

/** Returns the state of an area; undefined without units of the medium and without heat for them. */
function judgeZoneState(balance: CoolingBalance, area: Ref, medium: CoolingMedium, units: readonly Crac[]) {
  if (!units.some((crac) => getMedium(crac) === medium)) return undefined;
  const of = balance.computeBalance(area, medium, units);
  // Rounds sums, because their last digits depend on the order of writes.
  const capacityKw = roundFigure(of.usableKw + of.reserveKw);
  const heatKw = roundFigure(of.usableKw - of.headroomKw);
  const state: ZoneState = hasHeadroom(of)
    ? "ENOUGH"
    : hasHeadroom({ headroomKw: of.headroomKw + of.reserveKw })
      ? "NO_RESERVE"
      : "SHORT";
  return { state, heatKw, capacityKw };
}
