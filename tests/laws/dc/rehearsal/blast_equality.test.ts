import { expect, test } from "bun:test";
import type { BlastOptions } from "#dc/analysis/power/blast_radius.ts";
import { type FailingElement, listFailingElements, type PowerOutcome } from "#dc/analysis/rehearsal/elements.ts";
import { FailureSweep, NodeTable } from "#dc/analysis/rehearsal/failure_sweep.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { ams1Inventory } from "../../../support/dc/ams1_inventory.ts";
import { drawnInventory } from "../../../support/dc/power_model/inventory.ts";
import { slowFailure } from "../../../support/dc/slow_failure.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

// The fast sweep gives what PowerBlastRadius computes, element by element, and for two sources at once.

const OPTIONS: readonly BlastOptions[] = [
  { basis: "ALLOCATED", cascade: true, assumeBattery: false },
  { basis: "MAX", cascade: false, assumeBattery: true },
  { basis: "MEASURED", cascade: true, assumeBattery: true },
];

/** Lists of an outcome in one order, so that equal ones compare equal. */
function ordered({ direct, offline, degraded, ...rest }: PowerOutcome) {
  const { racksDark, racksPartial, racksProtected, racksDarkByTrip, impact, trips, overloads } = rest;
  const { itLoadLostW, coolingLostKw, ...counts } = impact;
  return {
    counts,
    itLoadLostW: Math.round(itLoadLostW),
    coolingLostKw: Math.round(coolingLostKw * 1000),
    direct: direct.toSorted((a, b) => a - b),
    offline: offline.toSorted((a, b) => a - b),
    degraded: degraded.toSorted((a, b) => a - b),
    racksDark: racksDark.toSorted(),
    racksPartial: racksPartial.toSorted(),
    racksProtected: racksProtected.toSorted(),
    racksDarkByTrip: racksDarkByTrip.toSorted(),
    trips,
    overloads,
  };
}

function compare(
  inventory: Inventory,
  options: BlastOptions,
  choose: (all: readonly FailingElement[]) => readonly FailingElement[][],
) {
  const topology = Topology.createFromInventory(inventory);
  const sweep = new FailureSweep(new NodeTable(topology.power, options.basis), topology, options);
  let compared = 0;
  for (const elements of choose(listFailingElements(topology))) {
    const name = elements.map(({ index }) => topology.power.nodes[index]?.ref);
    const fast = { name, ...ordered(sweep.tryFailure(elements)) };
    expect(fast).toEqual({ name, ...ordered(slowFailure(topology, elements, options)) });
    compared += 1;
  }
  return compared;
}

const singles = (all: readonly FailingElement[]) => all.map((element) => [element]);
const pairs = (all: readonly FailingElement[]) =>
  all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other])).filter((_, at) => at % 7 === 0);

test("every single failure of a drawn inventory equals its blast radius", () => {
  let compared = 0;
  for (let seed = 0; seed < LAW_RUNS; seed += 1) {
    for (const options of OPTIONS) compared += compare(drawnInventory(seed), options, singles);
  }
  expect(compared).toBeGreaterThan(LAW_RUNS);
}, 300_000);

test("two failures at once equal the blast radius of two sources", () => {
  let compared = 0;
  for (let seed = 0; seed < LAW_RUNS / 4; seed += 1) {
    for (const options of OPTIONS) compared += compare(drawnInventory(1000 + seed), options, pairs);
  }
  expect(compared).toBeGreaterThan(LAW_RUNS);
}, 300_000);

test("every single failure of AMS1 equals its blast radius", async () => {
  const inventory = await ams1Inventory();
  for (const options of OPTIONS.slice(0, 2)) expect(compare(inventory, options, singles)).toBe(531);
}, 300_000);
