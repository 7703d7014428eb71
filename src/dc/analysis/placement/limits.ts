import type { PlacementObstacle, RefusalReason } from "./wanted.ts";

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
    const fits = limit.countFitting(each, after);
    if (fits < most) most = fits;
  }
  return most;
}
