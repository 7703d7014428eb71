import type { Steps } from "#kernel/steps.ts";
import { NodeGroups } from "../node_numbers.ts";
import type { BlastOptions, BlastSite } from "../power/blast_radius.ts";
import type { PowerGraph } from "../power/power_graph.ts";
import { changedNodes } from "../power/power_keys.ts";
import type { Topology } from "../topology.ts";
import { CountedNodes } from "./counted_nodes.ts";
import { elementsOf } from "./elements.ts";
import { FailureSweep, type Footprint } from "./failure_sweep.ts";
import { suppliesFirst } from "./load_slack.ts";
import type { Element, Outcome } from "./outcome.ts";

/** What failures of a site are tried with. */
export interface SiteTrials {
  readonly nodes: CountedNodes;
  /** By node, the lowest node of its island: no failure of supply affects another island. */
  readonly island: Int32Array;
  /** Loads of all nodes before any failure, in watts. */
  readonly loadsBefore: Float64Array;
  readonly trials: Trials;
}

/** The outcomes of every single failure of a site. */
export interface SiteFailures extends SiteTrials {
  readonly topology: Topology;
  readonly options: BlastOptions;
  /** In the order of elements. */
  readonly outcomes: readonly Outcome[];
  /** Elements that were failed anew; others are those of an earlier site. */
  readonly renewed: number;
}

/**
 * Tries failures at one state of a site. A class, since a function that is made within a generator keeps the generator's
 * parameters for as long as it lives: here the earlier site, and through it all before.
 */
class Trials {
  readonly #sweep: FailureSweep;
  /** 1 at nodes around cycles of supply, where loads cannot be updated. */
  readonly #circular: Uint8Array | undefined;

  constructor(sweep: FailureSweep, circular: Uint8Array | undefined) {
    this.#sweep = sweep;
    this.#circular = circular;
  }

  /** Fails elements together. */
  fail(elements: readonly Element[]): Outcome {
    return this.#sweep.fail(elements, this.#isCircular(elements));
  }

  /** Nodes that a failure affects; undefined around cycles of supply. */
  footprint(elements: readonly Element[]): Footprint | undefined {
    return this.#isCircular(elements) ? undefined : this.#sweep.footprint(elements);
  }

  #isCircular(elements: readonly Element[]): boolean {
    return elements.some(({ index }) => this.#circular?.[index] === 1);
  }
}

/** Prepares trials of a site. Cost: arrays of all nodes. */
export function* siteTrials(site: BlastSite, options: BlastOptions): Steps<SiteTrials> {
  const loads = site.apparentLoads(options.basis);
  yield;
  const nodes = new CountedNodes(site.power, options.basis);
  yield;
  const sweep = new FailureSweep(nodes, site, options);
  yield;
  const island = islandsOf(nodes);
  const circular = loads.isCircular ? aroundCircles(site.power, island) : undefined;
  yield;
  return { nodes, island, loadsBefore: loads.watts, trials: new Trials(sweep, circular) };
}

/**
 * Fails every element of a site in turn.
 * @param earlier the same for an earlier state of the site; unchanged elements are not failed again Cost: the nodes
 * that the failures affect, in the changed islands of supply; arrays of all nodes.
 */
export function* siteFailures(topology: Topology, options: BlastOptions, earlier?: SiteFailures): Steps<SiteFailures> {
  const made = yield* siteTrials(topology, options);
  const { nodes, island, trials } = made;
  const known = earlier === undefined ? undefined : unchangedOutcomes(nodes, island, earlier);
  yield;
  const outcomes: Outcome[] = [];
  let renewed = 0;
  for (const element of elementsOf(topology)) {
    const before = known?.get(element.index);
    if (before?.elements[0]?.kind === element.kind) {
      outcomes.push(before);
      continue;
    }
    outcomes.push(trials.fail([element]));
    renewed += 1;
    yield;
  }
  return { ...made, topology, options, outcomes, renewed };
}

/** Outcomes in the islands of supply of which nothing changed, by the node of their element. */
function unchangedOutcomes(
  nodes: CountedNodes,
  island: Int32Array,
  earlier: SiteFailures,
): ReadonlyMap<number, Outcome> {
  const touched = touchedIslands(nodes, island, earlier.nodes);
  const found = new Map<number, Outcome>();
  for (const outcome of earlier.outcomes) {
    const index = outcome.elements[0]?.index ?? -1;
    if (!touched.has(island[index] ?? -1)) found.set(index, outcome);
  }
  return found;
}

function touchedIslands(nodes: CountedNodes, island: Int32Array, before: CountedNodes): ReadonlySet<number> {
  const touched = new Set<number>();
  const racks = new Set<string>();
  const rackOf = ({ rack, rackKeys }: CountedNodes, index: number) => rackKeys[rack[index] ?? -1] ?? "";
  for (const index of changedNodes(nodes.graph, before.graph)) {
    if (index < nodes.size) touched.add(island[index] as number);
    // Devices that left a rack are no longer connected to its other devices.
    racks.add(rackOf(before, index));
  }
  racks.delete("");
  if (racks.size === 0) return touched;
  for (let index = 0; index < nodes.size; index += 1) {
    if (racks.has(rackOf(nodes, index))) touched.add(island[index] as number);
  }
  return touched;
}

/** Marks the islands of supply in which supply runs in a circle. */
function aroundCircles(graph: PowerGraph, island: Int32Array): Uint8Array {
  const ordered = new Uint8Array(island.length);
  for (const index of suppliesFirst(graph)) ordered[index] = 1;
  const circular = new Set<number>();
  for (let index = 0; index < island.length; index += 1)
    if (ordered[index] !== 1) circular.add(island[index] as number);
  return island.reduce((marks, one, index) => {
    if (circular.has(one)) marks[index] = 1;
    return marks;
  }, new Uint8Array(island.length));
}

/**
 * Numbers the islands of a site: nodes connected by supply or located in one rack. No failure affects another island.
 * @returns by node, the lowest node of its island
 */
function islandsOf({ graph, size, rack, rackKeys }: CountedNodes): Int32Array {
  const groups = new NodeGroups(size);
  groups.joinSupply(graph);
  const first = new Int32Array(rackKeys.length).fill(-1);
  for (let index = 0; index < size; index += 1) {
    const number = rack[index] as number;
    if (number < 0) continue;
    if (first[number] === -1) first[number] = index;
    else groups.join(first[number] as number, index);
  }
  return groups.numbers();
}
