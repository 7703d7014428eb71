import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type LiveSet, liveAfter, liveSet } from "./power_live.ts";
import { loads, loadsAfter } from "./power_load.ts";

/** Figures after a change of the graph, and the nodes about which anything but their names may differ. */
export interface FollowedFigures {
  readonly figures: PowerFigures;
  readonly altered: ReadonlySet<number>;
}

/** Who has power in a graph and what every node carries: worked out once, then followed from change to change. */
export class PowerFigures {
  private readonly graph: PowerGraph;
  private liveNodes: LiveSet | undefined;
  private readonly carried = new Map<LoadBasis, Float64Array>();

  constructor(graph: PowerGraph) {
    this.graph = graph;
  }

  get live(): LiveSet {
    this.liveNodes ??= liveSet(this.graph);
    return this.liveNodes;
  }

  /** What every node carries, in watts. */
  loads(basis: LoadBasis): Float64Array {
    const known = this.carried.get(basis) ?? loads(this.graph, this.live, basis);
    this.carried.set(basis, known);
    return known;
  }

  /**
   * The figures of a graph that differs from this one's in the nodes, inlets or supplies of `touched` alone.
   * Cost: the edges of what lies downstream of a changed supply and upstream of everything touched, and copies of the
   * figures of all nodes.
   */
  followed(graph: PowerGraph, touched: Iterable<number>): FollowedFigures {
    const figures = new PowerFigures(graph);
    const { live, downstream, changed } = liveAfter({ before: this.graph, live: this.live, graph }, touched);
    figures.liveNodes = live;
    const reached = new Set([...touched, ...changed]);
    for (const index of changed) for (const { to } of graph.supplies[index] ?? []) reached.add(to);
    const altered = new Set(downstream);
    for (const [basis, before] of this.carried) {
      const after = loadsAfter(graph, before, { live, reached: [...reached] }, basis);
      figures.carried.set(basis, after.loadsW);
      for (const index of after.changed) altered.add(index);
    }
    return { figures, altered };
  }
}
