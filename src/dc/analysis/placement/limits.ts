import type { Obstacle, RefusalReason } from "./wanted.ts";

/** Amounts are sums of fractions; smaller differences count as equal. */
const TOLERANCE = 1e-6;

interface LimitInput {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  /** 100 %. */
  readonly capacity: number;
  /** How much of the capacity may be used. */
  readonly most: number;
  readonly used: number;
}

/** A counter that every placed device adds to: a supply, a cooling unit, a rack's weight. */
export class Limit {
  readonly reason: RefusalReason;
  readonly ref: string;
  readonly unit: string;
  readonly capacity: number;
  readonly most: number;
  /** Current use, including the devices placed so far. */
  used: number;
  /** Additional use after a single loss, by the lost node; the limit applies to the largest. */
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

  /** How many devices that use `each` fit. */
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

  obstacle(each: number, after?: AfterLoss): Obstacle {
    if (COUNTED.includes(this.reason)) return this.#shortage(each);
    const more = (after?.losses ?? []).map((loss) => (this.#after.get(loss) ?? 0) + (after?.more ?? 0));
    const value = roundValue(this.used + each + Math.max(this.#mostAfter, ...more));
    const most = roundValue(this.most);
    return {
      reason: this.reason,
      message: `${this.ref} would come to ${ofLimit(value, most, this.unit)}${PURPOSE[this.reason] ?? ""}`,
      ref: this.ref,
      value,
      limit: most,
    };
  }

  #shortage(each: number): Obstacle {
    const left = Math.max(0, this.most - this.used);
    const message = `${this.ref} has ${left} ${this.unit}, a device needs ${each}`;
    return { reason: this.reason, message, ref: this.ref, value: each, limit: left };
  }
}

/** Limits that count things of which a device needs some. */
const COUNTED: readonly RefusalReason[] = ["NO_OUTLET", "NO_SWITCH_PORT"];

const PURPOSE: Readonly<Partial<Record<RefusalReason, string>>> = {
  SUPPLY_LIMIT: " with all sides live",
  SUPPLY_FAILOVER: " after the worst single failure",
  COOLING_RESERVE: " after the loss of the largest unit",
  PHASE_LIMIT: " on one phase",
};

/** A figure of its limit; watts of a limit in kilowatts as kilowatts, to the watt. */
function ofLimit(value: number, most: number, unit: string): string {
  if (unit !== "W" || most < 1000) return `${value} of ${most} ${unit}`;
  return `${Math.round(value) / 1000} of ${Math.round(most) / 1000} kW`;
}

function roundValue(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 10) / 10 : 0;
}

/** Additional use of a device after each single loss, beyond its permanent use. */
export interface AfterLoss {
  readonly losses: readonly number[];
  readonly more: number;
}

export interface Use {
  readonly limit: Limit;
  readonly each: number;
  readonly after?: AfterLoss;
  /** Guaranteed minimum of the use, if it may be less. */
  readonly least?: number;
}

/** Devices that certainly cannot be exceeded by any of these limits. */
export function mostByAll(uses: readonly Use[]): number {
  return fitsAll(uses.map(({ limit, each, least = each }) => ({ limit, each: least })));
}

/** Devices that fit by all of these limits. */
export function fitsAll(uses: readonly Use[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { limit, each, after } of uses) {
    const fits = limit.fits(each, after);
    if (fits < most) most = fits;
  }
  return most;
}
