import {
  type BlastOptions,
  type BlastRadius,
  type BlastSite,
  computeBlastRadius,
} from "#dc/analysis/power/blast_radius.ts";
import { addFailedCooling, type FailingElement, type PowerOutcome } from "#dc/analysis/rehearsal/elements.ts";

/** The outcome of failing elements, as PowerBlastRadius answers it. */
export function slowFailure(site: BlastSite, elements: readonly FailingElement[], options: BlastOptions): PowerOutcome {
  const { power } = site;
  const sources = new Set(elements.map(({ index }) => index));
  const failing = { sources, unlisted: sources };
  const end = computeBlastRadius(site, failing, options);
  const first = end.steps.length === 0 ? end : computeBlastRadius(site, failing, { ...options, cascade: false });
  const racks = racksBy(end);
  const darkBefore = new Set(racksBy(first).dark);
  return {
    elements,
    impact: addFailedCooling(power, end.impact, elements),
    direct: first.dark,
    offline: end.hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index),
    degraded: end.hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index),
    racksDark: racks.dark,
    racksPartial: racks.partial,
    racksProtected: racks.guarded,
    racksDarkByTrip: racks.dark.filter((key) => !darkBefore.has(key)),
    trips: end.steps.flatMap(({ trips }) => trips),
    overloads: end.overloads,
  };
}

function racksBy({ racks }: BlastRadius) {
  const keysOf = (wanted: string) => [...racks].flatMap(([key, state]) => (state === wanted ? [key] : []));
  return { dark: keysOf("DARK"), partial: keysOf("PARTIAL"), guarded: keysOf("PROTECTED") };
}
