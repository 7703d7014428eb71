import type { Health } from "#dc/model/enum_values.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { Conflict, Hotspot, HealthReason as ReasonReply } from "#gen/datacenter/v1/messages.ts";
import type { RackCapacity } from "./rack_elevation.ts";

/** One reason for a rack's health; a reason without `health` is only information. */
export type HealthReason = Omit<ReasonReply, "health"> & Partial<Pick<ReasonReply, "health">>;

export interface RackHealthInput {
  readonly rack: Rack;
  readonly capacity: RackCapacity;
  readonly conflicts: readonly Conflict[];
  /** Problems of the supply of the rack's devices. */
  readonly supply: readonly HealthReason[];
  readonly hotspots: readonly Hotspot[];
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Milliseconds until a measurement is stale. Our choice: a day without telemetry is an outage of telemetry. */
export const STALE_MS = 24 * 60 * 60 * 1000;

/** Returns a rack's worst health with all reasons. Source: docs/contract/datacenter-analyses.md#rack-health. */
export function computeRackHealth(input: RackHealthInput): {
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
} {
  const ref = `rack:${input.rack.code}`;
  const { capacity } = input;
  const reasons = [
    ...rateUtilizationHealth("POWER_NORMAL", ref, capacity.powerPct, { watch: 80, fault: 100 }),
    ...input.supply,
    ...rateUtilizationHealth("SPACE", ref, capacity.spacePct, { watch: 95, fault: Number.POSITIVE_INFINITY }),
    ...rateUtilizationHealth("WEIGHT", ref, computeWeightPct(capacity), { watch: 90, fault: 100 }),
    ...createHotspotReasons(input.hotspots),
    ...input.conflicts.map(({ code, deviceCode, positionU }) => ({
      code,
      value: positionU,
      ref: `device:${deviceCode}`,
      health: "FAULT" as const,
    })),
    ...listStaleReasons(input, ref),
  ];
  return { health: findWorstReason(reasons), reasons };
}

/** Returns the worst health of the reasons; OK if none has a health. */
export function findWorstReason(reasons: readonly HealthReason[]): Health {
  if (reasons.some(({ health }) => health === "FAULT")) return "FAULT";
  return reasons.some(({ health }) => health === "WATCH") ? "WATCH" : "OK";
}

/** Converts hotspots to reasons for the health of a rack or an area. */
export function createHotspotReasons(hotspots: readonly Hotspot[]): readonly HealthReason[] {
  return hotspots.map(({ code, value, limit, severity, ref }) => ({ code, value, limit, ref, health: severity }));
}

/** Whether two lists have the same reasons in the same order. */
export function areReasonsEqual(a: readonly HealthReason[], b: readonly HealthReason[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every(({ code, value, limit, ref, health }, at) => {
      const other = b[at];
      return (
        code === other?.code &&
        value === other.value &&
        limit === other.limit &&
        ref === other.ref &&
        health === other.health
      );
    })
  );
}

/** Rates a utilization. At a limit exactly, the more severe health applies: 100 % of a breaker trips it. */
function rateUtilizationHealth(
  code: string,
  ref: string,
  value: number | undefined,
  { watch, fault }: { readonly watch: number; readonly fault: number },
): readonly HealthReason[] {
  if (value === undefined || value < watch) return [];
  return value >= fault
    ? [{ code, value, limit: fault, ref, health: "FAULT" }]
    : [{ code, value, limit: watch, ref, health: "WATCH" }];
}

function computeWeightPct({ weightKg, maxLoadKg }: RackCapacity): number | undefined {
  return maxLoadKg === undefined || maxLoadKg === 0 ? undefined : (weightKg / maxLoadKg) * 100;
}

function listStaleReasons({ rack, now }: RackHealthInput, ref: string): readonly HealthReason[] {
  if (rack.measuredAt === undefined) return [];
  const age = Date.parse(now) - Date.parse(rack.measuredAt);
  // Whole hours, so that requests within an hour get equal replies.
  const value = Math.floor(age / 3_600_000);
  return age < STALE_MS ? [] : [{ code: "STALE_TELEMETRY", value, limit: STALE_MS / 3_600_000, ref }];
}
