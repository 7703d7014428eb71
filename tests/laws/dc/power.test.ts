import { expect } from "bun:test";
import fc from "fast-check";
import { createFailureTrace, type FailureOptions, FailureState } from "#dc/analysis/power/failure_state.ts";
import { getOwnDrawW } from "#dc/analysis/power/load_lanes.ts";
import { buildPowerGraph } from "#dc/analysis/power/power_graph_editor.ts";
import { listSinglePointRefs } from "#dc/analysis/power/power_killers.ts";
import { computeLiveNodes } from "#dc/analysis/power/power_live.ts";
import { computeLoads } from "#dc/analysis/power/power_load.ts";
import type { PowerGraph } from "#dc/analysis/power/power_nodes.ts";
import type { Device } from "#dc/model/resources.ts";
import { inventory, load, source } from "../../support/dc/power.ts";
import { law } from "../../support/law.ts";

interface Plan {
  readonly sources: readonly number[];
  readonly need: number;
  readonly draw: number;
  readonly battery: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  sources: fc.array(fc.nat(30), { maxLength: 3 }),
  need: fc.integer({ min: 1, max: 2 }),
  draw: fc.nat(100),
  battery: fc.boolean(),
});

function device({ sources, need, draw, battery }: Plan, index: number, pick: (source: number) => number): Device {
  const power = { minLiveInlets: Math.min(need, Math.max(1, sources.length)), ...(battery && { runtimeS: 60 }) };
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
  buildPowerGraph(
    inventory(
      ...plans.map((one, index) => device(index === 0 ? { ...one, sources: [] } : one, index, (at) => at % index)),
    ),
  ),
);

/** Devices hang on any other, themselves included. */
const cyclic = fc
  .array(plan, { minLength: 2, maxLength: 15 })
  .map((plans) =>
    buildPowerGraph(inventory(...plans.map((one, index) => device(one, index, (at) => at % plans.length)))),
  );

const failure = fc.uniqueArray(fc.nat(29), { minLength: 1, maxLength: 4 });

function removedOf(graph: PowerGraph, picks: readonly number[]): ReadonlySet<number> {
  return new Set(picks.map((pick) => pick % graph.nodes.length));
}

function failureState(graph: PowerGraph, options: Partial<FailureOptions> = {}): FailureState {
  const live = computeLiveNodes(graph);
  const state = new FailureState({
    graph,
    live,
    loads: computeLoads(graph, live, "ALLOCATED"),
    options: { basis: "ALLOCATED", assumeBattery: false, ...options },
  });
  state.trace = createFailureTrace(graph);
  return state;
}

law("a loss leaves exactly what the fixpoint finds live", [acyclic, failure], (graph, picks) => {
  const removed = removedOf(graph, picks);

  const state = failureState(graph);
  state.spread([...removed]);

  const { live, dark } = state;
  expect([...live]).toEqual([...computeLiveNodes(graph, removed)]);
  expect(new Set(dark).size).toBe(dark.length);
});

law(
  "a loss finds the same on circles, batteries included, each node by way of a dark one",
  [cyclic, failure],
  (graph, picks) => {
    const removed = removedOf(graph, picks);
    const baseline = computeLiveNodes(graph);
    const isCharged = (index: number) => {
      const node = graph.nodes[index];
      return node?.kind === "DEVICE" && node.device.power?.runtimeS !== undefined;
    };
    const immune = (index: number) => isCharged(index) && !removed.has(index);
    const state = failureState(graph, { assumeBattery: true });
    state.isCircular = true;
    state.spread([...removed]);

    const { live, dark } = state;
    const { via, depth } = state.trace ?? createFailureTrace(graph);
    expect([...live]).toEqual([...computeLiveNodes(graph, removed, (index) => baseline[index] === 1 && immune(index))]);
    expect(dark.toSorted()).toEqual([...live.keys()].filter((at) => baseline[at] !== live[at]).toSorted());
    expect(dark.every((at) => removed.has(at) || dark.indexOf(via.at(at)) < dark.indexOf(at))).toBe(true);
    expect(dark.every((at) => depth.at(at) >= 0)).toBe(true);
  },
);

law("computeLiveNodes never grows when more is removed", [cyclic, failure, fc.nat(29)], (graph, picks, extra) => {
  const removed = removedOf(graph, picks);

  const fewer = computeLiveNodes(graph, new Set([...removed, extra % graph.nodes.length]));

  const more = computeLiveNodes(graph, removed);
  expect(fewer.every((lit, index) => lit <= (more[index] ?? 0))).toBe(true);
});

law(
  "computeLiveNodes lets no circle keep itself alive: every live node leads back to a root",
  [cyclic, failure],
  (graph, picks) => {
    const live = computeLiveNodes(graph, removedOf(graph, picks));

    const reached = new Set(
      [...graph.nodes.keys()].filter((index) => live[index] === 1 && graph.nodes[index]?.need === 0),
    );
    for (const index of reached)
      for (const { to } of graph.supplies.listEdges(index)) if (live[to] === 1) reached.add(to);
    expect([...graph.nodes.keys()].filter((index) => live[index] === 1).every((index) => reached.has(index))).toBe(
      true,
    );
  },
);

law(
  "loads brings every live watt to the roots, none lost and none doubled, above circles as well",
  [fc.oneof(acyclic, cyclic)],
  (graph) => {
    const live = computeLiveNodes(graph);

    const carried = computeLoads(graph, live, "ALLOCATED").watts;

    const indexes = [...graph.nodes.keys()].filter((index) => live[index] === 1);
    const drawn = indexes.reduce((sum, index) => sum + getOwnDrawW(graph, index, "ALLOCATED"), 0);
    const roots = indexes.filter((index) => graph.inlets.count(index) === 0);
    expect(roots.reduce((sum, index) => sum + (carried[index] ?? 0), 0)).toBeCloseTo(drawn, 6);
  },
);

law(
  "a state follows what loads does for the live set after each of several losses, and puts it back",
  [acyclic, failure],
  (graph, picks) => {
    const state = failureState(graph);
    const removed = new Set<number>();
    for (const pick of removedOf(graph, picks)) {
      removed.add(pick);
      state.updateLoads(state.spread([pick]));
      const live = computeLiveNodes(graph, removed);
      expect([...state.live]).toEqual([...live]);
      expect([...state.loads.after.watts]).toEqual([...computeLoads(graph, live, "ALLOCATED").watts]);
    }
    state.restoreState();

    expect([...state.live]).toEqual([...computeLiveNodes(graph)]);
    expect([...state.loads.after.watts]).toEqual([...computeLoads(graph, computeLiveNodes(graph), "ALLOCATED").watts]);
    state.spread([0]);
    expect([...state.live]).toEqual([...computeLiveNodes(graph, new Set([0]))]);
  },
);

law(
  "a new independent feed darkens nothing, and weakens no failure",
  [plans, failure, fc.nat(29)],
  (given, picks, pick) => {
    const devices = given.map((one, index) =>
      device(index === 0 ? { ...one, sources: [] } : one, index, (at) => at % index),
    );
    const at = pick % devices.length;
    const inlet = { name: "extra", kind: "POWER_IN" as const, powerIn: { sourceRef: "feed:NEW" } };
    const fed = devices.map((one, index) =>
      index === at && index > 0 ? { ...one, ports: [...(one.ports ?? []), inlet] } : one,
    );
    const [less, more] = [buildPowerGraph(inventory(...devices)), buildPowerGraph(inventory(...fed))];
    const removed = removedOf(less, picks);

    const [before, after] = [less, more].map((graph) => computeLiveNodes(graph, removed));

    // The new feed's node comes last, so that the others keep their places.
    expect(less.nodes.map(({ ref }) => ref)).toEqual(more.nodes.slice(0, less.nodes.length).map(({ ref }) => ref));
    expect(before?.every((lit, index) => lit <= (after?.[index] ?? 0))).toBe(true);
  },
);

law("listSinglePoints names exactly the elements whose loss darkens a node", [acyclic, fc.nat(29)], (graph, pick) => {
  const index = pick % graph.nodes.length;
  const live = computeLiveNodes(graph);
  fc.pre(live[index] === 1);

  const found = listSinglePointRefs(graph, index);

  const expected = [...graph.nodes.keys()].filter(
    (at) => at !== index && live[at] === 1 && computeLiveNodes(graph, new Set([at]))[index] === 0,
  );
  expect(new Set(found)).toEqual(new Set(expected.map((at) => graph.nodes[at]?.ref ?? "")));
});
