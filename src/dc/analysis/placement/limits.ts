import type { PlacementRefusal } from "#gen/datacenter/v1/messages.ts";
import type { CoolingMethod, Face, LoadBasis, PlacementSpread, Redundancy } from "../../model/enum_values.ts";
import type { Ref } from "../../model/ref.ts";
import type { Device } from "../../model/resources.ts";
import type { PowerEdge } from "../power/power_edges.ts";
import type { CarriedLoads } from "../power/power_failover.ts";
import type { KillerList } from "../power/power_killers.ts";
import { computeInletShare, type LiveSet } from "../power/power_live.ts";
import { computeComparableLoad } from "../power/power_node_table.ts";
import type { PowerGraph } from "../power/power_nodes.ts";
import type { PlannedLoads } from "./planned_loads.ts";

/** Tolerance of comparisons: amounts are sums of fractions, so smaller differences count as equal. */
export const AMOUNT_TOLERANCE = 1e-6;

interface LimitInput {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  /** Amount that counts as 100 %. */
  readonly capacity: number;
  /** Largest amount that may be used. */
  readonly maxUse: number;
  readonly used: number;
}

/** A limited amount that every placed device adds to: the load of a supply or cooling unit, or the weight in a rack. */
export class Limit {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  readonly capacity: number;
  readonly maxUse: number;
  /** Current use, including the devices placed so far. */
  used: number;
  /** Additional use after a single loss, by the lost node; the largest value counts against the limit. */
  readonly #useAfterLoss = new Map<number, number>();
  #maxUseAfterLoss = 0;

  constructor({ reason, ref, unit, capacity, maxUse, used }: LimitInput) {
    this.reason = reason;
    this.ref = ref;
    this.unit = unit;
    this.capacity = capacity;
    this.maxUse = maxUse;
    this.used = used;
  }

  /** Returns how many further devices fit if every device uses the amount `each`. */
  countFitting(each: number, after?: AfterLoss): number {
    let most = this.#countFittingBeside(this.#maxUseAfterLoss, each);
    for (const loss of after?.losses ?? []) {
      most = Math.min(most, this.#countFittingBeside(this.#useAfterLoss.get(loss) ?? 0, each + (after?.more ?? 0)));
    }
    return most;
  }

  #countFittingBeside(others: number, each: number): number {
    const left = this.maxUse - this.used - others;
    if (left < -AMOUNT_TOLERANCE) return 0;
    return each <= 0 ? Number.POSITIVE_INFINITY : Math.floor((left + AMOUNT_TOLERANCE) / each);
  }

  addUse(each: number, after?: AfterLoss): void {
    this.used += each;
    for (const loss of after?.losses ?? []) {
      const sum = (this.#useAfterLoss.get(loss) ?? 0) + (after?.more ?? 0);
      this.#useAfterLoss.set(loss, sum);
      this.#maxUseAfterLoss = Math.max(this.#maxUseAfterLoss, sum);
    }
  }

  get usedPct(): number {
    return ((this.used + this.#maxUseAfterLoss) / this.capacity) * 100;
  }

  createObstacle(each: number, after?: AfterLoss): PlacementObstacle {
    if (COUNTED_REASONS.includes(this.reason)) return this.#createShortage(each);
    const more = (after?.losses ?? []).map((loss) => (this.#useAfterLoss.get(loss) ?? 0) + (after?.more ?? 0));
    const value = roundToTenths(this.used + each + Math.max(this.#maxUseAfterLoss, ...more));
    const most = roundToTenths(this.maxUse);
    return {
      reason: this.reason,
      message: `${this.ref} would come to ${formatUse(value, most, this.unit)}${PURPOSE_BY_REASON[this.reason] ?? ""}`,
      ref: this.ref,
      value,
      limit: most,
    };
  }

  #createShortage(each: number): PlacementObstacle {
    const left = Math.max(0, this.maxUse - this.used);
    const message = `${this.ref} has ${left} ${this.unit}, a device needs ${each}`;
    return { reason: this.reason, message, ref: this.ref, value: each, limit: left };
  }
}

/** Reasons whose limits count ports instead of measuring an amount. */
const COUNTED_REASONS: readonly RefusalReason[] = ["NO_OUTLET", "NO_SWITCH_PORT"];

const PURPOSE_BY_REASON: Readonly<Partial<Record<RefusalReason, string>>> = {
  SUPPLY_LIMIT: " with all sides live",
  SUPPLY_FAILOVER: " after the worst single failure",
  COOLING_RESERVE: " after the loss of the largest unit",
  PHASE_LIMIT: " on one phase",
};

/** Formats a value with its limit; watts with a limit of at least 1,000 W as kilowatts with three decimals. */
function formatUse(value: number, most: number, unit: string): string {
  if (unit !== "W" || most < 1000) return `${value} of ${most} ${unit}`;
  return `${Math.round(value) / 1000} of ${Math.round(most) / 1000} kW`;
}

function roundToTenths(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 10) / 10 : 0;
}

/** Additional use by a device after some single losses, beyond its use without a loss. */
interface AfterLoss {
  readonly losses: readonly number[];
  readonly more: number;
}

export interface LimitUse {
  readonly limit: Limit;
  readonly each: number;
  readonly after?: AfterLoss;
  /** Guaranteed minimum of the use, if the actual use may be less than `each`. */
  readonly least?: number;
}

/** Returns an upper bound of the number of devices that fit under all of these limits. */
export function countMaxFittingDevices(uses: readonly LimitUse[]): number {
  return countFittingDevices(uses.map(({ limit, each, least = each }) => ({ limit, each: least })));
}

/** Returns the number of devices that fit under all of these limits. */
export function countFittingDevices(uses: readonly LimitUse[]): number {
  return Math.min(...uses.map(({ limit, each, after }) => limit.countFitting(each, after)));
}

/** Network ports that each device needs, all of them on switches in its rack or row. */
export interface RequestedPorts {
  readonly count: number;
  readonly type?: string;
  readonly speedMbps?: number;
}

/** A power inlet of the devices to place. */
export interface RequestedInlet {
  readonly name: string;
  readonly type?: string;
}

/** Equal devices to place. Powers are in watts. */
export interface PlacementRequest {
  readonly count: number;
  /** Device record that is written for every position, with code, rack, position and sources filled in. */
  readonly template: Omit<Device, "code">;
  readonly uHeight: number;
  readonly face: Face;
  readonly drawW: number;
  readonly airW: number;
  readonly liquidW: number;
  /** Watts divided by volt-amperes, above 0 and at most 1. */
  readonly powerFactor: number;
  readonly inlets: readonly RequestedInlet[];
  /** Number of live inlets that a device requires to stay on. */
  readonly need: number;
  readonly redundancy: Redundancy;
  readonly ports: readonly RequestedPorts[];
  readonly coolingMethod: CoolingMethod;
  readonly tenant?: string;
  readonly basis: LoadBasis;
  readonly scope?: Ref;
  readonly spread: readonly PlacementSpread[];
  /** Share of power, cooling and weight limits to keep free, from 0 to below 1. */
  readonly keep: number;
  /** Whether supplies that already exceed a limit may be used. */
  readonly allowExisting: boolean;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Rules that a rack must satisfy, by refusal reason. Clients switch on the reasons, so they are never renamed. */
export const REFUSAL_RULES = {
  RACK_STATUS: "The rack is ACTIVE or AVAILABLE",
  RACK_TENANT: "The rack belongs to no other tenant",
  NO_SPACE: "Free adjacent units on the wanted side; units reserved for others are not free",
  WEIGHT_LIMIT: "Recorded weight below 90 % of what the rack may hold",
  RACK_POWER: "Draw within the rack's power capacity",
  RACK_COOLING: "Air heat within the rack's cooling capacity",
  AIRFLOW: "The rack's airflow suits the device",
  COOLING_METHOD: "The rack's cooling suits the device",
  NO_COOLING_UNIT: "Cooling units serve the rack",
  COOLING_CAPACITY: "The cooling units carry the heat",
  COOLING_RESERVE: "The cooling units keep the reserve of one unit if they have it",
  NO_SUPPLY: "The rack has PDUs",
  SUPPLY_DEAD: "The PDUs give power now",
  ONE_SIDE:
    "Two inlets or more are on two sides; with TWO_N no single failure takes both. The stricter demand of device and rack counts",
  SINGLE_CORDED: "Two inlets or more if device or rack demand redundancy",
  NO_OUTLET: "A free outlet for every inlet that takes its plug and carries it",
  SUPPLY_LIMIT: "Everything upstream stays within its long-term limit with all sides live",
  SUPPLY_FAILOVER: "Everything upstream stays within 100 % after the worst single failure",
  PHASE_LIMIT: "Each phase stays within both of these limits",
  NO_SWITCH: "The rack has switches, or its row if the rack has none",
  NO_SWITCH_PORT: "Free ports of the wanted kinds on these switches",
} as const;

export type RefusalReason = keyof typeof REFUSAL_RULES;

/** One reason why a rack accepts no device. `value` is the amount with one more device, in the unit of `limit`. */
export type PlacementObstacle = Pick<PlacementRefusal, "message" | "value" | "limit"> & {
  readonly reason: RefusalReason;
  readonly ref?: string;
};

/** Watts that one watt drawn downstream adds, by upstream node; 0 for nodes that are only required to be live. */
export type UpstreamLoads = ReadonlyMap<number, number>;

/** Limits of one upstream element. */
interface ElementLimits {
  /** Limit of the load with all sides live. */
  readonly now: Limit;
  /** Limit of the largest load after any single failure. */
  readonly alone: Limit;
}

/** Inlets of a device that draw from one tap. */
interface SuppliedInlets {
  readonly path: UpstreamLoads;
  /** Share of the device's inlets that draw from the tap. */
  readonly part: number;
  readonly killers: KillerList;
}

export interface SupplyLoadState {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  /** Loads now and after one failure by allocated draws, as the write rules compute them. */
  readonly carried: CarriedLoads;
  /** Loads by another requested basis. */
  readonly also?: CarriedLoads;
  readonly planned: PlannedLoads;
}

/** Computes the load that devices add upstream of a source, and the limits of the upstream elements. */
export class SupplyPaths {
  readonly #state: SupplyLoadState;
  readonly #wanted: PlacementRequest;
  readonly #limits = new Map<number, ElementLimits | undefined>();

  constructor(state: SupplyLoadState, wanted: PlacementRequest) {
    this.#state = state;
    this.#wanted = wanted;
  }

  /**
   * Returns the loads upstream of a device.
   *
   * @param through inlet by which the watts arrive, if the outlet is bound to one
   * @returns undefined if the supply has a cycle
   */
  computeUpstreamLoads(device: number, through?: string): UpstreamLoads | undefined {
    const path = new Map<number, number>();
    const steps: { readonly index: number; readonly share: number; readonly through?: string | undefined }[] = [
      { index: device, share: 1, through },
    ];
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      if (this.#state.planned.circularNodes.has(step.index)) return undefined;
      path.set(step.index, (path.get(step.index) ?? 0) + step.share);
      for (const edge of this.#state.graph.inlets.listEdges(step.index)) {
        const share = edge.how === "GATE" ? 0 : step.share * this.#computePathShare(edge, step.through);
        steps.push({ index: edge.from, share, through: edge.through });
      }
    }
    return path;
  }

  #computePathShare(edge: PowerEdge, through: string | undefined): number {
    const { graph, live } = this.#state;
    const node = graph.nodes[edge.to];
    if (node?.kind === "OUTLET" || edge.how === "BAY") return 1;
    if (through !== undefined) return edge.inlet === through ? 1 : 0;
    return live[edge.from] === 1 ? computeInletShare(graph, live, graph.edges.getEdgeNumber(edge)) : 0;
  }

  /** Returns the use of every limit upstream of a device's inlets. */
  listUses(sides: readonly SuppliedInlets[]): readonly LimitUse[] {
    const parts = new Map<number, number>();
    for (const { path, part } of sides) {
      for (const [index, share] of path) parts.set(index, (parts.get(index) ?? 0) + share * part);
    }
    const isChained = sides.length > 1 && sides.every(({ path }) => this.#isChain(path));
    const found: LimitUse[] = [];
    for (const [index, part] of parts) {
      const limits = this.#limits.getOrInsertComputed(index, () => this.#createLimits(index));
      if (limits === undefined) continue;
      const draw = this.#getDeviceDraw(index);
      // An element carries the whole device after a failure that turns off all other inlets of the device.
      const least = this.#doesWorstLossMoveAll(index, sides) ? draw : draw * part;
      const losses = isChained ? listWholeDeviceLosses(index, sides) : undefined;
      const alone =
        losses === undefined ? { each: draw } : { each: draw * part, after: { losses, more: draw * (1 - part) } };
      found.push({ limit: limits.now, each: draw * part }, { limit: limits.alone, ...alone, least });
    }
    return found;
  }

  /** Whether power has only one path upstream, so that a loss moves no load to other upstream elements. */
  #isChain(path: UpstreamLoads): boolean {
    const { inlets } = this.#state.graph;
    return [...path.keys()].every((index) => inlets.listEdges(index).filter(({ how }) => how !== "GATE").length < 2);
  }

  #doesWorstLossMoveAll(index: number, sides: readonly SuppliedInlets[]): boolean {
    const lost = this.#state.carried.failover.lost[index] ?? -1;
    return lost >= 0 && sides.every(({ path, killers }) => killers.includes(lost) !== path.has(index));
  }

  /** Returns the draw of a device in the unit of an element's capacity. */
  #getDeviceDraw(index: number): number {
    const { drawW, powerFactor } = this.#wanted;
    return this.#state.graph.nodes[index]?.kind === "OUTLET" ? drawW / powerFactor : drawW;
  }

  #createLimits(index: number): ElementLimits | undefined {
    const { graph, carried, also, planned } = this.#state;
    const { keep, allowExisting } = this.#wanted;
    const { ref = "", capacityW: capacity = 0, maxUtilizationPct = 0, kind } = graph.nodes[index] ?? {};
    if (capacity <= 0) return undefined;
    const unit = kind === "OUTLET" ? "VA" : "W";
    const all = also === undefined ? [carried] : [carried, also];
    const now = Math.max(...all.map(({ loads }) => computeComparableLoad(graph, index, loads)));
    const used = now + (planned.distributedLoads[index] ?? 0);
    const later = planned.sumFullDraws(index);
    const worst = Math.max(...all.map(({ failover }) => failover.loads[index] ?? 0));
    const alone = worst + (kind === "OUTLET" ? later.voltAmperes : later.watts);
    const limit = (capacity * maxUtilizationPct) / 100;
    const warns = { now: used > limit, alone: alone > capacity };
    // If the request accepts warnings, a supply that has one may be loaded up to its rating, beyond which it trips.
    const most = warns.now && allowExisting ? capacity : limit * (1 - keep);
    const mostAlone = warns.alone && allowExisting ? Number.POSITIVE_INFINITY : capacity * (1 - keep);
    return {
      now: new Limit({ reason: "SUPPLY_LIMIT", ref, unit, capacity, maxUse: most, used }),
      alone: new Limit({ reason: "SUPPLY_FAILOVER", ref, unit, capacity, maxUse: mostAlone, used: alone }),
    };
  }
}

/** Lists losses that turn off all inlets of a device except those downstream of one element, which then carries it. */
function listWholeDeviceLosses(index: number, sides: readonly SuppliedInlets[]): readonly number[] {
  const own = sides.filter(({ path }) => path.has(index));
  const others = sides.filter(({ path }) => !path.has(index));
  const [first, ...more] = others;
  return (first?.killers ?? []).filter(
    (loss) => more.every(({ killers }) => killers.includes(loss)) && !own.some(({ killers }) => killers.includes(loss)),
  );
}
