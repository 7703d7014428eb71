import { expect, test } from "bun:test";
import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { selectCountedEffects } from "#dc/analysis/rehearsal/charge.ts";
import type { FailingElement, Failure } from "#dc/analysis/rehearsal/elements.ts";
import type { RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
import { rehearseFailures } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement } from "#dc/analysis/rehearsal/site_failures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { slowFailure } from "../../../support/dc/slow_failure.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// Every two failures that do more together than apart are listed, and no others.

/** Every pair of a site is failed anew, so a gate tries fewer sites than other laws do. */
const SITES = LAW_RUNS * 0.12;

const OPTIONS: readonly BlastOptions[] = [
  { basis: "ALLOCATED", cascade: true, assumeBattery: false },
  { basis: "MAX", cascade: true, assumeBattery: true },
];

/** What failures do, as texts; less supply is left out, which pairs do not report. The graver of two includes the other. */
function effects(topology: Topology, failures: readonly Failure[]): ReadonlySet<string> {
  return new Set(
    failures.flatMap((failure) => {
      const found = selectCountedEffects(topology.power, failure);
      return [
        ...found.offline.map((index) => `off ${index}`),
        ...found.racksDark.flatMap((key) => [`dark ${key}`, `partly ${key}`]),
        ...found.racksPartial.map((key) => `partly ${key}`),
        ...found.trips.flatMap(({ index }) => [`trip ${index}`, `over ${index}`, `high ${index}`]),
        ...found.overloads.flatMap(({ index, severity }) => [
          `over ${index}`,
          ...(severity === "WOULD_TRIP" ? [`high ${index}`] : []),
        ]),
        ...found.zones.flatMap(({ ref, medium, short }) => [
          `reserve ${ref} ${medium}`,
          ...(short ? [`short ${ref} ${medium}`] : []),
        ]),
        ...found.links.map((link) => `link ${link}`),
        ...found.cutOff.map((index) => `cut ${index}`),
      ];
    }),
  );
}

/** The pairs that a rehearsal of a drawn site lists, and everything to judge them by. */
function rehearsed(seed: number, options: BlastOptions) {
  const topology = Topology.createFromInventory(drawnInventory(seed));
  const site = runAllSteps(failEachElement(topology, options));
  const choice = {
    deviceOf: (key: string) => topology.device(key),
    isChosen: () => true,
    hostPaths: undefined,
  };
  const { followed } = runAllSteps(rehearseFailures(site, { ...choice, pairs: false }));
  const { lines } = runAllSteps(rehearseFailures(site, { ...choice, pairs: true }));
  const singles = [...followed.groups.values()].flatMap(({ failures }) => failures);
  const together = (elements: readonly FailingElement[]) =>
    followed.effects.addEffects(slowFailure(topology, elements, options));
  return { topology, singles, lines, together };
}

function nameOf(topology: Topology, elements: readonly FailingElement[]): string {
  return elements
    .map(({ index }) => topology.power.nodes[index]?.ref)
    .sort()
    .join(" ");
}

function namesOf(
  topology: Topology,
  lines: readonly RehearsalLine[],
  part: (line: RehearsalLine) => readonly Failure[],
) {
  return lines.flatMap((line) => part(line).map(({ elements }) => nameOf(topology, elements)));
}

test("the pairs of a drawn site are those that do more than both failures apart, all of them", () => {
  let worse = 0;
  let above = 0;
  for (let seed = 0; seed < SITES; seed += 1) {
    for (const options of OPTIONS) {
      const { topology, singles, lines, together } = rehearsed(seed, options);
      const expected: string[] = [];
      for (const [at, one] of singles.entries()) {
        for (const other of singles.slice(at + 1)) {
          const apart = effects(topology, [one, other]);
          const pair = together([...one.elements, ...other.elements]);
          const all = effects(topology, [pair]);
          if (!all.isSubsetOf(apart)) expected.push(nameOf(topology, pair.elements));
        }
      }
      const listed = namesOf(
        topology,
        lines,
        ({ failures, includingFailures: alsoBy, overlappingFailures: partlyBy }) => [
          ...failures,
          ...alsoBy,
          ...partlyBy,
        ],
      );
      expect({ seed, listed: [...new Set(listed)].sort() }).toEqual({ seed, listed: expected.sort() });
      worse += expected.length;
      above += lines.filter(({ nearerFailures: nearer }) => nearer.length > 0).length;
    }
  }
  expect(worse).toBeGreaterThan(0);
  expect(above).toBeGreaterThan(0);
}, 300_000);

test("a nearer cause of a pair does a part of its loss alone, and neither failure of the pair includes it", () => {
  let compared = 0;
  for (let seed = 0; seed < SITES; seed += 1) {
    const { topology, singles, lines } = rehearsed(seed, OPTIONS[0] as BlastOptions);
    for (const { failures, nearerFailures: nearer } of lines) {
      for (const single of nearer) {
        const own = effects(topology, [single]);
        const above = failures.filter((pair) => {
          const apart = singles.filter(({ elements }) =>
            pair.elements.some(({ index }) => index === elements[0]?.index),
          );
          const more = effects(topology, [pair]).difference(effects(topology, apart));
          return !more.isDisjointFrom(own) && pair.direct.includes(single.elements[0]?.index ?? -1);
        });
        expect(above.length).toBeGreaterThan(0);
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(0);
}, 300_000);
