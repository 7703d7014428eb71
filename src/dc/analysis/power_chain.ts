import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";

/** One inlet's way to a root. References run from the inlet's source upwards. */
export interface InletPath {
  readonly inlet: string;
  readonly path: readonly string[];
  /** Label of the supply side. */
  readonly label: string;
  readonly live: boolean;
}

/** The way of each inlet of a node to a root, over the first live supply of every element. Cost: O(inlets × depth). */
export function inletPaths(graph: PowerGraph, live: LiveSet, index: number): readonly InletPath[] {
  return (graph.inlets[index] ?? []).map(({ from, inlet, label }) => {
    const way = wayUp(graph, live, from);
    return {
      inlet,
      path: way.map((at) => graph.nodes[at]?.ref ?? ""),
      label: label ?? sideOf(graph, way),
      live: live[from] === 1,
    };
  });
}

/** The label of the supply side that an inlet hangs on when it names none itself, by its source. */
export function sideOfSource(graph: PowerGraph, live: LiveSet, from: number): string {
  return sideOf(graph, wayUp(graph, live, from));
}

/** The supply side of a way: the nearest label, but beyond the first feed, since a PDU's own label may be a mistake. */
function sideOf(graph: PowerGraph, way: readonly number[]): string {
  const feed = way.findIndex((at) => graph.nodes[at]?.ref.startsWith("feed:"));
  const beyond = way.slice(Math.max(0, feed));
  const label = beyond.map((at) => labelOf(graph, at)).find((text) => text !== undefined);
  return label ?? graph.nodes[beyond.at(-1) ?? -1]?.ref ?? "";
}

function wayUp(graph: PowerGraph, live: LiveSet, start: number): readonly number[] {
  const way = new Set([start]);
  for (const index of way) {
    const inlets = graph.inlets[index] ?? [];
    const next = inlets.find(({ from }) => live[from] === 1) ?? inlets[0];
    if (next !== undefined) way.add(next.from);
  }
  return [...way];
}

function labelOf(graph: PowerGraph, index: number): string | undefined {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" ? node.device.power?.powerPath : undefined;
}

/**
 * References of the elements whose loss alone darkens a node, nearest first: its dominators when one inlet is enough.
 * Found by removing each ancestor in turn, which sees only the ancestors.
 * Cost: O(ancestors × edges among them). Source: docs/contract/datacenter-analyses.md#single-points-of-failure.
 */
export function singlePoints(graph: PowerGraph, live: LiveSet, index: number): readonly string[] {
  if (live[index] !== 1) return [];
  const ancestors = [...ancestorsOf(graph, index)];
  return ancestors
    .filter((at) => live[at] === 1 && !stillLive(graph, ancestors, index, at))
    .map((at) => graph.nodes[at]?.ref ?? "");
}

function ancestorsOf(graph: PowerGraph, index: number): ReadonlySet<number> {
  const found = new Set((graph.inlets[index] ?? []).map(({ from }) => from));
  for (const at of found) for (const { from } of graph.inlets[at] ?? []) found.add(from);
  return found;
}

/** Whether a node keeps its power without `lost`, looking at its ancestors only. */
function stillLive(graph: PowerGraph, ancestors: readonly number[], index: number, lost: number): boolean {
  const place = new Map([...ancestors, index].map((at) => [at, 0]));
  const lit = ancestors.filter(
    (at) => at !== lost && graph.nodes[at]?.need === 0 && graph.nodes[at]?.blocked === false,
  );
  const queue = new Set(lit);
  for (const at of queue) {
    for (const { to } of graph.supplies[at] ?? []) {
      const arrived = place.get(to);
      if (arrived === undefined || to === lost || graph.nodes[to]?.blocked !== false) continue;
      place.set(to, arrived + 1);
      if (arrived + 1 >= (graph.nodes[to]?.need ?? 0)) queue.add(to);
    }
  }
  return queue.has(index);
}
