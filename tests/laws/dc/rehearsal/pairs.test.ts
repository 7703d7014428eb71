import { expect, test } from "bun:test";
import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { effectsOf } from "#dc/analysis/rehearsal/charge.ts";
import { FurtherEffects } from "#dc/analysis/rehearsal/further_effects.ts";
import type { Element, Failure } from "#dc/analysis/rehearsal/outcome.ts";
import { failPairs } from "#dc/analysis/rehearsal/pairs.ts";
import { siteFailures } from "#dc/analysis/rehearsal/site_failures.ts";
import { slowFailure } from "#dc/analysis/rehearsal/slow_failure.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { atOnce } from "#kernel/steps.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// A pair that is not tried does together what both failures do apart.

const OPTIONS: readonly BlastOptions[] = [
  { basis: "ALLOCATED", cascade: true, assumeBattery: false },
  { basis: "MAX", cascade: true, assumeBattery: true },
];

/** What a failure does, as texts; less supply is left out, which pairs do not report. */
function effects(topology: Topology, failure: Failure): ReadonlySet<string> {
  const found = effectsOf(topology.power, failure);
  return new Set([
    ...found.offline.map((index) => `off ${index}`),
    ...found.racksDark.map((key) => `dark ${key}`),
    ...found.trips.map(({ index }) => `trip ${index}`),
    ...found.overloads.map(({ index }) => `over ${index}`),
    ...found.zones.map(({ ref, medium, short }) => `zone ${ref} ${medium} ${short}`),
  ]);
}

/** The singles and the tried pairs of a drawn site. */
function rehearsed(seed: number, options: BlastOptions) {
  const topology = Topology.of(drawnInventory(seed));
  const site = atOnce(siteFailures(topology, options));
  const further = new FurtherEffects(topology, (key) => topology.device(key), options.basis);
  const singles = site.outcomes.map((outcome) => further.of(outcome));
  return { topology, further, singles, tried: atOnce(failPairs(site, singles, further)).failures };
}

function keyOf(elements: readonly Element[]): string {
  return elements
    .map(({ index }) => index)
    .sort((a, b) => a - b)
    .join();
}

/** Every third pair that was not tried; one that takes the other along is that one alone. */
function leftOut({ singles, tried }: ReturnType<typeof rehearsed>): readonly (readonly [Failure, Failure])[] {
  const known = new Set(tried.map(({ elements }) => keyOf(elements)));
  const takes = (one: Failure, other: Failure) => other.elements.some(({ index }) => one.direct.includes(index));
  return singles
    .flatMap((one, at) => singles.slice(at + 1).map((other) => [one, other] as const))
    .filter(([one, other]) => !known.has(keyOf([...one.elements, ...other.elements])))
    .filter(([one, other]) => !takes(one, other) && !takes(other, one))
    .filter((_, at) => at % 3 === 0);
}

test("no pair that is left out does more than its parts", () => {
  let compared = 0;
  let tried = 0;
  for (let seed = 0; seed < LAW_RUNS / 2; seed += 1) {
    for (const options of OPTIONS) {
      const site = rehearsed(seed, options);
      const { topology, further } = site;
      tried += site.tried.length;
      for (const [one, other] of leftOut(site)) {
        const elements = [...one.elements, ...other.elements];
        const together = further.of(atOnce(slowFailure(topology, elements, options)));
        const apart = new Set([...effects(topology, one), ...effects(topology, other)]);
        const names = elements.map(({ index }) => topology.power.nodes[index]?.ref);

        const more = [...effects(topology, together)].filter((effect) => !apart.has(effect));
        expect({ seed, names, more }).toEqual({ seed, names, more: [] });
        compared += 1;
      }
    }
  }
  expect(tried).toBeGreaterThan(0);
  expect(compared).toBeGreaterThan(0);
}, 300_000);
