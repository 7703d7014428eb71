import type { PlaceFigures as FigureReply } from "#gen/datacenter/v1/messages.ts";
import { headroomOf } from "./cooling_limits.ts";
import type { Place } from "./find_places.ts";
import type { Limit } from "./limits.ts";
import { freePorts } from "./switch_ports.ts";
import type { RefusalReason, Wanted } from "./wanted.ts";

/** Figures of a position after all positions of a placement are used; absent if the inventory lacks the data. */
export type PlaceFigures = Omit<FigureReply, "powerNowRef" | "powerFailoverRef"> &
  Partial<Pick<FigureReply, "powerNowRef" | "powerFailoverRef">>;

/** Computes the figures of a position after all positions are used. */
export function figuresAfter({ candidate, option }: Place, { template }: Wanted): PlaceFigures {
  const { limits, units, cooling, pool } = candidate;
  const supplies = option.uses.map(({ limit }) => limit);
  const now = busiest(supplies, "SUPPLY_LIMIT");
  const alone = busiest(supplies, "SUPPLY_FAILOVER");
  const air = cooling.air === undefined ? undefined : headroomOf(cooling.air);
  const liquid = cooling.liquid === undefined ? undefined : headroomOf(cooling.liquid);
  return {
    ...(now !== undefined && { powerNowPct: now.usedPct, powerNowRef: now.ref }),
    ...(alone !== undefined && { powerFailoverPct: alone.usedPct, powerFailoverRef: alone.ref }),
    rackDrawW: Math.round(limits.power.used),
    ...(isKnown(limits.power) && { rackPowerPct: limits.power.usedPct }),
    ...(isKnown(limits.cooling) && { rackCoolingPct: limits.cooling.usedPct }),
    ...(air !== undefined && { airHeadroomKw: air.allKw, airReserveKw: air.reserveKw }),
    ...(liquid !== undefined && { liquidHeadroomKw: liquid.allKw, liquidReserveKw: liquid.reserveKw }),
    freeU: units.freeU,
    largestFreeBlockU: units.largestFreeBlockU,
    weightKg: limits.weight.used,
    ...(isKnown(limits.weight) && template.weightKg !== undefined && { weightPct: limits.weight.usedPct }),
    ...(pool !== undefined && { freePorts: freePorts(pool) }),
  };
}

function busiest(limits: readonly Limit[], reason: RefusalReason): Limit | undefined {
  return limits
    .filter((limit) => limit.reason === reason)
    .reduce<Limit | undefined>(
      (most, one) => (most === undefined || one.usedPct > most.usedPct ? one : most),
      undefined,
    );
}

function isKnown({ capacity }: Limit): boolean {
  return Number.isFinite(capacity) && capacity > 0;
}
