import type { Impact } from "#gen/datacenter/v1/messages.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import { codeKey } from "../../model/ref.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import { type BlastOptions, type BlastSite, Cascade, type TrippedSource } from "../power/blast_radius.ts";
import { FailureState, type Overloaded } from "../power/failure_state.ts";
import { getOwnDrawW, includesBladeDraw } from "../power/load_lanes.ts";
import { EDGE_BITS } from "../power/power_edges.ts";
import { BatteryRideThrough } from "../power/power_figures.ts";
import type { LiveSet } from "../power/power_live.ts";
import { getNodeOwner, type PowerGraph, type PowerNode } from "../power/power_nodes.ts";
import { hasUnknownDraw } from "../power/unknown_draws.ts";
import {
  AffectedRacks,
  computeRackState,
  createUnaffectedRack,
  findRackRole,
  RACK_ROLE,
  type RackSupply,
} from "../racks/rack_elevation.ts";
import { addFailedCooling, type FailingElement, listFailingNodes, type PowerOutcome } from "./elements.ts";

const NO_OVERLOADS: readonly Overloaded[] = [];
const NO_TRIPS: readonly TrippedSource[] = [];
const NO_KEYS: readonly string[] = [];

interface FailureSources {
  /** Nodes that fail. */
  readonly nodes: readonly number[];
  /** Nodes that fail as contents of a location; undefined for elements that do not count as offline themselves. */
  readonly location: LocationSources | undefined;
}

/** Failing nodes of locations; their loads and cooling units count as offline. */
interface LocationSources {
  readonly all: ReadonlySet<number>;
  /** Failing equipment that does not count as offline. */
  readonly unlisted: ReadonlySet<number>;
}

/** Tries failures in turn: applies, counts and undoes each. A law checks that the results equal a blast radius. */
export class FailureSweep {
  readonly #nodes: NodeTable;
  readonly #state: FailureState;
  readonly #options: BlastOptions;
  readonly #loadSlack: LoadSlack | undefined;
  readonly #rackTally: AffectedRacks;
  readonly #findSupply: (key: string) => RackSupply;
  readonly #batteries: BatteryRideThrough;
  /** By node, the number of the latest failure in which an IT device is off. */
  readonly #lastOfflineFailure: Uint32Array;
  #peaks: Float64Array | undefined;
  #failureCount = 0;

  constructor(nodes: NodeTable, site: BlastSite, options: BlastOptions) {
    const { graph } = nodes;
    const { live } = site;
    const loads = site.apparentLoads(options.basis);
    this.#nodes = nodes;
    this.#options = options;
    const before = { graph, live, loads, options, known: nodes };
    this.#state = new FailureState(before);
    this.#batteries = new BatteryRideThrough(before);
    // Effects of phases and power factors do not add up, so no slack bounds them.
    this.#loadSlack = loads.phasesVa === undefined ? new LoadSlack(graph, live, loads.watts) : undefined;
    const racks = nodes.rackKeys.map(createUnaffectedRack);
    this.#rackTally = new AffectedRacks(
      (index) => racks[nodes.rack[index] as number],
      (index) => nodes.rackRoles[index],
    );
    const supplies = new Map<string, RackSupply>();
    this.#findSupply = (key) => supplies.getOrInsertComputed(key, () => site.rackSupply(key));
    this.#lastOfflineFailure = new Uint32Array(nodes.size);
  }

  /**
   * Fails elements together, counts the effects and restores the state before.
   * @param isCircular whether supply has cycles around the elements. Cost: that of all nodes if supply has cycles
   */
  tryFailure(elements: readonly FailingElement[], isCircular = false): PowerOutcome {
    this.#failureCount += 1;
    this.#state.isCircular = isCircular;
    const sources = collectSources(elements);
    const { darkBefore, direct, overloads, trips } = this.#applyFailure(sources);
    const { impact, offline, degraded, keys } = this.#countEffects(sources);
    this.#state.restoreState();
    const { racksDark, racksPartial, racksProtected } = keys;
    return {
      elements,
      impact: addFailedCooling(this.#nodes.graph, impact, elements),
      direct,
      offline,
      degraded,
      racksDark,
      racksPartial,
      racksProtected,
      racksDarkByTrip: darkBefore === undefined ? NO_KEYS : racksDark.filter((key) => !darkBefore.has(key)),
      trips,
      overloads,
    };
  }

  /** Fails elements together and returns all nodes that their cascade affects. */
  computeFootprint(elements: readonly FailingElement[]): FailureFootprint {
    const state = this.#state;
    const { loads } = state;
    const { limitW } = this.#nodes.graph.columns;
    this.#peaks ??= new Float64Array(this.#nodes.size);
    loads.peaks = this.#peaks;
    state.isCircular = false;
    this.#applyFailure(collectSources(elements));
    const rises = new Map<number, number>();
    for (const at of loads.changedNodes) {
      const rise = this.#peaks[at] as number;
      if (rise > 0 && (limitW[at] as number) < Number.POSITIVE_INFINITY) rises.set(at, rise);
    }
    const made = { reached: state.reachedNodes, changed: loads.changedNodes, rises };
    state.restoreState();
    loads.peaks = undefined;
    return made;
  }

  /** Whether a failing node does not count as offline. In a location, undocumented devices do not count either. */
  #isUncounted({ nodes, location }: FailureSources, index: number): boolean {
    if (location === undefined) return nodes.includes(index);
    if (location.unlisted.has(index)) return true;
    return this.#nodes.rackRoles[index] === RACK_ROLE.UNDOCUMENTED && location.all.has(index);
  }

  /** Applies a failure and, if the options request it, its cascade. */
  #applyFailure(sources: FailureSources) {
    const state = this.#state;
    const overloads = this.#applySupplyLoss(sources.nodes);
    const direct = state.dark.slice();
    const cascade = new Cascade(state, overloads);
    if (!this.#options.cascade || cascade.hasEnded)
      return { direct, overloads, trips: NO_TRIPS, darkBefore: undefined };
    const darkBefore = new Set(this.#listDarkRacks(sources));
    const trips: TrippedSource[] = [];
    while (!cascade.hasEnded) trips.push(...cascade.runStep());
    return { direct, overloads: cascade.overloads, trips, darkBefore };
  }

  #applySupplyLoss(sources: readonly number[]): readonly Overloaded[] {
    const state = this.#state;
    const reached = state.spread(sources);
    const mayRest = state.loads.peaks === undefined && !state.isCircular;
    if (mayRest && this.#loadSlack?.excludesOverloads(reached, state.live) === true) return NO_OVERLOADS;
    state.updateLoads(reached);
    return state.listOverloads();
  }

  #countEffects(sources: FailureSources) {
    const { categories } = this.#nodes;
    const { dark } = this.#state;
    const isCounted = (index: number) => categories[index] !== COUNT_CATEGORY.NOTHING;
    const offline = dark.filter((index) => isCounted(index) && !this.#isUncounted(sources, index));
    const onBattery = this.#options.assumeBattery ? this.#state.listNodesOnBattery().filter(isCounted) : [];
    const isCarried = onBattery.length === 0 ? undefined : new Set(onBattery);
    const weaker = this.#state.listWeakenedNodes().filter(isCounted);
    const degraded = isCarried === undefined ? weaker : weaker.filter((index) => !isCarried.has(index));
    const racks = this.#countRackStates(sources, [offline, onBattery, degraded]);
    return {
      impact: this.#computeImpact(sources, { offline, degraded, racks }),
      offline,
      degraded,
      keys: racks.keysByState,
    };
  }

  #computeImpact(
    sources: FailureSources,
    {
      offline,
      degraded,
      racks,
    }: { readonly offline: readonly number[]; readonly degraded: readonly number[]; readonly racks: RackCounts },
  ): Impact {
    const { categories, coolingKw, isDrawUnknown } = this.#nodes;
    let [it, itDevicesWithoutDraw, power, cracs, coolingLostKw, devicesDegraded] = [0, 0, 0, 0, 0, 0];
    for (const index of offline) {
      if (categories[index] === COUNT_CATEGORY.IT) {
        it += 1;
        itDevicesWithoutDraw += isDrawUnknown[index] as number;
        this.#lastOfflineFailure[index] = this.#failureCount;
      } else if (categories[index] === COUNT_CATEGORY.POWER) power += 1;
      else {
        cracs += 1;
        coolingLostKw += coolingKw[index] as number;
      }
    }
    for (const index of degraded) if (categories[index] !== COUNT_CATEGORY.CRAC) devicesDegraded += 1;
    const minRideThroughS = this.#state.findShortestRuntimeS();
    const atLoadS = this.#batteries.computeShortestS(minRideThroughS, sources.nodes, this.#state.isCircular);
    return {
      racksDark: racks.keysByState.racksDark.length,
      racksPartial: racks.keysByState.racksPartial.length,
      racksProtected: racks.keysByState.racksProtected.length,
      devicesOffline: it + power,
      itDevicesOffline: it,
      powerDevicesOffline: power,
      cracsOffline: cracs,
      devicesDegraded,
      devicesUndocumented: racks.undocumented,
      itDevicesWithoutDraw,
      itLoadLostW: it === 0 ? 0 : this.#sumLostDrawW(offline),
      coolingLostKw,
      ...(minRideThroughS !== undefined && { minRideThroughS }),
      ...(atLoadS !== undefined && { minRideThroughAtLoadS: atLoadS }),
    };
  }

  /** Sums the draw in watts of IT devices that go offline. An offline chassis's measured draw includes its blades. */
  #sumLostDrawW(offline: readonly number[]): number {
    const { categories, drawW, graph } = this.#nodes;
    const { inAt, inEnd, from, how } = graph.edges;
    const { basis } = this.#options;
    let sum = 0;
    for (const index of offline) {
      if (categories[index] !== COUNT_CATEGORY.IT) continue;
      const first = inAt[index] as number;
      const hasInlet = first < (inEnd[index] as number);
      const chassis = hasInlet && ((how[first] as number) & EDGE_BITS.BAY) !== 0 ? (from[first] as number) : -1;
      const isGone = chassis >= 0 && this.#lastOfflineFailure[chassis] === this.#failureCount;
      if (isGone && includesBladeDraw(graph, chassis, basis)) continue;
      sum += drawW[index] as number;
    }
    return sum;
  }

  #listDarkRacks(sources: FailureSources): readonly string[] {
    const { categories } = this.#nodes;
    const offline = this.#state.dark.filter(
      (index) => categories[index] !== COUNT_CATEGORY.NOTHING && !this.#isUncounted(sources, index),
    );
    return this.#countRackStates(sources, [offline]).keysByState.racksDark;
  }

  #tallyRacks(sources: FailureSources, hits: readonly (readonly number[])[]): void {
    const racks = this.#rackTally;
    const { categories } = this.#nodes;
    const { nodes, location } = sources;
    for (const index of nodes)
      if (isUnlistedNode(sources, index)) racks.excludeFailed(index, this.#state.before.live[index] === 1);
    for (const index of this.#state.dark) racks.countDarkNode(index, isUnlistedNode(sources, index));
    // A cooling unit that fails with its location counts as offline, not as a change of its rack.
    const isChange = (index: number) => categories[index] !== COUNT_CATEGORY.CRAC || location?.all.has(index) !== true;
    for (const list of location === undefined ? hits : hits.map((some) => some.filter(isChange)))
      for (const index of list) racks.markTouched(index);
  }

  #countRackStates(sources: FailureSources, hits: readonly (readonly number[])[]): RackCounts {
    const racks = this.#rackTally;
    this.#tallyRacks(sources, hits);
    if (racks.affected.length === 0) return NO_RACKS;
    const keys = { racksDark: [] as string[], racksPartial: [] as string[], racksProtected: [] as string[] };
    let undocumented = 0;
    for (const rack of racks.affected) {
      const supply = this.#findSupply(rack.key);
      const state = computeRackState(rack, supply);
      if (state === undefined) continue;
      undocumented += supply.undocumented.length;
      keys[LIST_BY_STATE[state]].push(rack.key);
    }
    racks.clear();
    return { keysByState: keys, undocumented };
  }
}

function collectSources(elements: readonly FailingElement[]): FailureSources {
  if (elements.every(({ members }) => members === undefined))
    return { nodes: elements.map(({ index }) => index), location: undefined };
  const nodes = elements.flatMap(listFailingNodes);
  const unlisted = new Set(elements.flatMap(({ index, members }) => (members ? [...members.unlisted] : [index])));
  return { nodes, location: { all: new Set(nodes), unlisted } };
}

function isUnlistedNode({ nodes, location }: FailureSources, index: number): boolean {
  return location === undefined ? nodes.includes(index) : location.unlisted.has(index);
}

/** Nodes that a failure affects, over all steps of its cascade. */
export interface FailureFootprint {
  /** Nodes that lose power, and nodes that lose an inlet. */
  readonly reached: readonly number[];
  /** Nodes whose loads change: the reached nodes and everything upstream of them. */
  readonly changed: readonly number[];
  /** Rise in watts of the loads of nodes with a capacity. */
  readonly rises: ReadonlyMap<number, number>;
}

const LIST_BY_STATE = { DARK: "racksDark", PARTIAL: "racksPartial", PROTECTED: "racksProtected" } as const;

interface RackCounts {
  readonly keysByState: Pick<PowerOutcome, "racksDark" | "racksPartial" | "racksProtected">;
  readonly undocumented: number;
}

const NO_RACKS: RackCounts = {
  keysByState: { racksDark: NO_KEYS, racksPartial: NO_KEYS, racksProtected: NO_KEYS },
  undocumented: 0,
};

/** Category under which an offline node is counted. */
const COUNT_CATEGORY = { NOTHING: 0, IT: 1, POWER: 2, CRAC: 3 } as const;

/** Properties of every node of a power graph that a rehearsal counts, in typed arrays. */
export class NodeTable {
  readonly graph: PowerGraph;
  readonly size: number;
  readonly drawW: Float64Array;
  /** 1 at consumers whose draw is not recorded. */
  readonly isDrawUnknown: Uint8Array;
  readonly coolingKw: Float64Array;
  /** Battery time in seconds; -1 if none is recorded. */
  readonly runtimeS: Float64Array;
  readonly rackRoles: Uint8Array;
  readonly categories: Uint8Array;
  /** Number of the node's rack; -1 for none. */
  readonly rack: Int32Array;
  readonly rackKeys: string[] = [];

  constructor(graph: PowerGraph, basis: LoadBasis) {
    const size = graph.nodes.length;
    this.graph = graph;
    this.size = size;
    this.drawW = new Float64Array(size);
    this.isDrawUnknown = new Uint8Array(size);
    this.coolingKw = new Float64Array(size);
    this.runtimeS = new Float64Array(size).fill(-1);
    this.rackRoles = new Uint8Array(size);
    this.categories = new Uint8Array(size);
    this.rack = new Int32Array(size).fill(-1);
    const racks = new Map<string, number>();
    for (let index = 0; index < size; index += 1) this.#readNode(index, basis, racks);
  }

  #readNode(index: number, basis: LoadBasis, racks: Map<string, number>): void {
    const node = this.graph.nodes[index];
    if (node === undefined) return;
    this.drawW[index] = getOwnDrawW(this.graph, index, basis);
    if (hasUnknownDraw(node)) this.isDrawUnknown[index] = 1;
    if (node.kind === "DEVICE") this.#readDevice(index, node);
    if (node.kind === "CRAC") {
      this.categories[index] = node.crac.status === "PLANNED" ? COUNT_CATEGORY.NOTHING : COUNT_CATEGORY.CRAC;
      this.coolingKw[index] = computeDeratedKw(node.crac);
    }
    const code = getNodeOwner(node)?.rackCode;
    if (code === undefined) return;
    this.rack[index] = racks.getOrInsertComputed(codeKey(code), (key) => this.rackKeys.push(key) - 1);
  }

  #readDevice(index: number, node: Extract<PowerNode, { kind: "DEVICE" }>): void {
    const { device } = node;
    if (!node.blocked) this.categories[index] = isPowerKind(device.kind) ? COUNT_CATEGORY.POWER : COUNT_CATEGORY.IT;
    this.rackRoles[index] = findRackRole(this.graph, index);
    this.runtimeS[index] = device.power?.runtimeS ?? -1;
  }
}

/** Maximum watts that rounding may add to a load. */
const LOAD_ROUNDING_W = 2;

/**
 * Watts by which the load of every node may rise until the node or an upstream element exceeds its derated limit. Most
 * failures move less load than this slack. They overload nothing, so their loads need not be computed.
 */
class LoadSlack {
  readonly #graph: PowerGraph;
  readonly #loadsW: Float64Array;
  readonly #slackW: Float64Array;

  constructor(graph: PowerGraph, live: LiveSet, loads: Float64Array) {
    const { inAt, inEnd, from } = graph.edges;
    const { limitW } = graph.columns;
    this.#graph = graph;
    this.#loadsW = loads;
    this.#slackW = new Float64Array(graph.nodes.length).fill(Number.NEGATIVE_INFINITY);
    for (const index of sortSuppliesFirst(graph)) {
      let least = Number.POSITIVE_INFINITY;
      if (live[index] === 1) least = (limitW[index] as number) - (loads[index] as number);
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        least = Math.min(least, this.#slackW[from[edge] as number] as number);
      }
      this.#slackW[index] = least;
    }
  }

  /**
   * Whether nothing can be overloaded after some nodes lost inlets. Each live node moves at most its whole load to its
   * other inlets; dead nodes only remove load.
   */
  excludesOverloads(reached: readonly number[], live: LiveSet): boolean {
    const { inAt, inEnd, from } = this.#graph.edges;
    let moved = LOAD_ROUNDING_W;
    let least = Number.POSITIVE_INFINITY;
    for (const index of reached) {
      if (live[index] !== 1) continue;
      moved += this.#loadsW[index] as number;
      const end = inEnd[index] as number;
      for (let edge = inAt[index] as number; edge < end; edge += 1) {
        const source = from[edge] as number;
        if (live[source] === 1) least = Math.min(least, this.#slackW[source] as number);
      }
    }
    return moved <= least;
  }
}

/** Sorts nodes so that every supply precedes its consumers; nodes downstream of cycles are omitted. */
export function sortSuppliesFirst({ nodes, edges }: PowerGraph): readonly number[] {
  const { inAt, inEnd, outAt, outEnd, outEdge, to } = edges;
  const size = nodes.length;
  const open = new Int32Array(size);
  const order: number[] = [];
  for (let index = 0; index < size; index += 1) {
    open[index] = (inEnd[index] as number) - (inAt[index] as number);
    if (open[index] === 0) order.push(index);
  }
  // The loop appends to the array while it iterates, so the array also serves as the queue.
  for (const index of order) {
    const end = outEnd[index] as number;
    for (let out = outAt[index] as number; out < end; out += 1) {
      const consumer = to[outEdge[out] as number] as number;
      const rest = (open[consumer] as number) - 1;
      open[consumer] = rest;
      if (rest === 0) order.push(consumer);
    }
  }
  return order;
}
