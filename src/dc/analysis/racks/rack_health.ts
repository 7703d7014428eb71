import type { Health } from "#dc/model/enum_values.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { Conflict, Hotspot, HealthReason as ReasonReply } from "#gen/datacenter/v1/messages.ts";
import type { RackCapacity } from "./rack_elevation.ts";

/** One reason for a rack's health; without `health` it only informs. */
export type HealthReason = Omit<ReasonReply, "health"> & Partial<Pick<ReasonReply, "health">>;

export interface RackHealthInput {
  readonly rack: Rack;
  readonly capacity: RackCapacity;
  readonly conflicts: readonly Conflict[];
  /** Problems of its devices' supply. */
  readonly supply: readonly HealthReason[];
  readonly hotspots: readonly Hotspot[];
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/** Age from which a measurement is called stale, in milliseconds. Ours: a day without telemetry is an outage of it. */
export const STALE_MS = 24 * 60 * 60 * 1000;

/**
 * The worst of everything that is known about a rack, always with reasons. Source:
 * docs/contract/datacenter-analyses.md#rack-health.
 */
export function rackHealth(input: RackHealthInput): {
  readonly health: Health;
  readonly reasons: readonly HealthReason[];
} {
  const ref = `rack:${input.rack.code}`;
  const { capacity } = input;
  const reasons = [
    ...step("POWER_NORMAL", ref, capacity.powerPct, { watch: 80, fault: 100 }),
    ...input.supply,
    ...step("SPACE", ref, capacity.spacePct, { watch: 95, fault: Number.POSITIVE_INFINITY }),
    ...step("WEIGHT", ref, weightPct(capacity), { watch: 90, fault: 100 }),
    ...hotspotReasons(input.hotspots),
    ...input.conflicts.map(({ code, deviceCode, positionU }) => ({
      code,
      value: positionU,
      ref: `device:${deviceCode}`,
      health: "FAULT" as const,
    })),
    ...staleReasons(input, ref),
  ];
  return { health: overallHealth(reasons), reasons };
}

/** The worst severity of the reasons. */
export function overallHealth(reasons: readonly HealthReason[]): Health {
  if (reasons.some(({ health }) => health === "FAULT")) return "FAULT";
  return reasons.some(({ health }) => health === "WATCH") ? "WATCH" : "OK";
}

/** The reasons that hotspots are for the health of a rack or an area. */
export function hotspotReasons(hotspots: readonly Hotspot[]): readonly HealthReason[] {
  return hotspots.map(({ code, value, limit, severity, ref }) => ({ code, value, limit, ref, health: severity }));
}

/** Whether two lists have the same reasons in the same order. */
export function sameReasons(a: readonly HealthReason[], b: readonly HealthReason[]): boolean {
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

/** At the limits already the graver one counts: 100 % of a breaker trips it. */
function step(
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

function weightPct({ weightKg, maxLoadKg }: RackCapacity): number | undefined {
  return maxLoadKg === undefined || maxLoadKg === 0 ? undefined : (weightKg / maxLoadKg) * 100;
}

function staleReasons({ rack, now }: RackHealthInput, ref: string): readonly HealthReason[] {
  if (rack.measuredAt === undefined) return [];
  const age = Date.parse(now) - Date.parse(rack.measuredAt);
  // Whole hours, so that the same question has the same answer for a while.
  const value = Math.floor(age / 3_600_000);
  return age < STALE_MS ? [] : [{ code: "STALE_TELEMETRY", value, limit: STALE_MS / 3_600_000, ref }];
}
