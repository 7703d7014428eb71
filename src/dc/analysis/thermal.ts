import { codeKey } from "#dc/model/code.ts";
import { airHeatW, heatW, isPowerKind } from "#dc/model/draw.ts";
import type { Estate } from "#dc/model/estate.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";
import type { LoadBasis } from "#dc/model/words.ts";
import { byRack } from "./by_rack.ts";
import { type Standing, standsIn } from "./location_scope.ts";
import { type Hotspot, type RackThermal, rackCoolingIndex, rackThermal, zoneHotspots } from "./thermal_spots.ts";

export interface ThermalOptions {
  readonly basis: LoadBasis;
  /** Units kept in reserve per zone: the k of N+k. */
  readonly reserveUnits: number;
  readonly failedCracCodes: readonly string[];
  /** Heat that a power device loses on what it passes on, in watts. */
  readonly lossW: (device: Device) => number;
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

/** m3/h of air per kW and kelvin: rho 1.2 kg/m3, cp 1.005 kJ/kgK. Source: field facts 4, Thermal. */
const AIRFLOW_FACTOR = 2985;
/** Share for lights, people and envelope in the cooling capacity factor. Source: field facts 4, CCF. */
const CCF_SHARE = 1.1;

/** A place and the air heat of everything that stands there. */
interface Heat {
  readonly standing: Standing;
  readonly airW: number;
}

/**
 * Sets heat against cooling in a scope, zone by zone.
 *
 * Heat is shared to the units that serve its place in proportion to their effective capacity; a unit that also serves
 * places outside the scope counts with the share of its load that comes from inside.
 * Cost: O(devices × units). Source: data contract 8.8.
 */
export function thermalHeadroom(estate: Estate, scope: Ref, options: ThermalOptions): ThermalAnswer {
  const heats = heatByPlace(estate.devices, options);
  const devices = estate.devices.filter((device) => standsIn(device, scope));
  const cooling = shareHeat(estate.cracs, heats, scope, options);
  const zones = zonesOf(estate, heats, cooling, options);
  const inRack = byRack(estate.devices);
  const racks = estate.racks
    .filter((rack) => standsIn({ ...rack, rackCode: rack.code }, scope))
    .map((rack) => rackThermal(rack, inRack(rack.code), options));
  const totals = sums(devices, options);
  const plant = plantOf(cooling, options.reserveUnits);
  const headroomKw = plant.usableKw - totals.airHeatKw;
  return {
    ...totals.answer,
    ...plant,
    headroomKw,
    headroomPct: plant.usableKw === 0 ? 0 : (headroomKw / plant.usableKw) * 100,
    redundancyOk: zones.every(({ redundancyOk }) => redundancyOk),
    ccf: totals.itKw === 0 ? 0 : plant.effectiveKw / (CCF_SHARE * totals.itKw),
    ...rackCoolingIndex(devices, racks),
    cracs: cooling.map(({ share }) => share),
    zones,
    racks: racks.map(({ thermal }) => thermal),
    hotspots: [...racks.flatMap(({ hotspots }) => hotspots), ...zones.flatMap(zoneHotspots)],
  };
}

/** Devices of one place share their cooling, so a place is looked at once, however many stand there. */
function heatByPlace(devices: readonly Device[], { basis, lossW }: ThermalOptions): readonly Heat[] {
  const places = new Map<string, Heat>();
  for (const device of devices) {
    const { rackCode = "", location } = device;
    const key = JSON.stringify([
      rackCode,
      location?.siteId,
      location?.floorNumber,
      location?.room,
      location?.row,
      location?.zoneId,
    ]);
    const airW = (places.get(key)?.airW ?? 0) + airHeatW(device, basis) + lossW(device);
    places.set(key, { standing: device, airW });
  }
  return [...places.values()];
}

function sums(devices: readonly Device[], { basis, lossW }: ThermalOptions) {
  const kw = (list: readonly Device[], watts: (device: Device) => number) =>
    list.reduce((sum, device) => sum + watts(device), 0) / 1000;
  const infrastructureHeatKw = kw(devices, lossW);
  const heatKw = kw(devices, (device) => heatW(device, basis)) + infrastructureHeatKw;
  const airHeatKw = kw(devices, (device) => airHeatW(device, basis)) + infrastructureHeatKw;
  return {
    airHeatKw,
    itKw: kw(
      devices.filter(({ kind }) => !isPowerKind(kind)),
      (device) => heatW(device, basis),
    ),
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

function shareHeat(
  cracs: readonly Crac[],
  heats: readonly Heat[],
  scope: Ref,
  options: ThermalOptions,
): readonly Cooling[] {
  const failed = new Set(options.failedCracCodes.map(codeKey));
  const units = cracs.map((crac) => ({
    crac,
    failed: failed.has(codeKey(crac.code)),
    effective: effectiveKw(crac, failed.has(codeKey(crac.code))),
    scopes: (crac.serves ?? []).map(parseRef).filter((ref): ref is Ref => ref !== undefined),
  }));
  const load = new Map<string, number>();
  const own = new Map<string, number>();
  const reached = new Set<string>();
  for (const heat of heats) {
    const serving = units.filter(({ scopes }) => scopes.some((one) => standsIn(heat.standing, one)));
    const inside = standsIn(heat.standing, scope);
    const total = serving.reduce((sum, { effective }) => sum + effective, 0);
    for (const { crac, effective } of serving) {
      const watts = total === 0 ? 0 : (heat.airW * effective) / total;
      load.set(crac.code, (load.get(crac.code) ?? 0) + watts);
      if (!inside) continue;
      reached.add(crac.code);
      own.set(crac.code, (own.get(crac.code) ?? 0) + watts);
    }
  }
  return units
    .filter(({ crac }) => reached.has(crac.code))
    .map(({ crac, failed: lost, effective }) => {
      const watts = load.get(crac.code) ?? 0;
      const part = watts === 0 ? 1 : (own.get(crac.code) ?? 0) / watts;
      return { part, share: cracShare(crac, { failed: lost, effective, loadKw: watts / 1000 }) };
    });
}

function cracShare(
  crac: Crac,
  { failed, effective, loadKw }: { readonly failed: boolean; readonly effective: number; readonly loadKw: number },
): CracShare {
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
  estate: Estate,
  heats: readonly Heat[],
  cooling: readonly Cooling[],
  { reserveUnits }: ThermalOptions,
): readonly ZoneRollup[] {
  const refs = new Map<string, string>();
  for (const { share } of cooling) for (const text of share.crac.serves ?? []) refs.set(text.toLowerCase(), text);
  return [...refs].flatMap(([key, text]): ZoneRollup[] => {
    const ref = parseRef(text);
    if (ref === undefined) return [];
    const units = cooling.filter(({ share }) => share.crac.serves?.some((one) => one.toLowerCase() === key));
    const heatKw =
      heats.filter(({ standing }) => standsIn(standing, ref)).reduce((sum, { airW }) => sum + airW, 0) / 1000;
    const {
      effectiveKw: effective,
      reserveKw,
      usableKw,
    } = plantOf(
      units.map(({ share }) => ({ share, part: 1 })),
      reserveUnits,
    );
    const inZone = (rack: Rack) => standsIn({ ...rack, rackCode: rack.code }, ref);
    const zone = { ref: text, heatKw, effectiveKw: effective, reserveKw, usableKw, headroomKw: usableKw - heatKw };
    return [
      {
        ...zone,
        redundancyOk: usableKw >= heatKw,
        cracCodes: units.map(({ share }) => share.crac.code),
        rackCodes: estate.racks.filter(inZone).map(({ code }) => code),
      },
    ];
  });
}
