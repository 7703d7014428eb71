import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import type { Limit } from "../placement/limits.ts";
import type { RefusalReason } from "../placement/wanted.ts";
import type { SuppliedRack } from "./rack_supply_limits.ts";

/** Power that can still be drawn in some racks, and the limit that stops most of their supplies. */
export interface FreePower {
  /** Free watts; below 0 if a limit is exceeded by that much. Undefined if some supply has no limit. */
  readonly watts: number | undefined;
  readonly stop: ReachedLimit | undefined;
}

/** A reached limit, and the number of the node after whose loss it is reached; -1 if it is reached without a loss. */
export interface ReachedLimit {
  readonly limit: Limit;
  readonly loss: number;
}

/** Tolerance of comparisons: amounts are sums of fractions, so smaller differences count as equal. */
const TOLERANCE = 1e-6;
/** Minimum rate of growth. Smaller rates result from rounding and count as 0. */
const LEAST_RATE = 1e-9;
const NOW: readonly RefusalReason[] = ["SUPPLY_LIMIT", "RACK_POWER"];
const AFTER_FAILURE: readonly RefusalReason[] = [...NOW, "SUPPLY_FAILOVER"];

/**
 * Computes the power that racks can still draw together: the draw of all racks grows equally, and each rack stops when
 * an upstream limit is reached.
 *
 * @param when whether limits after the loss of any one element apply as well
 */
export function* computeFreePower(racks: readonly SuppliedRack[], when: "NOW" | "AFTER_FAILURE"): Steps<FreePower> {
  const filling = new Filling();
  yield* filling.take(racks, when === "NOW" ? NOW : AFTER_FAILURE);
  yield* filling.run();
  return filling.found();
}

/** A supply of a rack. `stoppedAt` is the growth in watts at which its draw stopped; undefined while it grows. */
interface Growing {
  readonly part: number;
  readonly meters: readonly Meter[];
  stoppedAt: number | undefined;
  stop: ReachedLimit | undefined;
}

class Filling {
  readonly #ways: Growing[] = [];
  readonly #meters = new Map<Limit, Meter>();
  /** Watts by which the draw of each rack has grown. */
  #level = 0;

  *take(racks: readonly SuppliedRack[], reasons: readonly RefusalReason[]): Steps<void> {
    for (const { ways } of racks) {
      yield;
      for (const { uses, part } of ways) {
        const counted = uses.filter(({ limit }) => reasons.includes(limit.reason) && Number.isFinite(limit.most));
        const meters = counted.map(({ limit }) => this.#meterOf(limit));
        const way: Growing = { part, meters, stoppedAt: undefined, stop: undefined };
        for (const { limit, each, after } of counted) this.#meterOf(limit).add(way, each * part, after);
        this.#ways.push(way);
      }
    }
  }

  #meterOf(limit: Limit): Meter {
    const known = this.#meters.get(limit) ?? new Meter(limit);
    this.#meters.set(limit, known);
    return known;
  }

  *run(): Steps<void> {
    const meters = [...this.#meters.values()];
    for (;;) {
      yield;
      let first: Meter | undefined;
      for (const meter of meters) if (meter.fullAt < (first?.fullAt ?? Number.POSITIVE_INFINITY)) first = meter;
      if (first === undefined) return;
      this.#level = Math.max(this.#level, first.fullAt);
      this.#stop(first);
    }
  }

  /** Stops the growth of the supplies that stop at a reached limit. */
  #stop(full: Meter): void {
    const stopped = full.stopped();
    const touched = new Set<Meter>([full]);
    for (const way of stopped) {
      way.stoppedAt = this.#level;
      way.stop = { limit: full.limit, loss: full.loss };
      for (const meter of way.meters) touched.add(meter);
    }
    for (const meter of touched) meter.settle(this.#level, stopped);
  }

  found(): FreePower {
    if (this.#ways.some(({ stoppedAt }) => stoppedAt === undefined)) return { watts: undefined, stop: undefined };
    const watts = this.#ways.reduce((sum, { part, stoppedAt = 0 }) => sum + part * stoppedAt, 0);
    const stop = findCommonestLimit(this.#ways);
    if (watts > TOLERANCE || stop === undefined) return { watts, stop };
    // Nothing fits, so find by how much a limit is exceeded.
    const worst = this.#ways.reduce((least, one) => {
      return one.stop !== undefined && getRemainingLimit(one.stop) < getRemainingLimit(least) ? one.stop : least;
    }, stop);
    return { watts: Math.min(0, getRemainingLimit(worst)), stop: worst };
  }
}

function getRemainingLimit({ limit }: ReachedLimit): number {
  return limit.most - limit.used;
}

/** Returns the limit that stopped most supplies; among equals, the first by reference. */
function findCommonestLimit(ways: readonly Growing[]): ReachedLimit | undefined {
  const counts = new Map<string, { readonly stop: ReachedLimit; count: number }>();
  for (const { stop } of ways) {
    if (stop === undefined) continue;
    const key = `${stop.limit.reason} ${stop.limit.ref}`;
    const known = counts.get(key) ?? { stop, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  const [most] = [...counts].sort(([a, one], [b, other]) => other.count - one.count || compareText(a, b));
  return most?.[1].stop;
}

interface Grown {
  spent: number;
  rate: number;
}

/** Tracks the use of a limit while draws grow. */
class Meter {
  readonly limit: Limit;
  /** Growth at which the limit is reached; infinite if no counted draw grows. */
  fullAt = Number.POSITIVE_INFINITY;
  /** Node whose loss makes the limit reached; -1 if no loss is needed. */
  loss = -1;
  readonly #rates = new Map<Growing, number>();
  readonly #all: Grown = { spent: 0, rate: 0 };
  /** Use that is added only after a loss, by the lost node. */
  readonly #after = new Map<number, Grown>();
  readonly #more = new Map<Growing, readonly (readonly [loss: number, rate: number])[]>();
  #since = 0;

  constructor(limit: Limit) {
    this.limit = limit;
  }

  add(
    way: Growing,
    rate: number,
    after: { readonly losses: readonly number[]; readonly more: number } | undefined,
  ): void {
    this.#rates.set(way, rate);
    this.#all.rate += rate;
    const more = (after?.losses ?? []).map((loss) => [loss, (after?.more ?? 0) * way.part] as const);
    this.#more.set(way, more);
    for (const [loss, each] of more) {
      const grown = this.#after.get(loss) ?? { spent: 0, rate: 0 };
      grown.rate += each;
      this.#after.set(loss, grown);
    }
    this.#judge();
  }

  /** Returns the supplies that stop at the limit: those whose growth uses it, or all counted ones if it is exceeded. */
  stopped(): readonly Growing[] {
    const ways = [...this.#rates.keys()];
    if (this.limit.most - this.limit.used < -TOLERANCE) return ways;
    return ways.filter(
      (way) => (this.#rates.get(way) ?? 0) > 0 || this.#more.get(way)?.some(([loss]) => loss === this.loss),
    );
  }

  /** Updates the use to a level of growth. @param stopped supplies that no longer grow */
  settle(level: number, stopped: readonly Growing[]): void {
    const passed = level - this.#since;
    this.#since = level;
    for (const grown of [this.#all, ...this.#after.values()]) grown.spent += grown.rate * passed;
    for (const way of stopped) {
      const rate = this.#rates.get(way);
      if (rate === undefined) continue;
      this.#rates.delete(way);
      this.#all.rate -= rate;
      for (const [loss, each] of this.#more.get(way) ?? []) {
        const grown = this.#after.get(loss);
        if (grown !== undefined) grown.rate -= each;
      }
    }
    this.#judge();
  }

  #judge(): void {
    this.fullAt = Number.POSITIVE_INFINITY;
    if (this.#rates.size === 0) return;
    const left = this.limit.most - this.limit.used - this.#all.spent;
    this.#fillBy(left, this.#all.rate, -1);
    for (const [loss, { spent, rate }] of this.#after) this.#fillBy(left - spent, this.#all.rate + rate, loss);
  }

  #fillBy(left: number, rate: number, loss: number): void {
    const isExceeded = this.limit.most - this.limit.used < -TOLERANCE;
    if (!isExceeded && rate <= LEAST_RATE) return;
    const at = this.#since + (isExceeded ? 0 : Math.max(0, left) / rate);
    if (at >= this.fullAt) return;
    this.fullAt = at;
    this.loss = loss;
  }
}
