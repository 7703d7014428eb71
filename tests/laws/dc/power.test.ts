import { expect, test } from "bun:test";
import fc from "fast-check";
import { singlePoints } from "#dc/analysis/power/power_chain.ts";
import { type PowerGraph, powerGraph } from "#dc/analysis/power/power_graph.ts";
import { liveSet, spreadDarkness } from "#dc/analysis/power/power_live.ts";
import { loads, loadsAfter, ownDrawW } from "#dc/analysis/power/power_load.ts";
import type { Device } from "#dc/model/resources.ts";
import { inventory, load, source } from "../../support/dc/power.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";

const RUNS = { numRuns: LAW_RUNS };

interface Plan {
  readonly sources: readonly number[];
  readonly need: number;
  readonly draw: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  sources: fc.array(fc.nat(30), { maxLength: 3 }),
  need: fc.integer({ min: 1, max: 2 }),
  draw: fc.nat(100),
});

function device({ sources, need, draw }: Plan, index: number, pick: (source: number) => number): Device {
  const power = { minLiveInlets: Math.min(need, Math.max(1, sources.length)) };
  if (sources.length === 0) return source(`D${index}`);
  return load(
    `D${index}`,
    sources.map((one) => `device:D${pick(one)}`),
    { power, allocatedDrawW: draw },
  );
}

const plans = fc.array(plan, { minLength: 2, maxLength: 30 });

/** Each device hangs on earlier ones only, so there is no circle. */
const acyclic = plans.map((plans) =>
  powerGraph(
    inventory(
      ...plans.map((one, index) => device(index === 0 ? { ...one, sources: [] } : one, index, (at) => at % index)),
    ),
  ),
);

/** Devices hang on any other, themselves included. */
const cyclic = fc
  .array(plan, { minLength: 2, maxLength: 15 })
  .map((plans) => powerGraph(inventory(...plans.map((one, index) => device(one, index, (at) => at % plans.length)))));

const failure = fc.uniqueArray(fc.nat(29), { minLength: 1, maxLength: 4 });

function removedOf(graph: PowerGraph, picks: readonly number[]): ReadonlySet<number> {
  return new Set(picks.map((pick) => pick % graph.nodes.length));
}

test("spreadDarkness leaves exactly what the fixpoint finds live", () => {
  fc.assert(
    fc.property(acyclic, failure, (graph, picks) => {
      const removed = removedOf(graph, picks);

      const { live, dark } = spreadDarkness(graph, liveSet(graph), removed);

      expect([...live]).toEqual([...liveSet(graph, removed)]);
      expect(new Set(dark).size).toBe(dark.length);
    }),
    RUNS,
  );
});

test("spreadDarkness finds the same on circles, batteries included, each node by way of a dark one", () => {
  const batteries = fc.uniqueArray(fc.nat(14), { maxLength: 3 });
  fc.assert(
    fc.property(cyclic, failure, batteries, (graph, picks, charged) => {
      const removed = removedOf(graph, picks);
      const baseline = liveSet(graph);
      const immune = (index: number) => charged.includes(index) && !removed.has(index);

      const { live, dark, via, depth } = spreadDarkness(graph, baseline, removed, { immune, isCircular: true });

      expect([...live]).toEqual([...liveSet(graph, removed, (index) => baseline[index] === 1 && immune(index))]);
      expect(dark.toSorted()).toEqual([...live.keys()].filter((at) => baseline[at] !== live[at]).toSorted());
      expect(dark.every((at) => removed.has(at) || dark.indexOf(via.at(at)) < dark.indexOf(at))).toBe(true);
      expect(dark.every((at) => depth.at(at) >= 0)).toBe(true);
    }),
    RUNS,
  );
});

test("liveSet never grows when more is removed", () => {
  fc.assert(
    fc.property(cyclic, failure, fc.nat(29), (graph, picks, extra) => {
      const removed = removedOf(graph, picks);

      const fewer = liveSet(graph, new Set([...removed, extra % graph.nodes.length]));

      const more = liveSet(graph, removed);
      expect(fewer.every((lit, index) => lit <= (more[index] ?? 0))).toBe(true);
    }),
    RUNS,
  );
});

test("liveSet lets no circle keep itself alive: every live node leads back to a root", () => {
  fc.assert(
    fc.property(cyclic, failure, (graph, picks) => {
      const live = liveSet(graph, removedOf(graph, picks));

      const reached = new Set(
        [...graph.nodes.keys()].filter((index) => live[index] === 1 && graph.nodes[index]?.need === 0),
      );
      for (const index of reached)
        for (const { to } of graph.supplies[index] ?? []) if (live[to] === 1) reached.add(to);
      expect([...graph.nodes.keys()].filter((index) => live[index] === 1).every((index) => reached.has(index))).toBe(
        true,
      );
    }),
    RUNS,
  );
});

test("loads brings every live watt to the roots, none lost and none doubled, above circles as well", () => {
  fc.assert(
    fc.property(fc.oneof(acyclic, cyclic), (graph) => {
      const live = liveSet(graph);

      const carried = loads(graph, live, "ALLOCATED").watts;

      const indexes = [...graph.nodes.keys()].filter((index) => live[index] === 1);
      const drawn = indexes.reduce((sum, index) => sum + ownDrawW(graph, index, "ALLOCATED"), 0);
      const roots = indexes.filter((index) => (graph.inlets[index] ?? []).length === 0);
      expect(roots.reduce((sum, index) => sum + (carried[index] ?? 0), 0)).toBeCloseTo(drawn, 6);
    }),
    RUNS,
  );
});

test("loadsAfter answers what loads does for the live set after a failure", () => {
  fc.assert(
    fc.property(acyclic, failure, (graph, picks) => {
      const before = liveSet(graph);
      const darkness = spreadDarkness(graph, before, removedOf(graph, picks));

      const after = loadsAfter(graph, loads(graph, before, "ALLOCATED"), darkness, "ALLOCATED");

      const whole = loads(graph, darkness.live, "ALLOCATED");
      expect([...after.loads.watts]).toEqual([...whole.watts]);
    }),
    RUNS,
  );
});

test("a new independent feed darkens nothing, and weakens no failure", () => {
  fc.assert(
    fc.property(plans, failure, fc.nat(29), (given, picks, pick) => {
      const devices = given.map((one, index) =>
        device(index === 0 ? { ...one, sources: [] } : one, index, (at) => at % index),
      );
      const at = pick % devices.length;
      const inlet = { name: "extra", kind: "POWER_IN" as const, powerIn: { sourceRef: "feed:NEW" } };
      const fed = devices.map((one, index) =>
        index === at && index > 0 ? { ...one, ports: [...(one.ports ?? []), inlet] } : one,
      );
      const [less, more] = [powerGraph(inventory(...devices)), powerGraph(inventory(...fed))];
      const removed = removedOf(less, picks);

      const [before, after] = [less, more].map((graph) => liveSet(graph, removed));

      // The new feed's node comes last, so that the others keep their places.
      expect(less.nodes.map(({ ref }) => ref)).toEqual(more.nodes.slice(0, less.nodes.length).map(({ ref }) => ref));
      expect(before?.every((lit, index) => lit <= (after?.[index] ?? 0))).toBe(true);
    }),
    RUNS,
  );
});

test("singlePoints names exactly the elements whose loss darkens a node", () => {
  fc.assert(
    fc.property(acyclic, fc.nat(29), (graph, pick) => {
      const index = pick % graph.nodes.length;
      const live = liveSet(graph);
      fc.pre(live[index] === 1);

      const found = singlePoints(graph, index);

      const expected = [...graph.nodes.keys()].filter(
        (at) => at !== index && live[at] === 1 && liveSet(graph, new Set([at]))[index] === 0,
      );
      expect(new Set(found)).toEqual(new Set(expected.map((at) => graph.nodes[at]?.ref ?? "")));
    }),
    RUNS,
  );
});
