import type { Steps } from "#kernel/steps.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import { compareText } from "../../model/ref.ts";
import type { Rack } from "../../model/resources.ts";
import { listPathUses, type Pauses, prepareSupply } from "../placement/find_places.ts";
import {
  AMOUNT_TOLERANCE,
  type Limit,
  type LimitUse,
  type PlacementRequest,
  type RefusalReason,
  type RequestedInlet,
  type SupplyLoadState,
} from "../placement/limits.ts";
import { createRackLimits, listSupplyPairs, type SupplyTap } from "../placement/rack_taps.ts";
import type { Topology } from "../topology.ts";

/** Power that can still be drawn in some racks, and the limit that stops most of their supplies. */
interface FreePower {
  /** Free watts; below 0 if a limit is exceeded by that much. Undefined if some supply has no limit. */
  readonly watts: number | undefined;
  readonly reachedLimit: ReachedLimit | undefined;
}

/** A reached limit, and the number of the node after whose loss it is reached; -1 if it is reached without a loss. */
export interface ReachedLimit {
  readonly limit: Limit;
  readonly loss: number;
}

/** Minimum rate of growth. Smaller rates result from rounding and count as 0. */
const MIN_GROWTH_RATE = 1e-9;
const REASONS_NOW: readonly RefusalReason[] = ["SUPPLY_LIMIT", "RACK_POWER"];
const REASONS_AFTER_FAILURE: readonly RefusalReason[] = [...REASONS_NOW, "SUPPLY_FAILOVER"];

/**
 * Computes the power that racks can still draw together: the draw of all racks grows equally, and each rack stops when
 * an upstream limit is reached.
 *
 * @param when whether limits after the loss of any one element apply as well
 */
export function* computeFreePower(racks: readonly SuppliedRack[], when: "NOW" | "AFTER_FAILURE"): Steps<FreePower> {
  const filling = new DrawGrowth();
  yield* filling.addRacks(racks, when === "NOW" ? REASONS_NOW : REASONS_AFTER_FAILURE);
  yield* filling.run();
  return filling.getFreePower();
}

/** A supply of a rack. `stoppedAt` is the growth in watts at which its draw stopped; undefined while it grows. */
interface GrowingSupply {
  readonly share: number;
  readonly meters: readonly LimitMeter[];
  stoppedAt: number | undefined;
  reachedLimit: ReachedLimit | undefined;
}

class DrawGrowth {
  readonly #supplies: GrowingSupply[] = [];
  readonly #meters = new Map<Limit, LimitMeter>();
  /** Watts by which the draw of each rack has grown. */
  #level = 0;

  *addRacks(racks: readonly SuppliedRack[], reasons: readonly RefusalReason[]): Steps<void> {
    for (const { supplyPaths } of racks) {
      yield;
      for (const { uses, part } of supplyPaths) {
        const counted = uses.filter(({ limit }) => reasons.includes(limit.reason) && Number.isFinite(limit.maxUse));
        const meters = counted.map(({ limit }) => this.#findMeter(limit));
        const way: GrowingSupply = { share: part, meters, stoppedAt: undefined, reachedLimit: undefined };
        for (const { limit, each, after } of counted) this.#findMeter(limit).addSupply(way, each * part, after);
        this.#supplies.push(way);
      }
    }
  }

  #findMeter(limit: Limit): LimitMeter {
    return this.#meters.getOrInsertComputed(limit, () => new LimitMeter(limit));
  }

  *run(): Steps<void> {
    const meters = [...this.#meters.values()];
    for (;;) {
      yield;
      let first: LimitMeter | undefined;
      for (const meter of meters) if (meter.fullLevel < (first?.fullLevel ?? Number.POSITIVE_INFINITY)) first = meter;
      if (first === undefined) return;
      this.#level = Math.max(this.#level, first.fullLevel);
      this.#stopSupplies(first);
    }
  }

  /** Stops the growth of the supplies that stop at a reached limit. */
  #stopSupplies(full: LimitMeter): void {
    const stopped = full.listStoppedSupplies();
    const touched = new Set<LimitMeter>([full]);
    for (const way of stopped) {
      way.stoppedAt = this.#level;
      way.reachedLimit = { limit: full.limit, loss: full.decisiveLoss };
      for (const meter of way.meters) touched.add(meter);
    }
    for (const meter of touched) meter.advanceToLevel(this.#level, stopped);
  }

  getFreePower(): FreePower {
    if (this.#supplies.some(({ stoppedAt }) => stoppedAt === undefined))
      return { watts: undefined, reachedLimit: undefined };
    const watts = this.#supplies.reduce((sum, { share, stoppedAt = 0 }) => sum + share * stoppedAt, 0);
    const stop = findCommonestLimit(this.#supplies);
    if (watts > AMOUNT_TOLERANCE || stop === undefined) return { watts, reachedLimit: stop };
    // Nothing fits, so find by how much a limit is exceeded.
    const worst = this.#supplies.reduce((least, one) => {
      return one.reachedLimit !== undefined && getRemainingLimit(one.reachedLimit) < getRemainingLimit(least)
        ? one.reachedLimit
        : least;
    }, stop);
    return { watts: Math.min(0, getRemainingLimit(worst)), reachedLimit: worst };
  }
}

function getRemainingLimit({ limit }: ReachedLimit): number {
  return limit.maxUse - limit.used;
}

/** Returns the limit that stopped most supplies; among equals, the first by reference. */
function findCommonestLimit(ways: readonly GrowingSupply[]): ReachedLimit | undefined {
  const counts = new Map<string, { readonly stop: ReachedLimit; count: number }>();
  for (const { reachedLimit } of ways) {
    if (reachedLimit === undefined) continue;
    const key = `${reachedLimit.limit.reason} ${reachedLimit.limit.ref}`;
    counts.getOrInsertComputed(key, () => ({ stop: reachedLimit, count: 0 })).count += 1;
  }
  const [most] = [...counts].sort(([a, one], [b, other]) => other.count - one.count || compareText(a, b));
  return most?.[1].stop;
}

interface MeterUse {
  spent: number;
  rate: number;
}

/** Tracks the use of a limit while draws grow. */
class LimitMeter {
  readonly limit: Limit;
  /** Growth at which the limit is reached; infinite if no counted draw grows. */
  fullLevel = Number.POSITIVE_INFINITY;
  /** Node whose loss makes the limit reached; -1 if no loss is needed. */
  decisiveLoss = -1;
  readonly #rates = new Map<GrowingSupply, number>();
  readonly #commonUse: MeterUse = { spent: 0, rate: 0 };
  /** Use that is added only after a loss, by the lost node. */
  readonly #useAfterLoss = new Map<number, MeterUse>();
  readonly #lossRates = new Map<GrowingSupply, readonly (readonly [loss: number, rate: number])[]>();
  #level = 0;

  constructor(limit: Limit) {
    this.limit = limit;
  }

  addSupply(
    way: GrowingSupply,
    rate: number,
    after: { readonly losses: readonly number[]; readonly more: number } | undefined,
  ): void {
    this.#rates.set(way, rate);
    this.#commonUse.rate += rate;
    const more = (after?.losses ?? []).map((loss) => [loss, (after?.more ?? 0) * way.share] as const);
    this.#lossRates.set(way, more);
    for (const [loss, each] of more) {
      this.#useAfterLoss.getOrInsertComputed(loss, () => ({ spent: 0, rate: 0 })).rate += each;
    }
    this.#updateFullLevel();
  }

  /** Returns the supplies that stop at the limit: those whose growth uses it, or all counted ones if it is exceeded. */
  listStoppedSupplies(): readonly GrowingSupply[] {
    const ways = [...this.#rates.keys()];
    if (this.limit.maxUse - this.limit.used < -AMOUNT_TOLERANCE) return ways;
    return ways.filter(
      (way) =>
        (this.#rates.get(way) ?? 0) > 0 || this.#lossRates.get(way)?.some(([loss]) => loss === this.decisiveLoss),
    );
  }

  /** Updates the use to a level of growth. @param stopped supplies that no longer grow */
  advanceToLevel(level: number, stopped: readonly GrowingSupply[]): void {
    const passed = level - this.#level;
    this.#level = level;
    for (const grown of [this.#commonUse, ...this.#useAfterLoss.values()]) grown.spent += grown.rate * passed;
    for (const way of stopped) {
      const rate = this.#rates.get(way);
      if (rate === undefined) continue;
      this.#rates.delete(way);
      this.#commonUse.rate -= rate;
      for (const [loss, each] of this.#lossRates.get(way) ?? []) {
        const grown = this.#useAfterLoss.get(loss);
        if (grown !== undefined) grown.rate -= each;
      }
    }
    this.#updateFullLevel();
  }

  #updateFullLevel(): void {
    this.fullLevel = Number.POSITIVE_INFINITY;
    if (this.#rates.size === 0) return;
    const left = this.limit.maxUse - this.limit.used - this.#commonUse.spent;
    this.#lowerFullLevel(left, this.#commonUse.rate, -1);
    for (const [loss, { spent, rate }] of this.#useAfterLoss)
      this.#lowerFullLevel(left - spent, this.#commonUse.rate + rate, loss);
  }

  #lowerFullLevel(left: number, rate: number, loss: number): void {
    const isExceeded = this.limit.maxUse - this.limit.used < -AMOUNT_TOLERANCE;
    if (!isExceeded && rate <= MIN_GROWTH_RATE) return;
    const at = this.#level + (isExceeded ? 0 : Math.max(0, left) / rate);
    if (at >= this.fullLevel) return;
    this.fullLevel = at;
    this.decisiveLoss = loss;
  }
}

/** One possible supply of further draw in a rack: the limits that every further watt uses. */
interface RackSupplyPath {
  readonly uses: readonly LimitUse[];
  /** Share of the rack's further draw, above 0 and at most 1. */
  readonly part: number;
}

/** A rack that accepts devices, with its possible supplies; none if no supply is live. */
export interface SuppliedRack {
  readonly rack: Rack;
  readonly supplyPaths: readonly RackSupplyPath[];
  readonly taps: readonly SupplyTap[];
}

/** Creates the request for a device of one watt, the unit in which free power is counted. */
function createOneWattRequest(basis: LoadBasis, now: string, inlets: readonly RequestedInlet[]): PlacementRequest {
  return {
    count: 1,
    template: { kind: "OTHER", status: "ACTIVE" },
    uHeight: 1,
    face: "FRONT",
    drawW: 1,
    airW: 0,
    liquidW: 0,
    powerFactor: 1,
    inlets,
    need: 1,
    redundancy: inlets.length > 1 ? "TWO_N" : "N",
    ports: [],
    coolingMethod: "AIR",
    basis,
    spread: [],
    keep: 0,
    allowExisting: false,
    now,
  };
}

const ONE_INLET: readonly RequestedInlet[] = [{ name: "a" }];
const TWO_INLETS: readonly RequestedInlet[] = [{ name: "a" }, { name: "b" }];

/**
 * Finds the limits upstream of every rack that accepts devices, by the rules of FindPlacement. Further draw has two
 * cords on sides that no single failure turns off together, or one cord if a rack has no such sides.
 *
 * Cost: that of examining the racks for a placement.
 */
export async function findSuppliedRacks(
  topology: Topology,
  racks: readonly Rack[],
  { basis, now }: { readonly basis: LoadBasis; readonly now: string },
  pauses: Pauses,
): Promise<{ readonly racks: readonly SuppliedRack[]; readonly state: SupplyLoadState }> {
  const [two, one] = [createOneWattRequest(basis, now, TWO_INLETS), createOneWattRequest(basis, now, ONE_INLET)];
  const { state, paths, taps } = await prepareSupply(topology, two, pauses);
  const found: SuppliedRack[] = [];
  for (const rack of racks) {
    await pauses.yieldIfDue();
    const { power, obstacles } = createRackLimits(rack, topology.listDevicesInRack(rack.code), two);
    if (obstacles.some(({ reason }) => reason === "RACK_STATUS")) continue;
    const tapped = await taps.findRackTaps(rack.code);
    const paired = listSupplyPairs(rack, tapped, two).pairs;
    const [pairs, wanted] = paired.length > 0 ? [paired, two] : [listSupplyPairs(rack, tapped, one).pairs, one];
    const ways = pairs.map((pair) => ({
      uses: [{ limit: power, each: 1 }, ...listPathUses(pair, paths, wanted)],
      part: 1 / pairs.length,
    }));
    found.push({ rack, supplyPaths: ways, taps: tapped.taps });
  }
  return { racks: found, state };
}
