import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";
import { standsIn } from "./location_scope.ts";
import { areaKey, areasAround, type Place, placeHeat, placesByArea } from "./places.ts";
import { type Hotspot, type RackThermal, rackCoolingIndex, zoneHotspots } from "./thermal_spots.ts";
import type { Topology } from "./topology.ts";

export interface ThermalOptions {
  readonly basis: LoadBasis;
  /** Units kept in reserve per zone: the k of N+k. */
  readonly reserveUnits: number;
  readonly failedCracCodes: readonly string[];
}

/** A cooling unit and what is shared to it. Powers are kilowatts. */
export interface CracShare {
  readonly crac: Crac;
  readonly failed: boolean;
  readonly ratedKw: number;
  readonly effectiveKw: number;
  readonly loadKw: number;
  readonly utilizationPct: number;
  readonly deltaTK?: number;
  readonly requiredAirflowM3h?: number;
}

/** What the same units serve. Powers are kilowatts. */
export interface ZoneRollup {
  readonly ref: string;
  readonly heatKw: number;
  readonly effectiveKw: number;
  readonly reserveKw: number;
  readonly usableKw: number;
  readonly headroomKw: number;
  readonly redundancyOk: boolean;
  readonly cracCodes: readonly string[];
  readonly rackCodes: readonly string[];
}

export interface ThermalAnswer {
  readonly heatKw: number;
  readonly airHeatKw: number;
  readonly liquidHeatKw: number;
  readonly infrastructureHeatKw: number;
  readonly ratedKw: number;
  readonly effectiveKw: number;
  readonly reserveKw: number;
  readonly usableKw: number;
  readonly headroomKw: number;
  readonly headroomPct: number;
  readonly redundancyOk: boolean;
  readonly ccf: number;
  readonly rciHiPct?: number;
  readonly rciLoPct?: number;
  readonly cracs: readonly CracShare[];
  readonly zones: readonly ZoneRollup[];
  readonly racks: readonly RackThermal[];
  readonly hotspots: readonly Hotspot[];
}

/**
 * m3/h of air per kW and kelvin: rho 1.2 kg/m3, cp 1.005 kJ/kgK. Source:
 * docs/contract/datacenter-analyses.md#thermal-figures.
 */
const AIRFLOW_FACTOR = 2985;
/**
 * Share for lights, people and envelope in the cooling capacity factor. Source:
 * docs/contract/datacenter-analyses.md#thermal-figures.
 */
const CCF_SHARE = 1.1;

/** A place and the air heat of everything that stands there, losses included. */
interface Heat {
  readonly place: Place;
  readonly airW: number;
  readonly lossW: number;
}

/**
 * Sets heat against cooling in a scope, zone by zone.
 *
 * Heat is shared to the units that serve its place in proportion to their effective capacity; a unit that also serves
 * places outside the scope counts with the share of its load that comes from inside.
 * Cost: O(places inside and those of the units that serve them, units), and the devices of places that changed. Source:
 * docs/contract/datacenter-analyses.md#thermal-headroom.
 */
export function thermalHeadroom(topology: Topology, scope: Ref, options: ThermalOptions): ThermalAnswer {
  const { estate } = topology;
  const scopeKey = areaKey(scope);
  const { heats, cooling } = coolingOf(topology, scopeKey, options);
  const inside = heats.filter(({ place }) => place.areas.has(scopeKey));
  const zones = zonesOf(estate.racks, heats, cooling, options);
  const racks = estate.racks
    .filter((rack) => standsIn({ ...rack, rackCode: rack.code }, scope))
    .map((rack) => topology.rackHeat(rack, options.basis));
  const totals = sums(inside, options);
  const plant = plantOf(cooling, options.reserveUnits);
  const headroomKw = plant.usableKw - totals.airHeatKw;
  return {
    ...totals.answer,
    ...plant,
    headroomKw,
    headroomPct: plant.usableKw === 0 ? 0 : (headroomKw / plant.usableKw) * 100,
    redundancyOk: zones.every(({ redundancyOk }) => redundancyOk),
    ccf: totals.itKw === 0 ? 0 : plant.effectiveKw / (CCF_SHARE * totals.itKw),
    ...rackCoolingIndex(
      inside.flatMap(({ place }) => place.devices),
      racks,
    ),
    cracs: cooling.map(({ share }) => share),
    zones,
    racks: racks.map(({ thermal }) => thermal),
    hotspots: [...racks.flatMap(({ hotspots }) => hotspots), ...zones.flatMap(zoneHotspots)],
  };
}

/** The units that cool a scope with their shares of its heat. Cost: that of `thermalHeadroom` without its zones. */
export function cracShares(topology: Topology, scope: Ref, options: ThermalOptions): readonly CracShare[] {
  return coolingOf(topology, areaKey(scope), options).cooling.map(({ share }) => share);
}

/** The units of a scope, and the heat of the places that they serve or that lie inside. */
function coolingOf(topology: Topology, scopeKey: string, options: ThermalOptions) {
  const serving = servers(topology.estate.cracs, options.failedCracCodes);
  const places = topology.places();
  const byArea = placesByArea(places);
  const inside = byArea.get(scopeKey) ?? [];
  const areas = new Set(inside.flatMap((at) => [...(places[at]?.areas ?? [])]));
  const units = new Set([...areas].flatMap((area) => serving.get(area) ?? []));
  const served = [...units].flatMap(({ areas: own }) => own.flatMap((area) => byArea.get(area) ?? []));
  // In the order of all places, so that sums are the same whatever is asked for.
  const concerned = [...new Set([...inside, ...served])].sort((a, b) => a - b);
  const heats = concerned.flatMap((at) => {
    const place = places[at];
    return place === undefined ? [] : [heatOf(topology, place, options.basis)];
  });
  return { heats, cooling: shareHeat(serving, heats, scopeKey) };
}

function heatOf(topology: Topology, place: Place, basis: LoadBasis): Heat {
  const lossW = place.lossy.reduce((sum, device) => sum + lossOf(topology, device, basis), 0);
  return { place, lossW, airW: placeHeat(place, basis).airW + lossW };
}

/** What a device turns into heat of what it passes on. */
function lossOf(topology: Topology, { code, power: spec }: Device, basis: LoadBasis): number {
  const watts = topology.loads(basis)[topology.power.indexOf.get(`device:${codeKey(code)}`) ?? -1] ?? 0;
  return watts * (1 - (spec?.efficiencyPct ?? 100) / 100);
}

function sums(inside: readonly Heat[], { basis }: ThermalOptions) {
  const kw = (watts: (heat: Heat) => number) => inside.reduce((sum, heat) => sum + watts(heat), 0) / 1000;
  const infrastructureHeatKw = kw(({ lossW }) => lossW);
  const heatKw = kw(({ place }) => placeHeat(place, basis).heatW) + infrastructureHeatKw;
  const airHeatKw = kw(({ place }) => placeHeat(place, basis).airW) + infrastructureHeatKw;
  return {
    airHeatKw,
    itKw: kw(({ place }) => placeHeat(place, basis).itW),
    answer: { heatKw, airHeatKw, liquidHeatKw: heatKw - airHeatKw, infrastructureHeatKw },
  };
}

interface Cooling {
  readonly share: CracShare;
  /** Share of the unit's load that comes from inside the scope. */
  readonly part: number;
}

/** Effective capacity: what is rated, derated; only of units that run. */
function effectiveKw(crac: Crac, failed: boolean): number {
  return crac.status === "ACTIVE" && !failed ? deratedKw(crac) : 0;
}

function deratedKw({ sensibleCapacityKw, deratePct = 100 }: Crac): number {
  return (sensibleCapacityKw * deratePct) / 100;
}

interface Unit {
  readonly crac: Crac;
  readonly failed: boolean;
  readonly effective: number;
  /** Keys of the areas that it serves. */
  readonly areas: readonly string[];
}

/** The units that serve an area, by its key. */
function servers(cracs: readonly Crac[], failedCodes: readonly string[]): ReadonlyMap<string, readonly Unit[]> {
  const failed = new Set(failedCodes.map(codeKey));
  const serving = new Map<string, Unit[]>();
  for (const crac of cracs) {
    const lost = failed.has(codeKey(crac.code));
    const areas = [...new Set((crac.serves ?? []).map((text) => text.toLowerCase()))];
    const unit = { crac, failed: lost, effective: effectiveKw(crac, lost), areas };
    for (const area of areas) {
      const list = serving.get(area);
      if (list === undefined) serving.set(area, [unit]);
      else list.push(unit);
    }
  }
  return serving;
}

function shareHeat(
  serving: ReadonlyMap<string, readonly Unit[]>,
  heats: readonly Heat[],
  scopeKey: string,
): readonly Cooling[] {
  const load = new Map<Unit, number>();
  const own = new Map<Unit, number>();
  const add = (sums: Map<Unit, number>, unit: Unit, watts: number) => sums.set(unit, (sums.get(unit) ?? 0) + watts);
  for (const { place, airW } of heats) {
    const units = new Set([...place.areas].flatMap((area) => serving.get(area) ?? []));
    const total = [...units].reduce((sum, { effective }) => sum + effective, 0);
    for (const unit of units) {
      const watts = total === 0 ? 0 : (airW * unit.effective) / total;
      add(load, unit, watts);
      if (place.areas.has(scopeKey)) add(own, unit, watts);
    }
  }
  return [...own]
    .map(([unit, inside]) => {
      const watts = load.get(unit) ?? 0;
      return { part: watts === 0 ? 1 : inside / watts, share: cracShare(unit, watts / 1000) };
    })
    .toSorted(({ share: a }, { share: b }) => compareText(codeKey(a.crac.code), codeKey(b.crac.code)));
}

function cracShare({ crac, failed, effective }: Unit, loadKw: number): CracShare {
  const { supplyTempC, returnTempC } = crac;
  const deltaTK = supplyTempC === undefined || returnTempC === undefined ? undefined : returnTempC - supplyTempC;
  return {
    crac,
    failed,
    ratedKw: crac.sensibleCapacityKw,
    effectiveKw: effective,
    loadKw,
    utilizationPct: effective === 0 ? 0 : (loadKw / effective) * 100,
    ...(deltaTK !== undefined && { deltaTK, requiredAirflowM3h: (loadKw * AIRFLOW_FACTOR) / deltaTK }),
  };
}

/** Capacities of a set of units: the largest k of them are kept in reserve, standby units help out. */
function plantOf(cooling: readonly Cooling[], reserveUnits: number) {
  const effective = cooling.map(({ share, part }) => share.effectiveKw * part);
  const standby = cooling
    .filter(({ share }) => share.crac.status === "STANDBY" && !share.failed)
    .map(({ share, part }) => deratedKw(share.crac) * part);
  const reserveKw = effective
    .toSorted((a, b) => b - a)
    .slice(0, reserveUnits)
    .reduce((sum, one) => sum + one, 0);
  const total = effective.reduce((sum, one) => sum + one, 0);
  return {
    ratedKw: cooling.reduce((sum, { share, part }) => sum + share.ratedKw * part, 0),
    effectiveKw: total,
    reserveKw,
    usableKw: total + standby.reduce((sum, one) => sum + one, 0) - reserveKw,
  };
}

function zonesOf(
  racks: readonly Rack[],
  heats: readonly Heat[],
  cooling: readonly Cooling[],
  { reserveUnits }: ThermalOptions,
): readonly ZoneRollup[] {
  const zones = new Map<string, { readonly ref: string; readonly units: CracShare[]; heatW: number }>();
  for (const { share } of cooling) {
    for (const ref of new Set(share.crac.serves ?? [])) {
      const zone = zones.get(ref.toLowerCase()) ?? { ref, units: [], heatW: 0 };
      zones.set(ref.toLowerCase(), zone);
      if (!zone.units.includes(share)) zone.units.push(share);
    }
  }
  for (const { place, airW } of heats) {
    for (const area of place.areas) {
      const zone = zones.get(area);
      if (zone !== undefined) zone.heatW += airW;
    }
  }
  const racksIn = racksByArea(racks, zones);
  return [...zones].map(([key, { ref, units, heatW }]) => {
    const heatKw = heatW / 1000;
    const plant = plantOf(
      units.map((share) => ({ share, part: 1 })),
      reserveUnits,
    );
    return {
      ref,
      heatKw,
      effectiveKw: plant.effectiveKw,
      reserveKw: plant.reserveKw,
      usableKw: plant.usableKw,
      headroomKw: plant.usableKw - heatKw,
      redundancyOk: plant.usableKw >= heatKw,
      cracCodes: units.map(({ crac }) => crac.code),
      rackCodes: racksIn.get(key) ?? [],
    };
  });
}

/** Codes of racks by the keys of those areas around them that are asked for. */
function racksByArea(
  racks: readonly Rack[],
  asked: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const rack of racks) {
    for (const area of areasOfRack(rack)) {
      if (!asked.has(area)) continue;
      const codes = found.get(area);
      if (codes === undefined) found.set(area, [rack.code]);
      else codes.push(rack.code);
    }
  }
  return found;
}

const rackAreas = new WeakMap<Rack, readonly string[]>();

/** Keys of the areas around a rack; worked out once. */
function areasOfRack(rack: Rack): readonly string[] {
  const known = rackAreas.get(rack);
  if (known !== undefined) return known;
  const { code, location } = rack;
  const made = areasAround({ rackCode: code, ...(location !== undefined && { location }) });
  rackAreas.set(rack, made);
  return made;
}
