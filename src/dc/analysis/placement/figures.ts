import type { PlaceFigures as FigureReply } from "#gen/datacenter/v1/messages.ts";
import { computeGroupHeadroom } from "./cooling_limits.ts";
import type { SelectedPlace } from "./find_places.ts";
import type { Limit } from "./limits.ts";
import { countFreePorts } from "./switch_ports.ts";
import type { PlacementRequest, RefusalReason } from "./wanted.ts";

/** Figures of a position after the whole placement is written; a figure is absent if the inventory lacks the data. */
export type PlaceFigures = Omit<FigureReply, "powerNowRef" | "powerFailoverRef"> &
  Partial<Pick<FigureReply, "powerNowRef" | "powerFailoverRef">>;

export function computePlaceFigures(
  { candidate, option }: SelectedPlace,
  { template }: PlacementRequest,
): PlaceFigures {
  const { limits, units, cooling, pool } = candidate;
  const supplies = option.uses.map(({ limit }) => limit);
  const now = findBusiestLimit(supplies, "SUPPLY_LIMIT");
  const alone = findBusiestLimit(supplies, "SUPPLY_FAILOVER");
  const air = cooling.air === undefined ? undefined : computeGroupHeadroom(cooling.air);
  const liquid = cooling.liquid === undefined ? undefined : computeGroupHeadroom(cooling.liquid);
  return {
    ...(now !== undefined && { powerNowPct: now.usedPct, powerNowRef: now.ref }),
    ...(alone !== undefined && { powerFailoverPct: alone.usedPct, powerFailoverRef: alone.ref }),
    rackDrawW: limits.power.used,
    ...(hasCapacity(limits.power) && { rackPowerPct: limits.power.usedPct }),
    ...(hasCapacity(limits.cooling) && { rackCoolingPct: limits.cooling.usedPct }),
    ...(air !== undefined && { airHeadroomKw: air.allKw, airReserveKw: air.reserveKw }),
    ...(liquid !== undefined && { liquidHeadroomKw: liquid.allKw, liquidReserveKw: liquid.reserveKw }),
    freeU: units.freeU,
    largestFreeBlockU: units.largestFreeBlockU,
    weightKg: limits.weight.used,
    ...(hasCapacity(limits.weight) && template.weightKg !== undefined && { weightPct: limits.weight.usedPct }),
    ...(pool !== undefined && { freePorts: countFreePorts(pool) }),
  };
}

function findBusiestLimit(limits: readonly Limit[], reason: RefusalReason): Limit | undefined {
  return limits
    .filter((limit) => limit.reason === reason)
    .reduce<Limit | undefined>(
      (most, one) => (most === undefined || one.usedPct > most.usedPct ? one : most),
      undefined,
    );
}

function hasCapacity({ capacity }: Limit): boolean {
  return Number.isFinite(capacity) && capacity > 0;
}
