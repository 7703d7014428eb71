import type { LoadBasis } from "#dc/model/enum_values.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import type { Loads } from "./load_lanes.ts";
import { computeFailover, type Failover } from "./power_failover.ts";
import { type CarriedLoads, type LoadFinding, listLoadFindings } from "./power_findings.ts";
import type { PowerGraph } from "./power_graph.ts";
import { computeLiveNodes, type LiveSet, updateLiveSet } from "./power_live.ts";
import { computeLoads, updateLoads } from "./power_load.ts";
import { RedundancyAudit } from "./redundancy_audit.ts";

/** Figures after a change of the graph, and the nodes whose live state or load may differ. */
export interface FollowedFigures {
  readonly figures: PowerFigures;
  readonly altered: ReadonlySet<number>;
}

/** Live nodes of a graph and the load of every node, computed once and then updated after each change. */
export class PowerFigures {
  readonly #graph: PowerGraph;
  #liveNodes: LiveSet | undefined;
  readonly #failovers = new Map<LoadBasis, CarriedLoads>();
  readonly #found = new Map<LoadBasis, readonly LoadFinding[]>();
  readonly #known = new Map<LoadBasis, Loads>();
  /** Effects of single losses in the latest earlier state for which they were computed. */
  readonly #earlier = new Map<LoadBasis, Failover>();

  /** Compares supplies with the required redundancy. */
  readonly redundancy: RedundancyAudit;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.redundancy = new RedundancyAudit(graph);
  }

  get live(): LiveSet {
    this.#liveNodes ??= computeLiveNodes(this.#graph);
    return this.#liveNodes;
  }

  loads(basis: LoadBasis): Loads {
    const known = this.#known.get(basis) ?? computeLoads(this.#graph, this.live, basis);
    this.#known.set(basis, known);
    return known;
  }

  /** Returns the loads of every node now and after the loss of any one other node; computed on the first call. */
  carried(basis: LoadBasis): CarriedLoads {
    return runAllSteps(this.carriedInSteps(basis));
  }

  /**
   * Computes `carried` in steps. Cost at 100,000 devices: about a second at first; after a change, the nodes that
   * supply connects to it.
   */
  *carriedInSteps(basis: LoadBasis): Steps<CarriedLoads> {
    const known = this.#failovers.get(basis);
    if (known !== undefined) return known;
    const graph = this.#graph;
    const { live } = this;
    const all = this.loads(basis);
    const earlier = this.#earlier.get(basis);
    const made = {
      graph,
      loads: all,
      failover: yield* computeFailover({ graph, live, loads: all, basis }, { earlier }),
    };
    this.#failovers.set(basis, made);
    this.#earlier.delete(basis);
    return made;
  }

  /** Returns problems of the loads, computed on first use. */
  findings(basis: LoadBasis): readonly LoadFinding[] {
    const known = this.#found.get(basis) ?? listLoadFindings(this.carried(basis));
    this.#found.set(basis, known);
    return known;
  }

  /**
   * Returns the figures of a changed graph whose nodes, inlets or supplies differ only in `touched`. Cost: the edges
   * downstream of a changed supply and upstream of everything touched, and copies of the figures of all nodes.
   */
  followed(graph: PowerGraph, touched: Iterable<number>): FollowedFigures {
    const figures = new PowerFigures(graph);
    const { live, downstream, changed } = updateLiveSet({ before: this.#graph, live: this.live, graph }, touched);
    figures.#liveNodes = live;
    const reached = new Set([...touched, ...changed]);
    for (const index of changed) for (const { to } of graph.supplies.of(index)) reached.add(to);
    for (const [basis, earlier] of this.#earlier) figures.#earlier.set(basis, earlier);
    for (const [basis, { failover: earlier }] of this.#failovers) figures.#earlier.set(basis, earlier);
    const altered = new Set(downstream);
    for (const [basis, before] of this.#known) {
      const after = updateLoads(graph, before, { live, reached: [...reached] }, basis);
      figures.#known.set(basis, after.loads);
      for (const index of after.changed) altered.add(index);
    }
    return { figures, altered };
  }
}
