import type { PlacementObstacle, RefusalReason } from "./wanted.ts";

/** Tolerance of comparisons: amounts are sums of fractions, so smaller differences count as equal. */
const TOLERANCE = 1e-6;

interface LimitInput {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  /** Amount that counts as 100 %. */
  readonly capacity: number;
  /** Largest amount that may be used. */
  readonly most: number;
  readonly used: number;
}

/** A limited amount that every placed device adds to: the load of a supply or cooling unit, or the weight in a rack. */
export class Limit {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  readonly capacity: number;
  readonly most: number;
  /** Current use, including the devices placed so far. */
  used: number;
  /** Additional use after a single loss, by the lost node; the largest value counts against the limit. */
  readonly #after = new Map<number, number>();
  #mostAfter = 0;

  constructor({ reason, ref, unit, capacity, most, used }: LimitInput) {
    this.reason = reason;
    this.ref = ref;
    this.unit = unit;
    this.capacity = capacity;
    this.most = most;
    this.used = used;
  }

  /** Returns how many further devices fit if every device uses the amount `each`. */
  fits(each: number, after?: AfterLoss): number {
    let most = this.#fitsBeside(this.#mostAfter, each);
    for (const loss of after?.losses ?? []) {
      most = Math.min(most, this.#fitsBeside(this.#after.get(loss) ?? 0, each + (after?.more ?? 0)));
    }
    return most;
  }

  #fitsBeside(others: number, each: number): number {
    const left = this.most - this.used - others;
    if (left < -TOLERANCE) return 0;
    return each <= 0 ? Number.POSITIVE_INFINITY : Math.floor((left + TOLERANCE) / each);
  }

  take(each: number, after?: AfterLoss): void {
    this.used += each;
    for (const loss of after?.losses ?? []) {
      const sum = (this.#after.get(loss) ?? 0) + (after?.more ?? 0);
      this.#after.set(loss, sum);
      this.#mostAfter = Math.max(this.#mostAfter, sum);
    }
  }

  get usedPct(): number {
    return ((this.used + this.#mostAfter) / this.capacity) * 100;
  }

  obstacle(each: number, after?: AfterLoss): PlacementObstacle {
    if (COUNTED.includes(this.reason)) return this.#shortage(each);
    const more = (after?.losses ?? []).map((loss) => (this.#after.get(loss) ?? 0) + (after?.more ?? 0));
    const value = roundValue(this.used + each + Math.max(this.#mostAfter, ...more));
    const most = roundValue(this.most);
    return {
      reason: this.reason,
      message: `${this.ref} would come to ${formatUse(value, most, this.unit)}${PURPOSE[this.reason] ?? ""}`,
      ref: this.ref,
      value,
      limit: most,
    };
  }

  #shortage(each: number): PlacementObstacle {
    const left = Math.max(0, this.most - this.used);
    const message = `${this.ref} has ${left} ${this.unit}, a device needs ${each}`;
    return { reason: this.reason, message, ref: this.ref, value: each, limit: left };
  }
}

/** Reasons whose limits count ports instead of measuring an amount. */
const COUNTED: readonly RefusalReason[] = ["NO_OUTLET", "NO_SWITCH_PORT"];

const PURPOSE: Readonly<Partial<Record<RefusalReason, string>>> = {
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

function roundValue(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 10) / 10 : 0;
}

/** Additional use by a device after some single losses, beyond its use without a loss. */
export interface AfterLoss {
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
  let most = Number.POSITIVE_INFINITY;
  for (const { limit, each, after } of uses) {
    const fits = limit.fits(each, after);
    if (fits < most) most = fits;
  }
  return most;
}
