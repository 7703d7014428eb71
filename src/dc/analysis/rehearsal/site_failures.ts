import type { Steps } from "#kernel/steps.ts";
import { NodeGroups } from "../node_numbers.ts";
import type { BlastOptions, BlastSite } from "../power/blast_radius.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { listChangedNodes } from "../power/power_keys.ts";
import type { Topology } from "../topology.ts";
import { NodeTable } from "./counted_nodes.ts";
import { listFailingElements } from "./elements.ts";
import { type FailureFootprint, FailureSweep } from "./failure_sweep.ts";
import { sortSuppliesFirst } from "./load_slack.ts";
import type { FailingElement, PowerOutcome } from "./outcome.ts";

/** State with which failures of a site are tried. */
export interface SiteTrials {
  readonly nodes: NodeTable;
  /** By node, the lowest node number of its island. A failure of supply affects only its own island. */
  readonly islandByNode: Int32Array;
  /** Loads of all nodes before any failure, in watts. */
  readonly loadsBeforeW: Float64Array;
  readonly trials: FailureTrials;
}

/** Outcomes of every single failure of a site. */
export interface SiteFailures extends SiteTrials {
  readonly topology: Topology;
  readonly options: BlastOptions;
  /** Outcomes in the order of elements. */
  readonly outcomes: readonly PowerOutcome[];
  /** Number of elements that were failed for this state; outcomes of the other elements come from an earlier state. */
  readonly renewedCount: number;
}

/**
 * Tries failures in one state of a site. A class, because a closure that a generator creates keeps the generator's
 * parameters alive: the earlier site and all states before it.
 */
class FailureTrials {
  readonly #sweep: FailureSweep;
  /** 1 at each node around a cycle of supply, where loads cannot be updated node by node; undefined without cycles. */
  readonly #circularNodes: Uint8Array | undefined;

  constructor(sweep: FailureSweep, circular: Uint8Array | undefined) {
    this.#sweep = sweep;
    this.#circularNodes = circular;
  }

  tryFailure(elements: readonly FailingElement[]): PowerOutcome {
    return this.#sweep.tryFailure(elements, this.#isCircular(elements));
  }

  /** Returns the nodes that a failure affects; undefined around cycles of supply. */
  computeFootprint(elements: readonly FailingElement[]): FailureFootprint | undefined {
    return this.#isCircular(elements) ? undefined : this.#sweep.computeFootprint(elements);
  }

  #isCircular(elements: readonly FailingElement[]): boolean {
    return elements.some(({ index }) => this.#circularNodes?.[index] === 1);
  }
}

/** Prepares trials of a site. Cost: arrays of all nodes. */
export function* prepareTrials(site: BlastSite, options: BlastOptions): Steps<SiteTrials> {
  const loads = site.apparentLoads(options.basis);
  yield;
  const nodes = new NodeTable(site.power, options.basis);
  yield;
  const sweep = new FailureSweep(nodes, site, options);
  yield;
  const island = numberIslands(nodes);
  const circular = loads.isCircular ? markCircularIslands(site.power, island) : undefined;
  yield;
  return { nodes, islandByNode: island, loadsBeforeW: loads.watts, trials: new FailureTrials(sweep, circular) };
}

/**
 * Fails every element of a site in turn.
 * Cost: the nodes that the failures affect, in the changed islands of supply; arrays of all nodes.
 * @param earlier failures of an earlier state of the site; elements of unchanged islands are not failed again
 */
export function* failEachElement(
  topology: Topology,
  options: BlastOptions,
  earlier?: SiteFailures,
): Steps<SiteFailures> {
  const made = yield* prepareTrials(topology, options);
  const { nodes, islandByNode, trials } = made;
  const known = earlier === undefined ? undefined : collectUnchangedOutcomes(nodes, islandByNode, earlier);
  yield;
  const outcomes: PowerOutcome[] = [];
  let renewed = 0;
  for (const element of listFailingElements(topology)) {
    const before = known?.get(element.index);
    if (before?.elements[0]?.kind === element.kind) {
      outcomes.push(before);
      continue;
    }
    outcomes.push(trials.tryFailure([element]));
    renewed += 1;
    yield;
  }
  return { ...made, topology, options, outcomes, renewedCount: renewed };
}

/** Returns the outcomes in unchanged islands of supply by the node of each outcome's element. */
function collectUnchangedOutcomes(
  nodes: NodeTable,
  island: Int32Array,
  earlier: SiteFailures,
): ReadonlyMap<number, PowerOutcome> {
  const touched = collectTouchedIslands(nodes, island, earlier.nodes);
  const found = new Map<number, PowerOutcome>();
  for (const outcome of earlier.outcomes) {
    const index = outcome.elements[0]?.index ?? -1;
    if (!touched.has(island[index] ?? -1)) found.set(index, outcome);
  }
  return found;
}

function collectTouchedIslands(nodes: NodeTable, island: Int32Array, before: NodeTable): ReadonlySet<number> {
  const touched = new Set<number>();
  const racks = new Set<string>();
  const rackOf = ({ rack, rackKeys }: NodeTable, index: number) => rackKeys[rack[index] ?? -1] ?? "";
  for (const index of listChangedNodes(nodes.graph, before.graph)) {
    if (index < nodes.size) touched.add(island[index] as number);
    // Devices that left a rack are no longer connected to other devices of that rack.
    racks.add(rackOf(before, index));
  }
  racks.delete("");
  if (racks.size === 0) return touched;
  for (let index = 0; index < nodes.size; index += 1) {
    if (racks.has(rackOf(nodes, index))) touched.add(island[index] as number);
  }
  return touched;
}

/** Marks the nodes of islands in which supply has a cycle. */
function markCircularIslands(graph: PowerGraph, island: Int32Array): Uint8Array {
  const ordered = new Uint8Array(island.length);
  for (const index of sortSuppliesFirst(graph)) ordered[index] = 1;
  const circular = new Set<number>();
  for (let index = 0; index < island.length; index += 1)
    if (ordered[index] !== 1) circular.add(island[index] as number);
  return Uint8Array.from(island, (one) => Number(circular.has(one)));
}

/**
 * Numbers the islands of a site: nodes connected by supply or located in one rack. A failure affects only its own
 * island.
 * @returns by node, the lowest node number of its island
 */
function numberIslands({ graph, size, rack, rackKeys }: NodeTable): Int32Array {
  const groups = new NodeGroups(size);
  groups.joinSuppliedNodes(graph);
  const first = new Int32Array(rackKeys.length).fill(-1);
  for (let index = 0; index < size; index += 1) {
    const number = rack[index] as number;
    if (number < 0) continue;
    if (first[number] === -1) first[number] = index;
    else groups.joinNodes(first[number] as number, index);
  }
  return groups.listGroupNumbers();
}
