import { holds } from "#dc/model/rack_space.ts";
import type { Rack } from "#dc/model/resources.ts";
import { STALE_MS } from "./rack_health.ts";

const HOUR_MS = 3_600_000;

/**
 * The moment, in milliseconds since 1970, until which time alone changes nothing about racks: when the next reservation
 * ends, a measurement grows stale, or a stale one is an hour older. Infinity when time changes nothing.
 *
 * @param now ISO 8601 in UTC
 */
export function steadyUntil(racks: readonly Rack[], now: string): number {
  return Math.min(Number.POSITIVE_INFINITY, ...racks.map((rack) => Math.min(nextEnd(rack, now), nextAge(rack, now))));
}

function nextEnd({ reservations = [] }: Rack, now: string): number {
  const ends = reservations.filter((one) => holds(one, now)).map(({ until }) => until);
  return Math.min(Number.POSITIVE_INFINITY, ...ends.flatMap((until) => (until === undefined ? [] : Date.parse(until))));
}

function nextAge({ measuredAt }: Rack, now: string): number {
  if (measuredAt === undefined) return Number.POSITIVE_INFINITY;
  const measured = Date.parse(measuredAt);
  const age = Date.parse(now) - measured;
  return measured + Math.max(STALE_MS, (Math.floor(age / HOUR_MS) + 1) * HOUR_MS);
}
