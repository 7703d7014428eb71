import { expect, test } from "bun:test";
import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { computeLostDrawW } from "#dc/analysis/power/load_lanes.ts";
import { selectItDevices } from "#dc/analysis/power/power_nodes.ts";
import { EffectLedger, selectCountedEffects } from "#dc/analysis/rehearsal/charge.ts";
import type { Failure } from "#dc/analysis/rehearsal/elements.ts";
import { CoolingAndFabricEffects } from "#dc/analysis/rehearsal/further_effects.ts";
import { groupFailuresIntoLines, joinPartLines, type RehearsalLine } from "#dc/analysis/rehearsal/lines.ts";
import { rehearseFailures } from "#dc/analysis/rehearsal/rehearse.ts";
import { failEachElement } from "#dc/analysis/rehearsal/site_failures.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { ams1Inventory } from "../../../support/dc/ams1_inventory.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// Folding loses nothing and counts nothing twice.

const OPTIONS: BlastOptions = { basis: "ALLOCATED", cascade: true, assumeBattery: false };

function grouped(inventory: Inventory) {
  const topology = Topology.createFromInventory(inventory);
  const site = runAllSteps(failEachElement(topology, OPTIONS));
  const further = new CoolingAndFabricEffects(topology, {
    deviceOf: (key) => topology.device(key),
    basis: OPTIONS.basis,
  });
  const failures = site.outcomes.map((outcome) => further.addEffects(outcome));
  const charged = runAllSteps(new EffectLedger(topology.power).chargeFailures(failures));
  const whole = runAllSteps(groupFailuresIntoLines(topology, charged, OPTIONS.basis));
  return { topology, site, failures, charged, lines: runAllSteps(joinPartLines([whole])) };
}

/** Everything that failures do, each thing once; a rack that is dark for one and partly dark for another is dark. */
function everything(topology: Topology, failures: readonly Failure[]) {
  const effects = failures.map((failure) => selectCountedEffects(topology.power, failure));
  const dark = new Set(effects.flatMap(({ racksDark }) => racksDark));
  return {
    offline: [...new Set(effects.flatMap(({ offline }) => offline))].sort((a, b) => a - b),
    dark: [...dark].sort(),
    trips: [...new Set(effects.flatMap(({ trips }) => trips.map(({ index }) => index)))].sort((a, b) => a - b),
    links: [...new Set(effects.flatMap(({ links }) => links))].sort((a, b) => a - b),
  };
}

/** What of a loss a failure does not have: devices off, racks and switches. */
function leftOut(topology: Topology, loss: RehearsalLine["loss"], failure: Failure): readonly (string | number)[] {
  const { offline, racksDark, racksPartial, links, cutOff } = selectCountedEffects(topology.power, failure);
  const gone = new Set([...offline, ...failure.offline, ...failure.elements.map(({ index }) => index)]);
  const dark = new Set(racksDark);
  return [
    ...[...loss.offline].filter((index) => !gone.has(index)),
    ...[...loss.racksDark].filter((key) => !dark.has(key)),
    ...[...loss.racksPartial].filter((key) => !dark.has(key) && !racksPartial.includes(key)),
    ...[...loss.links].filter((link) => !links.includes(link)),
    ...[...loss.cutOff].filter((index) => !gone.has(index) && !cutOff.includes(index)),
  ];
}

function check(name: string, inventory: Inventory): void {
  const { topology, failures, lines } = grouped(inventory);
  const all = everything(topology, failures);
  const numbers = (part: (line: (typeof lines)[number]) => Iterable<number>) =>
    [...new Set(lines.flatMap((line) => [...part(line)]))].sort((a, b) => a - b);
  const isIt = new Set(all.offline);

  expect({
    name,
    offline: numbers(({ loss }) => loss.offline).filter((index) => isIt.has(index)),
    dark: [...new Set(lines.flatMap(({ loss }) => [...loss.racksDark]))].sort(),
    trips: numbers(({ loss }) => loss.trips.keys()),
    links: numbers(({ loss }) => loss.links),
  }).toEqual({ name, ...all });
  for (const {
    severity,
    impact,
    loss,
    failures: members,
    includingFailures: alsoBy,
    overlappingFailures: partlyBy,
  } of lines) {
    expect(impact.racksDark).toBe(loss.racksDark.size);
    expect(impact.devicesOffline + impact.cracsOffline).toBe(loss.offline.size);
    const others = [...alsoBy, ...partlyBy];
    expect(new Set([...members, ...others]).size).toBe(members.length + others.length);
    for (const { racksDark, offline } of members) {
      const it = selectItDevices(topology.power, offline);
      const isGone = (index: number) => it.includes(index);
      const drawW = it.reduce(
        (sum, index) => sum + computeLostDrawW(topology.power, index, { isGone, basis: "ALLOCATED" }),
        0,
      );
      expect({ name, severity, isHigh: racksDark.length > 0 && (it.length !== 1 || drawW >= 1000) }).toEqual({
        name,
        severity,
        isHigh: severity === "HIGH" || severity === "CRITICAL",
      });
    }
    for (const one of alsoBy)
      expect({ name, by: one.elements, left: leftOut(topology, loss, one) }).toMatchObject({ left: [] });
  }
  // A failure is in one line, or takes along what is in others, or does nothing.
  const listed = lines.flatMap((line) => line.failures);
  expect(new Set(listed).size).toBe(listed.length);
}

test("the causes of a drawn inventory hold every loss of every failure, each once", () => {
  for (let seed = 0; seed < LAW_RUNS; seed += 1) check(`inventory ${seed}`, drawnInventory(seed));
}, 300_000);

test("the causes of AMS1 hold every loss of every failure, each once", async () => {
  const inventory = await ams1Inventory();
  check("AMS1", inventory);
  const { lines } = grouped(inventory);
  expect(lines.length).toBeLessThanOrEqual(12);
}, 300_000);

test("grouping failures island by island gives what grouping all at once gives", () => {
  let islands = 0;
  for (let seed = 0; seed < LAW_RUNS; seed += 1) {
    const { topology, site, lines } = grouped(drawnInventory(seed));
    const choice = {
      deviceOf: (key: string) => topology.device(key),
      isChosen: () => true,
      hostPaths: undefined,
      pairs: false,
    };
    const byIsland = runAllSteps(rehearseFailures(site, choice));
    islands = Math.max(islands, byIsland.followed.groups.size);
    const told = (all: readonly RehearsalLine[]) =>
      all
        .map(({ failures, includingFailures: alsoBy, loss, ...rest }) => {
          const ordered = [...failures, ...alsoBy]
            .map(({ elements }) => elements[0]?.index ?? -1)
            .sort((a, b) => a - b);
          const sets = [loss.offline, loss.direct, loss.degraded, loss.cutOff, loss.links];
          const numbers = sets.map((set) => [...set].sort((a, b) => a - b));
          const figures = { ...rest.impact, itLoadLostW: Math.round(rest.impact.itLoadLostW * 1000) };
          return JSON.stringify([rest.severity, rest.elementKind, ordered, numbers, figures]);
        })
        .sort();
    expect({ seed, lines: told(byIsland.lines) }).toEqual({ seed, lines: told(lines) });
  }
  expect(islands).toBeGreaterThan(1);
}, 300_000);

test("each effect is charged to a failure that no smaller one with the same effect is part of", () => {
  for (let seed = 0; seed < LAW_RUNS; seed += 1) {
    const { topology, charged } = grouped(drawnInventory(seed));
    for (const { failure, own } of charged) {
      const direct = new Set(failure.direct);
      for (const index of own?.offline ?? []) {
        const smaller = charged.filter(
          (other) =>
            other.failure !== failure &&
            other.failure.elements.every((element) => direct.has(element.index)) &&
            selectCountedEffects(topology.power, other.failure).offline.includes(index),
        );
        expect(smaller.map((other) => topology.power.nodes[other.failure.elements[0]?.index ?? -1]?.ref)).toEqual([]);
      }
    }
  }
}, 300_000);
