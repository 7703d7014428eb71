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
export interface UpdatedFigures {
  readonly figures: PowerFigures;
  readonly alteredNodes: ReadonlySet<number>;
}

/** Live nodes of a graph and the load of every node, computed once and then updated after each change. */
export class PowerFigures {
  readonly #graph: PowerGraph;
  #liveNodes: LiveSet | undefined;
  readonly #carriedByBasis = new Map<LoadBasis, CarriedLoads>();
  readonly #findingsByBasis = new Map<LoadBasis, readonly LoadFinding[]>();
  readonly #loadsByBasis = new Map<LoadBasis, Loads>();
  /** Effects of single losses in the latest earlier state for which they were computed. */
  readonly #earlierFailovers = new Map<LoadBasis, Failover>();

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

  getLoads(basis: LoadBasis): Loads {
    return this.#loadsByBasis.getOrInsertComputed(basis, () => computeLoads(this.#graph, this.live, basis));
  }

  /** Returns the loads of every node now and after the loss of any one other node; computed on the first call. */
  getCarriedLoads(basis: LoadBasis): CarriedLoads {
    return runAllSteps(this.computeCarriedInSteps(basis));
  }

  /**
   * Computes `carried` in steps. Cost at 100,000 devices: about a second at first; after a change, the nodes that
   * supply connects to it.
   */
  *computeCarriedInSteps(basis: LoadBasis): Steps<CarriedLoads> {
    const known = this.#carriedByBasis.get(basis);
    if (known !== undefined) return known;
    const graph = this.#graph;
    const { live } = this;
    const all = this.getLoads(basis);
    const earlier = this.#earlierFailovers.get(basis);
    const made = {
      graph,
      loads: all,
      failover: yield* computeFailover({ graph, live, loads: all, basis }, { earlier }),
    };
    this.#carriedByBasis.set(basis, made);
    this.#earlierFailovers.delete(basis);
    return made;
  }

  /** Returns problems of the loads, computed on first use. */
  getFindings(basis: LoadBasis): readonly LoadFinding[] {
    return this.#findingsByBasis.getOrInsertComputed(basis, () => listLoadFindings(this.getCarriedLoads(basis)));
  }

  /**
   * Returns the figures of a changed graph whose nodes, inlets or supplies differ only in `touched`. Cost: the edges
   * downstream of a changed supply and upstream of everything touched, and copies of the figures of all nodes.
   */
  createUpdated(graph: PowerGraph, touched: Iterable<number>): UpdatedFigures {
    const figures = new PowerFigures(graph);
    const { live, downstream, changed } = updateLiveSet({ before: this.#graph, live: this.live, graph }, touched);
    figures.#liveNodes = live;
    const reached = new Set([...touched, ...changed]);
    for (const index of changed) for (const { to } of graph.supplies.listEdges(index)) reached.add(to);
    for (const [basis, earlier] of this.#earlierFailovers) figures.#earlierFailovers.set(basis, earlier);
    for (const [basis, { failover: earlier }] of this.#carriedByBasis) figures.#earlierFailovers.set(basis, earlier);
    const altered = new Set(downstream);
    for (const [basis, before] of this.#loadsByBasis) {
      const after = updateLoads(graph, before, { live, reached: [...reached] }, basis);
      figures.#loadsByBasis.set(basis, after.loads);
      for (const index of after.changed) altered.add(index);
    }
    return { figures, alteredNodes: altered };
  }
}
