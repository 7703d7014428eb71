import { refKey } from "#dc/model/resource_key.ts";
import type { Steps } from "#kernel/steps.ts";
import { type BlastOptions, type BlastRadius, type BlastSite, blastSteps } from "../power/blast_radius.ts";
import { withCooling } from "./cooling_elements.ts";
import type { Element, Outcome } from "./outcome.ts";

/**
 * Fails elements with the computation of PowerBlastRadius. Cost: copies of arrays of all nodes. It is the path for supply
 * that runs in circles, whose loads cannot be followed piece by piece.
 */
export function* slowFailure(site: BlastSite, elements: readonly Element[], options: BlastOptions): Steps<Outcome> {
  const { power } = site;
  const sources = new Set(elements.map(({ index }) => index));
  const failing = { sources, unlisted: sources };
  const end = yield* blastSteps(site, failing, options);
  const first = end.steps.length === 0 ? end : yield* blastSteps(site, failing, { ...options, cascade: false });
  const indexOf = (ref: string) => power.indexOf.get(refKey(ref)) ?? -1;
  const racks = racksBy(end);
  const darkBefore = new Set(racksBy(first).dark);
  return {
    elements,
    impact: withCooling(power, end.impact, elements),
    direct: first.dark,
    offline: end.hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index),
    degraded: end.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index),
    racksDark: racks.dark,
    racksPartial: racks.partial,
    racksProtected: racks.guarded,
    racksDarkByTrip: racks.dark.filter((key) => !darkBefore.has(key)),
    trips: end.steps.flatMap(({ trips }) => trips.map((trip) => ({ ...trip, index: indexOf(trip.ref) }))),
    overloads: end.overloads.map((overload) => ({ ...overload, index: indexOf(overload.ref) })),
  };
}

function racksBy({ racks }: BlastRadius) {
  const keysOf = (wanted: string) => [...racks].flatMap(([key, state]) => (state === wanted ? [key] : []));
  return { dark: keysOf("DARK"), partial: keysOf("PARTIAL"), guarded: keysOf("PROTECTED") };
}
