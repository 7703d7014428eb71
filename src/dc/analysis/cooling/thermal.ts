import { codeKey, formatRef, parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import type { CracShare as CracReply, Hotspot, ThermalHeadroomResponse } from "#gen/datacenter/v1/messages.ts";
import { formatAreaKey, selectRacksIn } from "../places.ts";
import type { Topology } from "../topology.ts";
import { CoolingBalance, type PlantBalance, type ThermalOptions } from "./cooling_balance.ts";
import { getMedium, listRackAreas, mapServedRefs } from "./cooling_units.ts";
import {
  computeRackCoolingIndex,
  hasHeadroom,
  listInletHotspots,
  listScopeUnservedHotspots,
  listZoneHotspots,
  type RackHeat,
  type RackHeatFigures,
} from "./thermal_spots.ts";

/** A cooling unit and the heat that it carries. Powers are in kilowatts. */
export type CracShare = Omit<CracReply, "code" | "status"> & { readonly crac: Crac };

/** The reply of ThermalHeadroom, with cooling units instead of their codes. */
export type ThermalReport = Omit<
  ThermalHeadroomResponse,
  "scopeRef" | "render" | "measuredLoad" | "cracs" | "racks"
> & {
  readonly cracs: readonly CracShare[];
  readonly racks: readonly RackHeatFigures[];
};

/**
 * Air flow in m3/h per kW and kelvin: rho 1.2 kg/m3, cp 1.005 kJ/kgK. Source:
 * docs/contract/datacenter-analyses.md#thermal-figures.
 */
const AIRFLOW_FACTOR = 2985;
/**
 * Factor for the heat of lights, people and envelope in the cooling capacity factor (CCF). Source:
 * docs/contract/datacenter-analyses.md#thermal-figures.
 */
const CCF_LOAD_FACTOR = 1.1;

/** Findings of racks that a wider scope summarizes in one finding. */
const UNSERVED_HEAT_CODES: readonly Hotspot["code"][] = ["RACK_WITHOUT_COOLING", "RACK_WITHOUT_LIQUID_COOLING"];

/**
 * Compares heat with cooling in a scope, for air and for liquid. The headroom of a scope is the usable capacity of the
 * units that serve it minus all heat that they carry, from any location. It is therefore not additive: units shared
 * with other locations count fully in each.
 *
 * Cost: O(locations inside and those of the units that serve them, units), and the devices of changed locations.
 * Source: docs/contract/datacenter-analyses.md#thermal-headroom.
 */
export function computeThermalHeadroom(topology: Topology, scope: Ref, options: ThermalOptions): ThermalReport {
  const balance = new CoolingBalance(topology, options);
  const units = balance.listServingUnits(scope);
  const [air, liquid] = [balance.computeBalance(scope, "AIR", units), balance.computeBalance(scope, "LIQUID", units)];
  const zones = computeThermalZones(topology, balance, scope, units);
  const racks = selectRacksIn(topology.inventory.racks, scope).map((rack) =>
    topology.computeRackHeat(rack, options.basis),
  );
  const inside = balance.listLocationsInArea(formatAreaKey(scope));
  const sumLocationsKw = (watts: (heat: ReturnType<CoolingBalance["computeLocationHeat"]>) => number) =>
    inside.reduce((sum, at) => sum + watts(balance.computeLocationHeat(at)), 0) / 1000;
  const itKw = sumLocationsKw(({ itW }) => itW);
  const ref = formatRef(scope);
  const devices = inside.flatMap((at) => balance.getLocation(at)?.devices ?? []);
  return {
    devicesWithoutHeat: balance.countDevicesWithoutHeat(inside, "all"),
    devicesWithoutLiquidHeat: balance.countDevicesWithoutHeat(inside, "LIQUID"),
    heatKw: air.heatKw + liquid.heatKw - sumLocationsKw(({ rejectedW }) => rejectedW),
    airHeatKw: air.heatKw,
    liquidHeatKw: liquid.heatKw,
    infrastructureHeatKw: sumLocationsKw(({ lossW }) => lossW),
    ...selectAirFigures(air),
    headroomPct: computeHeadroomPct(air),
    ...selectLiquidFigures(liquid),
    liquidRatedKw: liquid.ratedKw,
    liquidHeadroomPct: computeHeadroomPct(liquid),
    redundancyOk: zones.every(({ redundancyOk }) => redundancyOk) && air.unservedKw === 0 && liquid.unservedKw === 0,
    ccf: itKw === 0 ? 0 : (air.effectiveKw + liquid.effectiveKw) / (CCF_LOAD_FACTOR * itKw),
    ...computeRackCoolingIndex(devices, racks),
    cracs: listCracShares(balance, units),
    zones: zones.map(({ hotspots: _, ...zone }) => zone),
    racks: racks.map(({ thermal }) => thermal),
    hotspots: [
      ...racks
        .flatMap(({ hotspots }) => hotspots)
        .filter(({ code }) => scope.kind === "rack" || !UNSERVED_HEAT_CODES.includes(code)),
      ...listInletHotspots(listUnrackedDevices(devices, racks)),
      ...zones.flatMap(({ hotspots }) => hotspots),
      // A rack's own finding is already among the findings of racks.
      ...(scope.kind === "rack" ? [] : listScopeUnservedHotspots(ref, "AIR", air.unservedKw)),
      ...(scope.kind === "rack" ? [] : listScopeUnservedHotspots(ref, "LIQUID", liquid.unservedKw)),
    ],
  };
}

/** Returns devices in none of the racks: on a floor, or in a rack that is not in the inventory. */
function listUnrackedDevices(devices: readonly Device[], racks: readonly RackHeat[]): readonly Device[] {
  const known = new Set(racks.map(({ rack }) => codeKey(rack.code)));
  return devices.filter(({ rackCode }) => rackCode === undefined || !known.has(codeKey(rackCode)));
}

/** Returns the units that serve a scope, each with all heat that it carries. */
export function computeScopeShares(topology: Topology, scope: Ref, options: ThermalOptions): readonly CracShare[] {
  const balance = new CoolingBalance(topology, options);
  return listCracShares(balance, balance.listServingUnits(scope));
}

function listCracShares(balance: CoolingBalance, units: readonly Crac[]): readonly CracShare[] {
  return units.map((crac) => createCracShare(balance, crac));
}

function createCracShare(balance: CoolingBalance, crac: Crac): CracShare {
  const { supplyTempC, returnTempC } = crac;
  const deltaTK = supplyTempC === undefined || returnTempC === undefined ? undefined : returnTempC - supplyTempC;
  const [effectiveKw, loadKw, medium] = [
    balance.getEffectiveKw(crac),
    balance.computeUnitLoadKw(crac),
    getMedium(crac),
  ];
  return {
    crac,
    medium,
    failed: balance.isFailed(crac),
    devicesWithoutHeat: balance.countUnitDevicesWithoutHeat(crac),
    ratedKw: crac.sensibleCapacityKw,
    effectiveKw,
    loadKw,
    utilizationPct: effectiveKw === 0 ? 0 : (loadKw / effectiveKw) * 100,
    ...(deltaTK !== undefined && { deltaTK }),
    ...(deltaTK !== undefined && medium === "AIR" && { requiredAirflowM3h: (loadKw * AIRFLOW_FACTOR) / deltaTK }),
  };
}

function selectAirFigures({ ratedKw, effectiveKw, reserveKw, usableKw, headroomKw }: PlantBalance) {
  return { ratedKw, effectiveKw, reserveKw, usableKw, headroomKw };
}

function selectLiquidFigures({ effectiveKw, reserveKw, usableKw, headroomKw }: PlantBalance) {
  return {
    liquidEffectiveKw: effectiveKw,
    liquidReserveKw: reserveKw,
    liquidUsableKw: usableKw,
    liquidHeadroomKw: headroomKw,
  };
}

function computeHeadroomPct({ headroomKw, usableKw }: PlantBalance): number {
  return usableKw === 0 ? 0 : (headroomKw / usableKw) * 100;
}

/** Returns the areas that the units of a scope serve, except areas whose locations are all outside the scope. */
function computeThermalZones(topology: Topology, balance: CoolingBalance, scope: Ref, units: readonly Crac[]) {
  const refsByKey = mapServedRefs(units);
  const inside = new Set(balance.listLocationsInArea(formatAreaKey(scope)));
  const racksIn = groupRacksByArea(topology, refsByKey);
  return [...refsByKey].flatMap(([key, ref]) => {
    const area = parseRef(ref);
    const places = balance.listLocationsInArea(key);
    if (area === undefined || (places.length > 0 && !places.some((at) => inside.has(at)))) return [];
    const serving = balance.listServingUnits(area);
    const [air, liquid] = [
      balance.computeBalance(area, "AIR", serving),
      balance.computeBalance(area, "LIQUID", serving),
    ];
    const { effectiveKw, reserveKw, usableKw, headroomKw } = air;
    const zone = {
      ref,
      heatKw: air.heatKw,
      devicesWithoutHeat: balance.countDevicesWithoutHeat(places, "all"),
      liquidHeatKw: liquid.heatKw,
      effectiveKw,
      reserveKw,
      usableKw,
      headroomKw,
      ...selectLiquidFigures(liquid),
      redundancyOk: hasHeadroom(air) && hasHeadroom(liquid),
      cracCodes: serving.map(({ code }) => code),
      rackCodes: racksIn.get(key) ?? [],
      hotspots: [...listZoneHotspots(ref, "AIR", air), ...listZoneHotspots(ref, "LIQUID", liquid)],
    };
    return [zone];
  });
}

/** Groups codes of racks by the keys of the requested areas that contain them. */
function groupRacksByArea(
  { inventory }: Topology,
  requestedAreas: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const rack of inventory.racks) {
    for (const area of listRackAreas(rack)) {
      if (!requestedAreas.has(area)) continue;
      found.getOrInsert(area, []).push(rack.code);
    }
  }
  return found;
}
