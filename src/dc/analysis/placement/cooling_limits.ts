import { computeAirHeatW, getHeatW } from "../../model/draw.ts";
import { COOLING_MEDIUMS, type CoolingMedium, type PhaseLeg } from "../../model/enum_values.ts";
import { codeKey } from "../../model/ref.ts";
import { type Crac, isInService, type Rack } from "../../model/resources.ts";
import { CoolingBalance, sumNumbers } from "../cooling/cooling_balance.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import { listAreaKeys } from "../places.ts";
import { computeLegShare } from "../power/load_lanes.ts";
import type { Topology } from "../topology.ts";
import {
  Limit,
  type LimitUse,
  type PlacementObstacle,
  type PlacementRequest,
  type SupplyLoadState,
  type UpstreamLoads,
} from "./limits.ts";

/** Units of one medium that jointly serve a location. */
export interface CoolingGroup {
  readonly medium: CoolingMedium;
  readonly units: readonly Crac[];
  /** Working units with their share of the group's heat, from 0 to 1, and their limit in watts. */
  readonly shares: readonly { readonly crac: Crac; readonly share: number; readonly limit: Limit }[];
  /** Limit in watts for the load of the group after the loss of its largest unit. */
  readonly reserve: Limit;
  /** Whether the group has no reserve for the loss of its largest unit before anything is placed. */
  readonly lacksReserve: boolean;
}

export interface RackCooling {
  readonly uses: readonly LimitUse[];
  readonly obstacles: readonly PlacementObstacle[];
  readonly air?: CoolingGroup;
  readonly liquid?: CoolingGroup;
}

/** Limits of the heat that devices add to cooling units. `CoolingBalance` divides the heat among the units. */
export class CoolingLimits {
  readonly #topology: Topology;
  readonly #wanted: PlacementRequest;
  readonly #balance: CoolingBalance;
  readonly #units = new Map<Crac, Limit>();
  readonly #groups = new Map<string, CoolingGroup>();
  /** Heat in watts that planned devices add to each unit. */
  readonly #plannedW = new Map<Crac, number>();

  constructor(topology: Topology, wanted: PlacementRequest) {
    this.#topology = topology;
    this.#wanted = wanted;
    this.#balance = new CoolingBalance(topology, { basis: wanted.basis, reserveUnits: 1, failedCracCodes: [] });
    this.#addPlannedHeat();
    for (const rack of topology.inventory.racks) for (const medium of COOLING_MEDIUMS) this.#findGroup(rack, medium);
  }

  computeRackCooling(rack: Rack): RackCooling {
    const served = this.#topology.mediaServing(rack);
    const uses: LimitUse[] = [];
    const obstacles: PlacementObstacle[] = [];
    const air = this.#findGroup(rack, "AIR");
    const liquid = this.#findGroup(rack, "LIQUID");
    for (const [medium, group, isServed] of [
      ["AIR", air, served.air],
      ["LIQUID", liquid, served.liquid],
    ] as const) {
      const watts = medium === "AIR" ? this.#wanted.airW : this.#wanted.liquidW;
      if (watts <= 0) continue;
      if (!isServed) obstacles.push(createNoUnitObstacle(rack, medium));
      else if (group !== undefined && group.shares.length === 0) obstacles.push(createUnitsDownObstacle(rack, group));
      else if (group !== undefined) uses.push(...this.#listUses(group, watts));
    }
    return { uses, obstacles, ...(air !== undefined && { air }), ...(liquid !== undefined && { liquid }) };
  }

  #listUses(group: CoolingGroup, watts: number): readonly LimitUse[] {
    const found: LimitUse[] = group.shares.map(({ limit, share }) => ({ limit, each: watts * share }));
    for (const other of this.#groups.values()) {
      if (other.medium !== group.medium) continue;
      const shared = group.shares.filter(({ crac }) => other.units.includes(crac));
      const each = shared.reduce((sum, { share }) => sum + share, 0) * watts;
      if (each > 0) found.push({ limit: other.reserve, each });
    }
    return found;
  }

  #findGroup(rack: Rack, medium: CoolingMedium): CoolingGroup | undefined {
    const at = this.#findLocation(rack);
    const units = at === undefined ? [] : this.#balance.groupUnitsAtLocation(at)[medium];
    if (units.length === 0) return undefined;
    const key = units
      .map(({ code }) => codeKey(code))
      .toSorted()
      .join("\n");
    return this.#groups.getOrInsertComputed(key, () => this.#createGroup(units, medium));
  }

  #findLocation({ code, location }: Rack): number | undefined {
    const areas = listAreaKeys({ rackCode: code, ...(location !== undefined && { location }) });
    const inside = this.#balance.listLocationsInArea(`rack:${codeKey(code)}`);
    return inside.find((at) => {
      const own = this.#balance.getLocation(at)?.areas;
      return own?.size === areas.length && areas.every((area) => own.has(area));
    });
  }

  #createGroup(units: readonly Crac[], medium: CoolingMedium): CoolingGroup {
    const working = units.filter((crac) => this.#balance.getEffectiveKw(crac) > 0);
    const effective = working.map((crac) => this.#balance.getEffectiveKw(crac));
    const total = sumNumbers(effective);
    const shares = working.map((crac) => ({
      crac,
      share: this.#balance.getEffectiveKw(crac) / total,
      limit: this.#findUnitLimit(crac),
    }));
    const standby = sumNumbers(units.filter(({ status }) => status === "STANDBY").map(computeDeratedKw));
    const capacity = (total + standby - Math.max(0, ...effective)) * 1000;
    const used = sumNumbers(shares.map(({ limit }) => limit.used));
    const lacksReserve = used > capacity;
    const most = lacksReserve ? Number.POSITIVE_INFINITY : capacity * (1 - this.#wanted.keep);
    const ref = `crac:${units[0]?.code ?? ""}`;
    const reserve = new Limit({ reason: "COOLING_RESERVE", ref, unit: "W", capacity, maxUse: most, used });
    return { medium, units, shares, reserve, lacksReserve };
  }

  #findUnitLimit(crac: Crac): Limit {
    return this.#units.getOrInsertComputed(crac, () => {
      const capacity = this.#balance.getEffectiveKw(crac) * 1000;
      const used = this.#balance.computeUnitLoadKw(crac) * 1000 + (this.#plannedW.get(crac) ?? 0);
      return new Limit({
        reason: "COOLING_CAPACITY",
        ref: `crac:${crac.code}`,
        unit: "W",
        capacity,
        maxUse: capacity * (1 - this.#wanted.keep),
        used,
      });
    });
  }

  /** Adds the heat of racked devices that are off or planned, because their positions are reserved. */
  #addPlannedHeat(): void {
    const { basis } = this.#wanted;
    for (const device of this.#topology.inventory.devices) {
      if (device.rackCode === undefined || isInService(device) || device.status === "INVENTORY") continue;
      const rack = this.#topology.rack(device.rackCode);
      const at = rack === undefined ? undefined : this.#findLocation(rack);
      if (at === undefined) continue;
      const air = computeAirHeatW(device, basis);
      this.#divideHeat(this.#balance.groupUnitsAtLocation(at).AIR, air);
      this.#divideHeat(this.#balance.groupUnitsAtLocation(at).LIQUID, getHeatW(device, basis) - air);
    }
  }

  #divideHeat(units: readonly Crac[], watts: number): void {
    const total = sumNumbers(units.map((crac) => this.#balance.getEffectiveKw(crac)));
    for (const crac of total > 0 ? units : []) {
      const share = (watts * this.#balance.getEffectiveKw(crac)) / total;
      this.#plannedW.set(crac, (this.#plannedW.get(crac) ?? 0) + share);
    }
  }
}

/** Returns the remaining capacity of a group in kilowatts: with all units, and after the loss of the largest unit. */
export function computeGroupHeadroom({ shares, reserve }: CoolingGroup): {
  readonly allKw: number;
  readonly reserveKw: number;
} {
  const carried = sumNumbers(shares.map(({ limit }) => limit.used));
  const capacity = sumNumbers(shares.map(({ limit }) => limit.capacity));
  return { allKw: (capacity - carried) / 1000, reserveKw: (reserve.capacity - carried) / 1000 };
}

function createNoUnitObstacle({ code }: Rack, medium: CoolingMedium): PlacementObstacle {
  const what = medium === "AIR" ? "air" : "liquid";
  return {
    reason: "NO_COOLING_UNIT",
    message: `No cooling unit is recorded that takes ${what} heat from rack "${code}"`,
    ref: `rack:${code}`,
  };
}

function createUnitsDownObstacle({ code }: Rack, { units }: CoolingGroup): PlacementObstacle {
  return {
    reason: "COOLING_CAPACITY",
    message: `None of the ${units.length} cooling units that serve rack "${code}" works`,
    ref: `crac:${units[0]?.code ?? ""}`,
  };
}

const PHASES = ["A", "B", "C"] as const;

/** Limits of one phase of a three-phase outlet, in volt-amperes. */
interface PhaseLimit {
  readonly now: Limit;
  readonly alone: Limit;
}

/** Limits of three-phase breakers, by phase if outlets record their phases. */
export class PhaseLimits {
  readonly #state: SupplyLoadState;
  readonly #wanted: PlacementRequest;
  readonly #limits = new Map<number, readonly PhaseLimit[]>();

  constructor(state: SupplyLoadState, wanted: PlacementRequest) {
    this.#state = state;
    this.#wanted = wanted;
  }

  /** Returns the use of the upstream phases by a device's inlet, whose share of the device's draw is `part`. */
  listUses(path: UpstreamLoads, leg: PhaseLeg | undefined, part: number): readonly LimitUse[] {
    if (this.#state.carried.loads.phasesVa === undefined) return [];
    const voltAmperes = this.#wanted.drawW / this.#wanted.powerFactor;
    const found: LimitUse[] = [];
    for (const [index, share] of path) {
      const limits = this.#limits.getOrInsertComputed(index, () => this.#createLimits(index));
      for (const [at, { now, alone }] of limits.entries()) {
        // Without a leg, all phases carry the same share.
        const conducts = leg === undefined ? 1 / 3 : computeLegShare(leg, at);
        if (conducts === 0) continue;
        const each = voltAmperes * conducts;
        found.push({ limit: now, each: each * share * part }, { limit: alone, each });
      }
    }
    return found;
  }

  #createLimits(index: number): readonly PhaseLimit[] {
    const node = this.#state.graph.nodes[index];
    if (node?.kind !== "OUTLET" || !node.isThreePhase || (node.capacityW ?? 0) <= 0) return [];
    const capacity = (node.capacityW ?? 0) / 3;
    const { keep, allowExisting } = this.#wanted;
    const { carried, also, planned } = this.#state;
    // The load that is compared with the limit is three times that of the busiest phase.
    const all = also === undefined ? [carried] : [carried, also];
    const alone =
      Math.max(...all.map(({ failover }) => failover.loads[index] ?? 0)) / 3 + planned.sumFullDraws(index).voltAmperes;
    const limit = (capacity * node.maxUtilizationPct) / 100;
    return PHASES.map((_, phase) => {
      const used =
        Math.max(...all.map(({ loads }) => loads.phasesVa?.[3 * index + phase] ?? 0)) +
        (planned.distributedLoads[index] ?? 0);
      const shared = { reason: "PHASE_LIMIT" as const, ref: node.ref, unit: "VA", capacity };
      const most = allowExisting && used > limit ? capacity : limit * (1 - keep);
      const mostAlone = allowExisting && alone > capacity ? Number.POSITIVE_INFINITY : capacity * (1 - keep);
      return {
        now: new Limit({ ...shared, maxUse: most, used }),
        alone: new Limit({ ...shared, maxUse: mostAlone, used: alone }),
      };
    });
  }
}
