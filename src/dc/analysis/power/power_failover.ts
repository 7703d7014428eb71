import type { Steps } from "#kernel/steps.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import { codeKey, compareText } from "../../model/ref.ts";
import type { HealthReason } from "../racks/rack_elevation.ts";
import { FailureState } from "./failure_state.ts";
import type { Loads } from "./load_lanes.ts";
import { countLiveInlets, type LiveSet } from "./power_live.ts";
import { computeComparableLoad, listChangedNodes, markConnectedNodes } from "./power_node_table.ts";
import { collectDownstream, collectUpstream, type PowerGraph } from "./power_nodes.ts";

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

/** Maximum rounding difference between sums of the same loads added in another order. */
const FIGURE_ROUNDING = 1e-6;

/** The largest figure at each position among all losses that affect it, and the loss that causes it. */
export class WorstLosses {
  /** Largest figure at each position; -1 if no loss affects the position. */
  readonly largestFigures: Float64Array;
  /** The lost element that causes the figure of each position; -1 if no loss affects the position. */
  readonly lostNodes: Int32Array;
  readonly #isBefore: (lost: number, other: number) => boolean;

  /**
   * Creates a list of positions without figures.
   * @param isBefore whether one lost element takes precedence over another lost element that causes the same figure
   */
  constructor(size: number, isBefore: (lost: number, other: number) => boolean) {
    this.#isBefore = isBefore;
    this.largestFigures = new Float64Array(size).fill(-1);
    this.lostNodes = new Int32Array(size).fill(-1);
  }

  recordLoss(at: number, figure: number, lost: number): void {
    const most = this.largestFigures[at] as number;
    const isAlike = Math.abs(figure - most) <= FIGURE_ROUNDING;
    if (isAlike ? !this.#isBefore(lost, this.lostNodes[at] as number) : figure < most) return;
    this.largestFigures[at] = Math.max(figure, most);
    this.lostNodes[at] = lost;
  }

  /** Copies the figure of a position that no change affects from an earlier result. */
  copyFigure(at: number, before: WorstLosses): void {
    this.largestFigures[at] = before.largestFigures[at] as number;
    this.lostNodes[at] = before.lostNodes[at] as number;
  }

  /**
   * Returns the largest figure of each position.
   * @param normal figure without a loss for a position that some loss does not affect, else -1
   */
  computeWorstLoads(normal: (at: number) => number): WorstLoads {
    const loads = this.largestFigures.map((figure) => Math.max(0, figure));
    const lost = this.lostNodes.slice();
    for (let at = 0; at < loads.length; at += 1) {
      const figure = normal(at);
      if (figure <= (this.largestFigures[at] as number)) continue;
      loads[at] = Math.max(0, figure);
      lost[at] = -1;
    }
    return { loads, lost };
  }
}

/** The largest loads after any one loss, and the lost elements that cause them. */
export interface WorstLoads {
  readonly loads: Float64Array;
  /** The lost element that causes the load; -1 if no loss raises it. */
  readonly lost: Int32Array;
}

/** Load of an element in percent of its capacity. */
export interface Utilization {
  readonly normalPct: number;
  /** Percent after the loss of the one other element whose loss raises the load most. */
  readonly failoverPct: number;
  /** Percent of the capacity that the element may carry continuously. */
  readonly limitPct: number;
}

/** Loads of all elements now and after the loss of any one other element. */
export interface CarriedLoads {
  readonly graph: PowerGraph;
  readonly loads: Loads;
  readonly failover: Failover;
}

/** Returns the utilization of a node; undefined without a recorded capacity. */
export function computeUtilization({ graph, loads, failover }: CarriedLoads, index: number): Utilization | undefined {
  const { capacityW = 0, maxUtilizationPct: limitPct = 0 } = graph.nodes[index] ?? {};
  if (capacityW === 0) return undefined;
  const normalPct = (computeComparableLoad(graph, index, loads) / capacityW) * 100;
  return { normalPct, failoverPct: ((failover.loads[index] ?? 0) / capacityW) * 100, limitPct };
}

/** An overload of an element, now or after one failure. */
export interface LoadFinding extends HealthReason {
  readonly index: number;
}

/**
 * Lists the load problems of a site's elements. Above 100 % now is a fault, above the limit a warning; above 100 %
 * after one failure is a warning, above the limit information. Source: docs/contract/datacenter-analyses.md#p8.
 */
export function listLoadFindings(carried: CarriedLoads): readonly LoadFinding[] {
  return [...carried.graph.nodes.keys()].flatMap((index) =>
    listNodeLoadReasons(carried, index).map((reason) => ({ ...reason, index })),
  );
}

const NO_REASONS: readonly HealthReason[] = [];

export function listNodeLoadReasons(carried: CarriedLoads, index: number): readonly HealthReason[] {
  const used = computeUtilization(carried, index);
  if (used === undefined || Math.max(used.normalPct, used.failoverPct) <= used.limitPct) return NO_REASONS;
  const { normalPct, failoverPct, limitPct } = used;
  const ref = carried.graph.nodes[index]?.ref ?? "";
  const found: HealthReason[] = [];
  if (normalPct > 100) found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: 100, health: "FAULT" });
  else if (normalPct > limitPct) {
    found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: limitPct, health: "WATCH" });
  }
  // A failure that does not raise the load adds nothing to the findings about the load now.
  if (failoverPct <= normalPct) return found;
  if (failoverPct > 100) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: 100, health: "WATCH" });
  else if (failoverPct > limitPct) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: limitPct });
  return found;
}

const HEALTH_ORDER: readonly HealthReason["health"][] = ["FAULT", "WATCH", undefined];

/** Groups findings by the key of each rack that they concern: the element is in the rack, or supplies its devices. */
export function groupFindingsByRack(
  graph: PowerGraph,
  findings: readonly LoadFinding[],
): ReadonlyMap<string, readonly HealthReason[]> {
  const found = new Map<string, HealthReason[]>();
  const inOrder = findings.toSorted(
    (a, b) => HEALTH_ORDER.indexOf(a.health) - HEALTH_ORDER.indexOf(b.health) || compareText(a.ref, b.ref),
  );
  for (const { index, ...reason } of inOrder) {
    for (const rack of listSuppliedRackKeys(graph, index)) found.getOrInsert(rack, []).push(reason);
  }
  return found;
}

/** Returns keys of the racks that contain an element or a device in service that the element supplies. */
function listSuppliedRackKeys(graph: PowerGraph, start: number): ReadonlySet<string> {
  const racks = new Set<string>();
  for (const index of collectDownstream(graph, [start])) {
    const node = graph.nodes[index];
    if (node?.kind === "DEVICE" && !node.blocked && node.device.rackCode !== undefined) {
      racks.add(codeKey(node.device.rackCode));
    }
  }
  return racks;
}
