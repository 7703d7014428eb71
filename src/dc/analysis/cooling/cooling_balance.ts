import type { CoolingMedium, LoadBasis } from "#dc/model/enum_values.ts";
import type { HeatSum } from "#dc/model/rack_space.ts";
import { codeKey, compareText, type Ref } from "#dc/model/ref.ts";
import type { Crac } from "#dc/model/resources.ts";
import { type DeviceLocation, formatAreaKey, indexLocationsByArea, listAreaKeys, sumLocationHeat } from "../places.ts";
import { sumPowerLossesW } from "../power/power_load.ts";
import type { Topology } from "../topology.ts";
import { computeDeratedKw, getMedium, groupUnitsByArea, listServedAreas, type UnitsByArea } from "./cooling_units.ts";
import type { MediumBalance } from "./thermal_spots.ts";

export interface ThermalOptions {
  readonly basis: LoadBasis;
  /** Units kept in reserve per zone: the k of N+k. */
  readonly reserveUnits: number;
  readonly failedCracCodes: readonly string[];
  /** Heat in watts that devices without power no longer emit, by the index of their location. */
  readonly missingHeat?: ReadonlyMap<number, MediumWatts>;
}

/** Watts of each kind of heat. */
export type MediumWatts = Readonly<Record<CoolingMedium, number>>;

/** Heat of a location in watts. Air heat includes losses of power equipment and heat that units reject into the air. */
export interface LocationHeat {
  readonly AIR: number;
  readonly LIQUID: number;
  readonly itW: number;
  readonly lossW: number;
  /** Part of the air heat that cooling units reject into the air. */
  readonly rejectedW: number;
  readonly unknown: HeatSum["unknown"];
}

const NO_HEAT = { AIR: 0, LIQUID: 0, itW: 0, lossW: 0, unknown: { all: 0, AIR: 0, LIQUID: 0 } };

/** Capacity of a scope's units compared with the heat of its locations, in kilowatts. */
export interface PlantBalance extends MediumBalance {
  readonly ratedKw: number;
  readonly effectiveKw: number;
  /** Heat that no recorded unit serves, working or not. */
  readonly unservedKw: number;
}

/**
 * Divides the heat of locations among the units that serve them, in proportion to their effective capacity. All queries
 * about a scope, a zone or a unit use the same shares, which are computed on first use.
 */
export class CoolingBalance {
  readonly #topology: Topology;
  readonly #options: ThermalOptions;
  readonly #units: UnitsByArea;
  readonly #places: readonly DeviceLocation[];
  readonly #locationsByArea: ReadonlyMap<string, readonly number[]>;
  readonly #failedKeys: ReadonlySet<string>;
  readonly #heatByLocation = new Map<number, LocationHeat>();
  readonly #unitsByLocation = new Map<number, Readonly<Record<CoolingMedium, readonly Crac[]>>>();
  readonly #loadsKw = new Map<Crac, number>();
  #rejectedW: ReadonlyMap<number, number> | undefined;

  constructor(topology: Topology, options: ThermalOptions) {
    this.#topology = topology;
    this.#options = options;
    this.#units = groupUnitsByArea(topology.inventory.cracs);
    this.#places = topology.listLocations();
    this.#locationsByArea = indexLocationsByArea(this.#places);
    this.#failedKeys = new Set(options.failedCracCodes.map(codeKey));
  }

  listLocationsInArea(area: string): readonly number[] {
    return this.#locationsByArea.get(area) ?? [];
  }

  getLocation(at: number): DeviceLocation | undefined {
    return this.#places[at];
  }

  isFailed({ code }: Crac): boolean {
    return this.#failedKeys.has(codeKey(code));
  }

  /** Returns the derated capacity of an active unit in kilowatts; 0 for failed and inactive units. */
  getEffectiveKw(crac: Crac): number {
    return (crac.status ?? "ACTIVE") === "ACTIVE" && !this.isFailed(crac) ? computeDeratedKw(crac) : 0;
  }

  /** Returns the units that serve a location in a scope, or an area inside it, sorted by code. */
  listServingUnits(scope: Ref): readonly Crac[] {
    const found = new Set<Crac>();
    const areas = new Set<string>();
    for (const at of this.listLocationsInArea(formatAreaKey(scope)))
      for (const area of this.#places[at]?.areas ?? []) areas.add(area);
    for (const area of areas) for (const crac of this.#units.get(area) ?? []) found.add(crac);
    for (const crac of this.#listUnitsInside(scope)) found.add(crac);
    return [...found].sort((a, b) => compareText(codeKey(a.code), codeKey(b.code)));
  }

  /** Returns the units that serve areas whose references are inside a scope. */
  #listUnitsInside(scope: Ref): readonly Crac[] {
    // Only references of sites and floors are prefixes of the references of areas inside them.
    if (scope.kind !== "site" && scope.kind !== "floor") return this.#units.get(formatAreaKey(scope)) ?? [];
    return [...this.#units].flatMap(([area, cracs]) => (isAreaInScope(area, scope) ? cracs : []));
  }

  computeLocationHeat(at: number): LocationHeat {
    return this.#heatByLocation.getOrInsertComputed(at, () => {
      const rejectedW = this.#getRejectedW(at);
      const own = this.#computeEquipmentHeat(at);
      return { ...own, AIR: own.AIR + rejectedW, rejectedW };
    });
  }

  /** Returns the number of devices in locations with neither heat nor draw recorded, of all or of one medium. */
  countDevicesWithoutHeat(places: readonly number[], medium: "all" | CoolingMedium): number {
    return sumNumbers(places.map((at) => this.computeLocationHeat(at).unknown[medium]));
  }

  countUnitDevicesWithoutHeat(crac: Crac): number {
    return this.countDevicesWithoutHeat(this.#listServedLocations(crac), getMedium(crac));
  }

  #listServedLocations(crac: Crac): readonly number[] {
    return [...new Set(listServedAreas(crac).flatMap((area) => this.listLocationsInArea(area)))];
  }

  /** Returns the heat in kilowatts that a unit carries from all locations that it serves. */
  computeUnitLoadKw(crac: Crac): number {
    return this.#loadsKw.getOrInsertComputed(crac, () => {
      const medium = getMedium(crac);
      let watts = 0;
      for (const at of this.#listServedLocations(crac))
        watts += this.#computeUnitShareW(at, crac, this.computeLocationHeat(at)[medium]);
      return watts / 1000;
    });
  }

  /** Compares the capacity of a scope's units with all heat that they carry and with the scope's uncarried heat. */
  computeBalance(scope: Ref, medium: CoolingMedium, units = this.listServingUnits(scope)): PlantBalance {
    const own = units.filter((crac) => getMedium(crac) === medium);
    const effective = own.map((crac) => this.getEffectiveKw(crac));
    const standby = own.filter((crac) => crac.status === "STANDBY" && !this.isFailed(crac)).map(computeDeratedKw);
    const reserveKw = sumNumbers(effective.toSorted((a, b) => b - a).slice(0, this.#options.reserveUnits));
    const usableKw = sumNumbers(effective) + sumNumbers(standby) - reserveKw;
    const { heatKw, uncarriedKw, unservedKw } = this.#sumAreaHeat(formatAreaKey(scope), medium);
    const carriedKw = sumNumbers(own.map((crac) => this.computeUnitLoadKw(crac)));
    return {
      units: own.length,
      ratedKw: sumNumbers(own.map(({ sensibleCapacityKw }) => sensibleCapacityKw)),
      effectiveKw: sumNumbers(effective),
      reserveKw,
      usableKw,
      heatKw,
      headroomKw: usableKw - carriedKw - uncarriedKw,
      unservedKw,
    };
  }

  #sumAreaHeat(area: string, medium: CoolingMedium) {
    let [heat, uncarried, unserved] = [0, 0, 0];
    for (const at of this.listLocationsInArea(area)) {
      const watts = this.computeLocationHeat(at)[medium];
      const units = this.groupUnitsAtLocation(at)[medium];
      heat += watts;
      if (this.#sumEffectiveKw(units) === 0) uncarried += watts;
      if (units.length === 0) unserved += watts;
    }
    return { heatKw: heat / 1000, uncarriedKw: uncarried / 1000, unservedKw: unserved / 1000 };
  }

  #computeUnitShareW(at: number, crac: Crac, watts: number): number {
    const total = this.#sumEffectiveKw(this.groupUnitsAtLocation(at)[getMedium(crac)]);
    return total === 0 ? 0 : (watts * this.getEffectiveKw(crac)) / total;
  }

  #sumEffectiveKw(units: readonly Crac[]): number {
    return sumNumbers(units.map((crac) => this.getEffectiveKw(crac)));
  }

  /** Returns the units that serve a location, working or not. */
  groupUnitsAtLocation(at: number): Readonly<Record<CoolingMedium, readonly Crac[]>> {
    return this.#unitsByLocation.getOrInsertComputed(at, () => {
      const all = new Set([...(this.#places[at]?.areas ?? [])].flatMap((area) => this.#units.get(area) ?? []));
      return {
        AIR: [...all].filter((crac) => getMedium(crac) === "AIR"),
        LIQUID: [...all].filter((crac) => getMedium(crac) === "LIQUID"),
      };
    });
  }

  #computeEquipmentHeat(at: number): Omit<LocationHeat, "rejectedW"> {
    const place = this.#places[at];
    if (place === undefined) return NO_HEAT;
    const { basis } = this.#options;
    const { airW, liquidW, itW, unknown } = sumLocationHeat(place, basis);
    const lossW = place.lossy.length === 0 ? 0 : sumPowerLossesW(place.lossy, this.#topology, basis);
    const missing = this.#options.missingHeat?.get(at);
    return { AIR: airW + lossW - (missing?.AIR ?? 0), LIQUID: liquidW - (missing?.LIQUID ?? 0), itW, lossW, unknown };
  }

  /** Returns the watts that units reject into a location's air: liquid heat of units that do not reject outside. */
  #getRejectedW(at: number): number {
    this.#rejectedW ??= this.#computeRejectedW();
    return this.#rejectedW.get(at) ?? 0;
  }

  #computeRejectedW(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    const indexOf = (areas: readonly string[]) => {
      const key = areas.join("\n");
      return this.listLocationsInArea(areas[0] ?? "").find(
        (at) => [...(this.#places[at]?.areas ?? [])].join("\n") === key,
      );
    };
    for (const crac of this.#topology.inventory.cracs) {
      if (crac.heatRejection !== "AIR" || getMedium(crac) !== "LIQUID" || crac.location === undefined) continue;
      const at = indexOf(listAreaKeys({ location: crac.location }));
      if (at === undefined) continue;
      const served = new Set(listServedAreas(crac).flatMap((area) => this.listLocationsInArea(area)));
      let watts = 0;
      for (const one of served) watts += this.#computeUnitShareW(one, crac, this.#computeEquipmentHeat(one).LIQUID);
      found.set(at, (found.get(at) ?? 0) + watts);
    }
    return found;
  }
}

/** Whether an area that units serve is inside a site or floor, judged by its reference alone. */
function isAreaInScope(area: string, scope: Ref): boolean {
  const [kind = "", rest = ""] = area.split(/:(.*)/s);
  if (area === formatAreaKey(scope)) return true;
  if (kind === "rack") return false;
  if (scope.kind === "site") return rest.startsWith(`${scope.site.toLowerCase()}/`);
  return scope.kind === "floor" && rest.startsWith(`${scope.site.toLowerCase()}/${scope.floor}/`);
}

export function sumNumbers(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
