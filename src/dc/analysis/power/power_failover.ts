import type { LoadBasis } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import type { Steps } from "#kernel/steps.ts";
import { FailureState } from "./failure_state.ts";
import type { Loads } from "./load_lanes.ts";
import type { PowerGraph } from "./power_graph.ts";
import { listChangedNodes, markConnectedNodes } from "./power_keys.ts";
import { countLiveInlets, type LiveSet } from "./power_live.ts";
import { computeComparableLoad } from "./power_overloads.ts";
import { collectDownstream, collectUpstream } from "./power_reach.ts";
import { type WorstLoads, WorstLosses } from "./worst_losses.ts";

/** The largest load of every node after the loss of any one other element, in the unit of the node's capacity. */
export interface Failover extends WorstLoads {
  /**
   * Largest load of each phase in volt-amperes, three numbers per node; undefined for graphs in which all phases are
   * equal.
   */
  readonly phases: WorstLoads | undefined;
  /**
   * State from which the failover of a changed graph is updated; undefined if supply has cycles, or if only some loads
   * were requested.
   */
  readonly sweepState: SweepState | undefined;
}

/** Effects of single losses, without the loads before any loss. */
interface SweepState {
  readonly graph: PowerGraph;
  /** Whether every loss was tried. */
  readonly whole: boolean;
  /** Largest loads of nodes. */
  readonly nodes: WorstLosses;
  readonly phases: WorstLosses | undefined;
  /** Number of losses that reach each node. */
  readonly reachingLosses: Int32Array;
  /** 1 for each node whose loss was tried. */
  readonly triedNodes: Uint8Array;
}

/**
 * Number of nodes above which a loss is skipped if a larger loss has at least the same effect. Our choice: sites of a
 * few racks are tried completely.
 */
export const MAX_NODES_SWEPT_WHOLE = 5000;

export interface FailoverInput {
  readonly graph: PowerGraph;
  readonly live: LiveSet;
  readonly loads: Loads;
  readonly basis: LoadBasis;
  /** Nodes whose failover loads are requested; other loads must not be read. All nodes by default. */
  readonly wanted?: Iterable<number>;
}

/**
 * Removes every supplying element, one at a time, and records the resulting loads of the others.
 *
 * On a large site, two losses are skipped: that of a single outlet if the loss of its device shifts at least as much,
 * and that of a link in a chain if the loss of the next one is the same. On a site with cycles of supply, all loads
 * stay as they are. Cost: for each loss the edges downstream of it and upstream of those. With an earlier failover,
 * only losses connected by supply to a change, and arrays of all nodes. Source:
 * docs/contract/datacenter-analyses.md#p8.
 *
 * @param earlier the failover of an earlier graph
 */
export function* computeFailover(
  input: FailoverInput,
  { whole = MAX_NODES_SWEPT_WHOLE, earlier }: { readonly whole?: number; readonly earlier?: Failover | undefined } = {},
): Steps<Failover> {
  const isWhole = input.graph.nodes.length <= whole;
  const { isCircular } = input.loads;
  const isAlike =
    earlier?.sweepState?.whole === isWhole && earlier.sweepState.graph.isApparent === input.graph.isApparent;
  const before = !isCircular && isAlike ? earlier.sweepState : undefined;
  const sweep = new FailoverSweep(input, isWhole, before);
  yield;
  if (!isCircular) yield* sweep.tryAllLosses();
  return sweep.getFailover();
}

class FailoverSweep {
  readonly #graph: PowerGraph;
  readonly #live: LiveSet;
  readonly #before: Loads;
  readonly #state: FailureState;
  readonly #swept: SweepState;
  /** Elements to remove: all, or those that supply connects to a change. Each due element has the value 1. */
  readonly #dueMarks: Uint8Array;
  /** Elements whose loss may affect a requested node; undefined for all. */
  readonly #relevantLosses: ReadonlySet<number> | undefined;

  constructor(input: FailoverInput, whole: boolean, before: SweepState | undefined) {
    const { graph, live, loads, basis, wanted } = input;
    const size = graph.nodes.length;
    this.#graph = graph;
    this.#live = live;
    this.#before = loads;
    this.#state = new FailureState({ graph, live, loads, options: { basis, assumeBattery: false } });
    // A loss shifts the load of its consumers to their other supplies.
    this.#relevantLosses = wanted && collectUpstream(graph, collectDownstream(graph, wanted));
    this.#dueMarks =
      before === undefined
        ? new Uint8Array(size).fill(1)
        : markConnectedNodes(graph, listChangedNodes(graph, before.graph));
    const isBefore = createLossNameOrder(graph);
    this.#swept = {
      graph,
      whole,
      nodes: new WorstLosses(size, isBefore),
      phases: loads.phasesVa && new WorstLosses(3 * size, isBefore),
      reachingLosses: new Int32Array(size),
      triedNodes: new Uint8Array(size),
    };
    if (before !== undefined) this.#keepEffects(before);
  }

  /** Keeps the effects of losses that no change affects. */
  #keepEffects(before: SweepState): void {
    const { nodes, phases, reachingLosses, triedNodes } = this.#swept;
    for (let index = 0; index < this.#dueMarks.length; index += 1) {
      if (this.#dueMarks[index] === 1) continue;
      nodes.copyFigure(index, before.nodes);
      for (let at = 3 * index; before.phases !== undefined && at < 3 * index + 3; at += 1) {
        phases?.copyFigure(at, before.phases);
      }
      reachingLosses[index] = before.reachingLosses[index] as number;
      triedNodes[index] = before.triedNodes[index] as number;
    }
  }

  /** Tries all losses, one step for each. */
  *tryAllLosses(): Steps<void> {
    const { nodes, supplies } = this.#graph;
    const { whole } = this.#swept;
    const all = [...nodes.keys()].filter(
      (index) => this.#dueMarks[index] === 1 && canLoseSupply(this.#graph, this.#live, index),
    );
    const elements = whole ? all : all.filter((index) => !isOnlyLinkInChain(this.#graph, this.#live, index));
    const sharedOf = new Map<number, readonly number[]>();
    for (const index of elements.filter((at) => nodes[at]?.kind !== "OUTLET")) {
      yield;
      const dark = this.#tryLoss(index);
      const shared = whole ? undefined : this.#listSharedSupplies(index, dark);
      if (shared !== undefined) sharedOf.set(index, shared);
    }
    const isSpared = this.#createUnaffectedTest();
    const outweighed = new Set<number>();
    for (const [index, shared] of sharedOf) {
      if (shared.every(isSpared)) for (const { to } of supplies.listEdges(index)) outweighed.add(to);
    }
    for (const index of elements.filter((at) => nodes[at]?.kind === "OUTLET" && !outweighed.has(at))) {
      yield;
      this.#tryLoss(index);
    }
  }

  /** Returns the largest loads. The load before any loss counts too if some tried loss does not reach the node. */
  getFailover(): Failover {
    const { nodes, phases } = this.#swept;
    const isSpared = this.#createUnaffectedTest();
    const { phasesVa } = this.#before;
    const isKept = this.#relevantLosses === undefined && !this.#before.isCircular;
    return {
      ...nodes.computeWorstLoads((index) =>
        isSpared(index) ? computeComparableLoad(this.#graph, index, this.#before) : -1,
      ),
      phases: phases?.computeWorstLoads((at) => (isSpared(Math.floor(at / 3)) ? (phasesVa?.[at] ?? 0) : -1)),
      sweepState: isKept ? this.#swept : undefined,
    };
  }

  /** Creates a test of whether some tried loss of another element leaves the load of a node as it is. */
  #createUnaffectedTest(): (index: number) => boolean {
    const { reachingLosses, triedNodes } = this.#swept;
    const losses = triedNodes.reduce((sum, one) => sum + one, 0);
    return (index) => {
      const others = losses - (triedNodes[index] as number);
      return (reachingLosses[index] as number) < others || others <= 0;
    };
  }

  /** Tries the loss of an element. @returns the de-energized nodes, the lost element first */
  #tryLoss(lost: number): readonly number[] {
    const { reachingLosses, triedNodes } = this.#swept;
    triedNodes[lost] = 1;
    if (this.#relevantLosses?.has(lost) === false) return [];
    const state = this.#state;
    state.updateLoads(state.spread([lost]));
    for (const index of state.loads.changedNodes) {
      if (index === lost) continue;
      reachingLosses[index] = (reachingLosses[index] as number) + 1;
      this.#recordNodeLoads(index, lost);
    }
    const { dark } = state;
    state.restoreState();
    return dark;
  }

  /** Records the loads of a node after a loss. */
  #recordNodeLoads(index: number, lost: number): void {
    const { nodes, phases } = this.#swept;
    const { loads } = this.#state;
    nodes.recordLoss(index, loads.computeComparable(index), lost);
    for (let at = 3 * index; phases !== undefined && at < 3 * index + 3; at += 1) {
      phases.recordLoss(at, loads.after.phasesVa?.[at] ?? 0, lost);
    }
  }

  /**
   * Checks whether losing a device shifts at least as much onto every other element as losing one of its outlets: each
   * consumer has one inlet on it and moves its whole draw to its other inlets, and no consumer that draws from
   * elsewhere goes off. An element that supplies both the device and those other inlets may lose more than it gains;
   * it carries no more than before any loss if all paths to the device lead through it.
   * @returns the elements that supply both; undefined if the loss of an outlet may shift more
   */
  #listSharedSupplies(device: number, dark: readonly number[]): readonly number[] | undefined {
    const { nodes, inlets, supplies } = this.#graph;
    const direct = supplies.listEdges(device).map(({ to }) => to);
    const outlets = direct.filter((index) => nodes[index]?.kind === "OUTLET");
    const own = new Set([device, ...outlets]);
    const gone = new Set(dark);
    const others = new Set<number>();
    for (const to of [...direct, ...outlets.flatMap((outlet) => supplies.listEdges(outlet).map((edge) => edge.to))]) {
      if (own.has(to)) continue;
      const all = inlets.listEdges(to);
      if (supplies.count(to) > 0 || all.some(({ allocatedW }) => allocatedW !== undefined)) return undefined;
      if (all.filter(({ from }) => own.has(from)).length > 1) return undefined;
      const live = all.filter(({ from }) => !own.has(from) && this.#live[from] === 1);
      if (gone.has(to) && live.length > 0) return undefined;
      for (const { from } of live) others.add(from);
    }
    const above = collectUpstream(this.#graph, [device]);
    const shared = [...collectUpstream(this.#graph, others)].filter(
      (index) => above.has(index) && this.#live[index] === 1,
    );
    return shared.every((index) => this.#isOnEveryLivePath(index, device)) ? shared : undefined;
  }

  /** Whether every live path to a device leads through an element. */
  #isOnEveryLivePath(element: number, device: number): boolean {
    const seen = new Set([device]);
    for (const index of seen) {
      if (index === element) continue;
      const live = this.#graph.inlets.listEdges(index).filter(({ from }) => this.#live[from] === 1);
      if (live.length === 0) return false;
      for (const { from } of live) seen.add(from);
    }
    return true;
  }
}

/** Whether a node is live and supplies other nodes. */
export function canLoseSupply({ supplies }: PowerGraph, live: LiveSet, index: number): boolean {
  return live[index] === 1 && supplies.count(index) > 0;
}

/** Whether losing a node equals losing its only consumer, which supplies other nodes and is tried itself. */
export function isOnlyLinkInChain(graph: PowerGraph, live: LiveSet, index: number): boolean {
  const [only, ...more] = graph.supplies.listEdges(index);
  if (only === undefined || more.length > 0 || !canLoseSupply(graph, live, only.to)) return false;
  return countLiveInlets(graph, live, only.to) - 1 < (graph.nodes[only.to]?.need ?? 0);
}

/** Creates an order of losses with equal effect by their references, which do not depend on the order of writes. */
export function createLossNameOrder({ nodes }: PowerGraph): (lost: number, other: number) => boolean {
  return (lost, other) => compareText(nodes[lost]?.ref ?? "", nodes[other]?.ref ?? "") < 0;
}
