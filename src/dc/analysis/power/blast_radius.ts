import type { Impact, Trip, TripStep as TripReply } from "#gen/datacenter/v1/messages.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { computeRackStates, type RackState } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import { createFailureTrace, type FailureOptions, FailureState, type Overloaded } from "./failure_state.ts";
import { computeLostDrawW, type Loads } from "./load_lanes.ts";
import { BatteryRideThrough } from "./power_figures.ts";
import type { LiveSet } from "./power_live.ts";
import { getCoolingCapacityKw, isPowerEquipmentNode, isUndocumented, type PowerGraph } from "./power_nodes.ts";
import { hasUnknownDraw } from "./unknown_draws.ts";

/** Options of a blast radius. `assumeBattery` reports nodes behind a battery as on battery, not as offline. */
export interface BlastOptions extends FailureOptions {
  /** Whether overloaded elements trip, step by step, until none is overloaded. */
  readonly cascade: boolean;
}

type TripStep = Omit<TripReply, "trips"> & { readonly trips: readonly TrippedSource[] };

type BlastState = "OFFLINE" | "DEGRADED" | "ON_BATTERY";

/** A device or cooling unit that a failure affects. `index` is its node. */
export interface BlastHit {
  readonly index: number;
  readonly state: BlastState;
  readonly depth: number;
  /** Reference of the element through which the failure reached the node. */
  readonly via: string;
}

export interface BlastRadius {
  /** Affected devices and cooling units without the failed sources, in breadth-first order. */
  readonly hits: readonly BlastHit[];
  /** Nodes that lost power, sources included, in breadth-first order. */
  readonly dark: readonly number[];
  /** State of each affected rack by the rack's key. */
  readonly racks: ReadonlyMap<string, RackState>;
  /** Overloaded elements, worst first. */
  readonly overloads: readonly Overloaded[];
  readonly steps: readonly TripStep[];
  /** Whether further elements would trip after the last permitted step. */
  readonly isCascadeCut: boolean;
  /** Codes of the undocumented consumers in affected racks. */
  readonly undocumented: readonly string[];
  readonly impact: Impact;
  readonly live: LiveSet;
  readonly loadsAfter: Float64Array;
  readonly apparentAfter: Loads;
  /** Nodes whose loads may differ from their loads before the failure. */
  readonly changedLoadNodes: readonly number[];
}

/**
 * Classifies everything downstream of failing sources by the effect on it. Elements that were already off do not count.
 *
 * Cost: nodes downstream and their upstream nodes, and copies of arrays of all nodes; the first call after a change of
 * power also computes live set and loads of the inventory. Source: docs/contract/datacenter-analyses.md#blast-radius.
 */
export function computeBlastRadius(
  topology: BlastSite,
  failingNodes: FailingNodes,
  options: BlastOptions,
): BlastRadius {
  return runAllSteps(computeBlastInSteps(topology, failingNodes, options));
}

/** Nodes that fail together. `unlisted` are failed equipment, which does not count as offline, unlike its loads. */
interface FailingNodes {
  readonly sources: ReadonlySet<number>;
  readonly unlisted: ReadonlySet<number>;
}

export type BlastSite = Pick<Topology, "power" | "live" | "apparentLoads" | "rackSupply">;

/** Computes a blast radius in steps: one for each step of a cascade, and two for the evaluation. */
export function* computeBlastInSteps(
  topology: BlastSite,
  { sources, unlisted }: FailingNodes,
  options: BlastOptions,
): Steps<BlastRadius> {
  const { power: graph, live: baseline } = topology;
  const loads = topology.apparentLoads(options.basis);
  // A device without a recorded supply does not count as offline with its location.
  const isUnknown = (index: number) => graph.nodes[index]?.kind === "DEVICE" && isUndocumented(graph, index);
  const uncounted = new Set([...unlisted, ...[...sources].filter(isUnknown)]);
  const state = new FailureState({ graph, live: baseline, loads, options });
  state.isCircular = loads.isCircular;
  state.trace = createFailureTrace(graph);
  state.updateLoads(state.spread([...sources]));
  const { steps, overloads, isCut } = yield* tripOverloadedElements(state, options.cascade, uncounted);
  // The trace must cover the failed and tripped elements as one failure.
  if (steps.length > 0) state.traceAsOneFailure();
  yield;
  const onBattery = new Set(options.assumeBattery ? state.listNodesOnBattery() : []);
  const isListed = (index: number) => isCountedNode(graph, index);
  const weaker = state.listWeakenedNodes().filter((index) => isListed(index) && !onBattery.has(index));
  const hits = [
    ...createBlastHits(state, listOfflineNodes(graph, state.dark, uncounted), "OFFLINE"),
    ...createBlastHits(state, [...onBattery].filter(isListed), "ON_BATTERY"),
    ...createBlastHits(state, weaker, "DEGRADED"),
  ];
  yield;
  // A failed cooling unit counts as offline, not as a change of its rack.
  const isFailedUnit = (index: number) => sources.has(index) && graph.nodes[index]?.kind === "CRAC";
  const changes = hits.filter(({ index }) => !isFailedUnit(index));
  const atLoadS = new BatteryRideThrough(state.before).computeShortestS(
    state.findShortestRuntimeS(),
    [...sources],
    state.isCircular,
  );
  const { states: racks, undocumented } = computeRackStates(topology, {
    dark: state.dark,
    hits: changes,
    failed: unlisted,
  });
  return {
    hits,
    dark: state.dark,
    racks,
    overloads,
    steps,
    isCascadeCut: isCut,
    undocumented,
    impact: {
      ...countImpact(state, { hits, racks }),
      devicesUndocumented: undocumented.length,
      ...(atLoadS !== undefined && { minRideThroughAtLoadS: atLoadS }),
    },
    live: state.live,
    loadsAfter: state.loads.after.watts,
    apparentAfter: state.loads.after,
    changedLoadNodes: state.loads.changedNodes,
  };
}

/** Trips the elements that the failure overloads, if the option for a cascade is set. */
function* tripOverloadedElements(state: FailureState, isAsked: boolean, uncounted: ReadonlySet<number>) {
  const { graph } = state.before;
  const cascade = new Cascade(state, state.listOverloads());
  const steps: TripStep[] = [];
  while (isAsked && !cascade.hasEnded) {
    yield;
    const trips = cascade.runStep();
    const devices = listOfflineNodes(graph, state.dark, uncounted).filter(
      (index) => graph.nodes[index]?.kind === "DEVICE",
    );
    steps.push({
      step: cascade.stepCount,
      trippedRefs: trips.map(({ ref }) => ref),
      devicesOffline: devices.length,
      trips,
    });
  }
  return { steps, overloads: cascade.overloads, isCut: isAsked && cascade.dueOverloads.length > 0 };
}

/**
 * Whether a node is counted as affected: a device that is not blocked, or a cooling unit that is not planned. Outlets
 * and feeds only pass power on.
 */
function isCountedNode(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return !node.blocked;
  return node?.kind === "CRAC" && node.crac.status !== "PLANNED";
}

function listOfflineNodes(
  graph: PowerGraph,
  dark: readonly number[],
  uncounted: ReadonlySet<number>,
): readonly number[] {
  return dark.filter((index) => !uncounted.has(index) && isCountedNode(graph, index));
}

function createBlastHits({ before, trace }: FailureState, indexes: readonly number[], state: BlastState): BlastHit[] {
  const { nodes } = before.graph;
  return indexes.map((index) => ({
    index,
    state,
    depth: Math.max(0, trace?.depth.at(index) ?? 0),
    via: nodes[trace?.via.at(index) ?? -1]?.ref ?? "",
  }));
}

interface CountedHits {
  readonly hits: readonly BlastHit[];
  readonly racks: ReadonlyMap<string, RackState>;
}

function countImpact(state: FailureState, { hits, racks }: CountedHits) {
  const { graph, options } = state.before;
  const offline = hits.filter((hit) => hit.state === "OFFLINE").map(({ index }) => index);
  const degradedDevices = hits.filter((hit) => hit.state === "DEGRADED" && graph.nodes[hit.index]?.kind === "DEVICE");
  const devices = offline.filter((index) => graph.nodes[index]?.kind === "DEVICE");
  const it = devices.filter((index) => !isPowerEquipmentNode(graph, index));
  const gone = new Set(it);
  const isGone = (index: number) => gone.has(index);
  const states = [...racks.values()];
  const rideThrough = state.findShortestRuntimeS();
  return {
    racksDark: states.filter((rack) => rack === "DARK").length,
    racksPartial: states.filter((rack) => rack === "PARTIAL").length,
    racksProtected: states.filter((rack) => rack === "PROTECTED").length,
    devicesOffline: devices.length,
    itDevicesOffline: it.length,
    powerDevicesOffline: devices.length - it.length,
    cracsOffline: offline.length - devices.length,
    devicesDegraded: degradedDevices.length,
    itLoadLostW: it.reduce((sum, index) => sum + computeLostDrawW(graph, index, { isGone, basis: options.basis }), 0),
    itDevicesWithoutDraw: it.filter((index) => hasUnknownDraw(graph.nodes[index])).length,
    coolingLostKw: offline.reduce((sum, index) => sum + getCoolingCapacityKw(graph.nodes[index]), 0),
    ...(rideThrough !== undefined && { minRideThroughS: rideThrough }),
  };
}

/** Maximum number of steps of a cascade. Source: docs/contract/datacenter-analyses.md#power-loads. */
const MAX_TRIP_STEPS = 20;

/** A source that trips, with the number of its node. */
export type TrippedSource = Trip & { readonly index: number };

/** Trips the overloaded elements of a failure, step by step. Each step costs only the nodes that it affects. */
export class Cascade {
  /** Elements that are overloaded now, worst first. */
  overloads: readonly Overloaded[];
  /** Overloaded elements that trip in the next step. */
  dueOverloads: readonly Overloaded[];
  stepCount = 0;
  readonly #state: FailureState;

  constructor(state: FailureState, overloads: readonly Overloaded[]) {
    this.#state = state;
    this.overloads = overloads;
    this.dueOverloads = overloads.filter(wouldBreakerTrip);
  }

  /** Whether nothing more trips, or the maximum number of steps is reached. */
  get hasEnded(): boolean {
    return this.dueOverloads.length === 0 || this.stepCount === MAX_TRIP_STEPS;
  }

  /** Trips the elements that are due. @returns the tripped elements */
  runStep(): readonly TrippedSource[] {
    const trips = this.dueOverloads.map(createTrip);
    const state = this.#state;
    state.updateLoads(state.spread(this.dueOverloads.map(({ index }) => index)));
    this.overloads = state.listOverloads();
    this.dueOverloads = this.overloads.filter(wouldBreakerTrip);
    this.stepCount += 1;
    return trips;
  }
}

/** Whether the breaker of an overloaded element opens. */
function wouldBreakerTrip({ severity }: Overloaded): boolean {
  return severity === "WOULD_TRIP";
}

function createTrip({
  index,
  ref,
  loadBeforeW,
  loadAfterW: loadW,
  capacityW,
  utilizationPct,
}: Overloaded): TrippedSource {
  return { index, ref, loadBeforeW, loadW, capacityW, utilizationPct };
}
