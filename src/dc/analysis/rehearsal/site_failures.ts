import type { Steps } from "#kernel/steps.ts";
import { isSameItemList } from "../persistent.ts";
import type { BlastOptions, BlastSite } from "../power/blast_radius.ts";
import { NodeGroups } from "../power/node_numbers.ts";
import { listChangedNodes } from "../power/power_node_table.ts";
import type { PowerGraph } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { type FailingElement, listFailingElements, listOutcomeOffNodes, type PowerOutcome } from "./elements.ts";
import { type FailureFootprint, FailureSweep, NodeTable, sortSuppliesFirst } from "./failure_sweep.ts";
import {
  type CoolingAndFabricEffects,
  FailureOverlaps,
  formatRackName,
  type PathsByHost,
  SharedNumbers,
} from "./further_effects.ts";

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

/** Single failures of an island of supply, and the nodes that each affects. */
interface IslandFootprints {
  /** Outcomes in the order of elements. */
  readonly outcomes: readonly PowerOutcome[];
  readonly meetings: FailureOverlaps;
}

/** Footprints of single failures by island, computed on first use. The next state gets those of unchanged islands. */
export class FootprintCache {
  readonly #site: SiteFailures;
  readonly #numbers: SharedNumbers;
  readonly #outcomes: ReadonlyMap<number, readonly PowerOutcome[]>;
  readonly #islands = new Map<number, IslandFootprints>();

  /**
   * Takes over the footprints of unchanged islands.
   * @param earlier footprints of an earlier state. Cost: the elements of the site, and those of the islands with known
   * footprints
   */
  constructor(site: SiteFailures, earlier?: FootprintCache) {
    this.#site = site;
    this.#numbers = earlier === undefined ? new SharedNumbers() : earlier.#numbers;
    this.#outcomes = Map.groupBy(site.outcomes, ({ elements }) => site.islandByNode[elements[0]?.index ?? -1] ?? -1);
    if (earlier === undefined) return;
    for (const [island, known] of earlier.#islands) {
      if (isSameItemList(this.listIslandOutcomes(island), known.outcomes)) this.#islands.set(island, known);
    }
  }

  /** Returns the single failures of an island, in the order of elements. */
  listIslandOutcomes(island: number): readonly PowerOutcome[] {
    return this.#outcomes.get(island) ?? [];
  }

  /**
   * Finds single failures of an island that can have additional effects together with given elements. Cost on first
   * use: the failures of the island.
   * @param site in which the elements are tried; it may have inlets as nodes
   */
  *findOverlappingOutcomes(
    island: number,
    { nodes, trials, loadsBeforeW }: SiteTrials,
    together: readonly FailingElement[],
  ) {
    const { outcomes, meetings } = this.#islands.get(island) ?? (yield* this.#computeIsland(island));
    const racks = together
      .flatMap(({ index }) => nodes.rackKeys[nodes.rack[index] as number] ?? [])
      .map(formatRackName);
    const reach = this.#numbers.convertFootprint(nodes, trials.computeFootprint(together), racks);
    const capacityOf = (node: number) =>
      Math.max(nodes.graph.columns.limitW[node] as number, nodes.graph.nodes[node]?.capacityW ?? 0);
    const found = meetings.findOverlapping(reach, (node) => capacityOf(node) - (loadsBeforeW[node] as number));
    return [...found].flatMap((at) => outcomes[at] ?? []);
  }

  *#computeIsland(island: number): Steps<IslandFootprints> {
    const outcomes = this.listIslandOutcomes(island);
    const { nodes, trials } = this.#site;
    const reaches = [];
    for (const { elements, racksDark, racksPartial } of outcomes) {
      const racks = [...racksDark, ...racksPartial].map(formatRackName);
      reaches.push(this.#numbers.convertFootprint(nodes, trials.computeFootprint(elements), racks));
      yield;
    }
    const made = { outcomes, meetings: new FailureOverlaps(reaches) };
    this.#islands.set(island, made);
    return made;
  }
}

/** Finds the single failures of a site that can have additional effects together with other failures. */
export class NearFailureFinder {
  readonly site: SiteFailures;
  readonly effects: CoolingAndFabricEffects;
  readonly footprints: FootprintCache;
  #outcomesByName: ReadonlyMap<string, readonly PowerOutcome[]> | undefined;

  constructor(site: SiteFailures, effects: CoolingAndFabricEffects, earlier?: FootprintCache) {
    this.site = site;
    this.effects = effects;
    this.footprints = new FootprintCache(site, earlier);
  }

  /**
   * Finds the single failures that share supply, load, a rack, a cooled area or a switch with elements that fail
   * together. Unless links or ports also fail, excludes failures that include all of the elements.
   * @param site in which the elements are tried
   * @param off nodes that do not work after the elements failed
   * @param cut numbers of the fabric links that also go down
   * @param cutPaths paths of the hosts behind ports that also fail
   */
  *findNearFailures(
    site: SiteTrials,
    together: readonly FailingElement[],
    {
      off,
      cut,
      cutPaths,
    }: { readonly off: readonly number[]; readonly cut: readonly number[]; readonly cutPaths: PathsByHost },
  ): Steps<readonly PowerOutcome[]> {
    const found = new Set<PowerOutcome>();
    for (const [island, own] of Map.groupBy(together, ({ index }) => site.islandByNode[index] ?? -1)) {
      for (const outcome of yield* this.footprints.findOverlappingOutcomes(island, site, own)) found.add(outcome);
      yield;
    }
    const byName = this.#groupOutcomesByName();
    for (const name of this.effects.listMeetingNames(off, cut, cutPaths))
      for (const outcome of byName.get(name) ?? []) found.add(outcome);
    return cut.length + cutPaths.size > 0
      ? [...found]
      : [...found].filter((outcome) => !includesAllElements(outcome, together));
  }

  #groupOutcomesByName(): ReadonlyMap<string, readonly PowerOutcome[]> {
    if (this.#outcomesByName !== undefined) return this.#outcomesByName;
    const found = new Map<string, PowerOutcome[]>();
    for (const outcome of this.site.outcomes)
      for (const name of this.effects.listMeetingNames(listOutcomeOffNodes(outcome)))
        found.getOrInsert(name, []).push(outcome);
    this.#outcomesByName = found;
    return found;
  }
}

function includesAllElements({ direct }: PowerOutcome, [first, ...others]: readonly FailingElement[]): boolean {
  if (first === undefined || !direct.includes(first.index)) return false;
  const taken = others.length === 0 ? undefined : new Set(direct);
  return others.every(({ index }) => taken?.has(index));
}
