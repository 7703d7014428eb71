import type { LoadBasis } from "#dc/model/enum_values.ts";
import { codeKey, formatPortReference, toPortKey } from "#dc/model/ref.ts";
import type { PortRef } from "#dc/model/resources.ts";
import type { Impact, Trip, TripStep as TripReply } from "#gen/datacenter/v1/messages.ts";
import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { computeRackStates, countRackSupply, type RackState } from "../racks/rack_elevation.ts";
import type { Topology } from "../topology.ts";
import { createFailureTrace, type FailureOptions, FailureState, type Overloaded } from "./failure_state.ts";
import { computeLostDrawW, LoadLane, type Loads } from "./load_lanes.ts";
import { copyToLength, PowerEdges } from "./power_edges.ts";
import { BatteryRideThrough } from "./power_figures.ts";
import type { LiveSet } from "./power_live.ts";
import { PowerNodeColumns } from "./power_node_table.ts";
import {
  createDeviceNode,
  getCoolingCapacityKw,
  isPowerEquipmentNode,
  isUndocumented,
  type PowerGraph,
  type PowerNode,
} from "./power_nodes.ts";
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

/** A site whose power graph has nodes for inlets that can fail, and the numbers of these nodes. */
export interface SiteWithInlets {
  readonly site: BlastSite;
  /** Node numbers by the key of the inlet. An inlet whose source carries no power has no node. */
  readonly nodes: ReadonlyMap<string, number>;
}

/** Inserts a node at each of some inlets; loads and live sets stay the same. Cost: copies of lists of all nodes. */
export function insertInletNodes(topology: Topology, inlets: readonly PortRef[]): SiteWithInlets {
  if (inlets.length === 0) return { site: topology, nodes: new Map() };
  const builder = new InletNodeInserter(topology.power, topology.live);
  const byKey = new Map(inlets.map((end) => [toPortKey(end), end]));
  for (const list of Map.groupBy(byKey.values(), ({ deviceCode }) => codeKey(deviceCode)).values())
    builder.addInlets(list);
  return { site: builder.createSite(topology), nodes: builder.nodesByInlet };
}

class InletNodeInserter {
  readonly nodesByInlet = new Map<string, number>();
  readonly #before: PowerGraph;
  readonly #nodes: PowerNode[];
  readonly #edges: PowerEdges;
  readonly #columns: PowerNodeColumns;
  readonly #live: number[] = [];
  readonly #liveBefore: LiveSet;

  constructor(graph: PowerGraph, live: LiveSet) {
    this.#before = graph;
    this.#nodes = graph.nodes.slice();
    this.#edges = new PowerEdges(graph.edges);
    this.#columns = new PowerNodeColumns(graph.columns);
    this.#liveBefore = live;
  }

  addInlets(ends: readonly PortRef[]): void {
    const own = this.#before.indexOf.get(`device:${codeKey(ends[0]?.deviceCode ?? "")}`) ?? -1;
    const node = this.#nodes[own];
    if (node?.kind !== "DEVICE") return;
    const unrecorded = ends.filter(({ portName }) => node.unrecorded.includes(portName));
    for (const end of ends) this.#insertAtInlet(own, end);
    const rest = node.unrecorded.filter((name) => !unrecorded.some(({ portName }) => portName === name));
    // If other inlets lack a record too and no inlet has one, the source of the device's draw stays unknown.
    if (unrecorded.length === 0 || (node.recorded === 0 && rest.length > 0)) return;
    this.#setNode(
      own,
      createDeviceNode(node.device, { recorded: node.recorded + unrecorded.length, unrecorded: rest }),
    );
    for (const end of unrecorded) {
      const index = this.#addNode(end, 0, 1);
      const place = this.#edges.listInlets(own).length;
      this.#edges.addEdge({ from: index, to: own, inlet: end.portName, place });
    }
  }

  /** Inserts a node between an inlet and its source, and connects outlets that draw through the inlet to it. */
  #insertAtInlet(own: number, end: PortRef): void {
    const { portName } = end;
    const source = this.#edges.listInlets(own).find(({ inlet, how }) => inlet === portName && how === undefined);
    if (source === undefined) return;
    const bound = this.#edges.listSupplies(own).filter(({ through }) => through === portName);
    const gates = bound.flatMap(({ to }) => this.#edges.listInlets(to).filter(({ how }) => how === "GATE"));
    const index = this.#addNode(end, 1, this.#liveBefore[source.from] ?? 0);
    for (const edge of [source, ...gates]) this.#edges.moveEdgeStart(edge, index);
    this.#edges.addEdge({ from: source.from, to: index, inlet: "", place: source.place });
  }

  #addNode(end: PortRef, need: number, live: number): number {
    const index = this.#nodes.length;
    this.#setNode(index, {
      kind: "OUTLET",
      end,
      ref: formatPortReference(end),
      need,
      blocked: false,
      absent: false,
      isThreePhase: false,
      maxUtilizationPct: 100,
    });
    this.#edges.addNode(index);
    this.#live.push(live);
    this.nodesByInlet.set(toPortKey(end), index);
    return index;
  }

  #setNode(index: number, node: PowerNode): void {
    this.#nodes[index] = node;
    this.#columns.setNode(index, node);
  }

  createSite(topology: Topology): BlastSite {
    const { nodesByInlet } = this;
    const { indexOf, isApparent } = this.#before;
    this.#edges.finishChange();
    const power: PowerGraph = {
      nodes: this.#nodes,
      supplies: this.#edges.supplies,
      inlets: this.#edges.inlets,
      edges: this.#edges,
      columns: this.#columns,
      indexOf: {
        get: (key) =>
          (key.startsWith("port:") ? nodesByInlet.get(key.slice("port:".length)) : undefined) ?? indexOf.get(key),
      },
      isApparent,
    };
    const live = copyToLength(this.#liveBefore, this.#nodes.length);
    live.set(this.#live, this.#liveBefore.length);
    return {
      power,
      live,
      apparentLoads: (basis) =>
        extendLoads(topology.apparentLoads(basis), { power, live, basis }, [...nodesByInlet.values()]),
      rackSupply: (key) => countRackSupply(power, live, topology.listDevicesInRack(key)),
    };
  }
}

/** Copies loads with room for added nodes, and computes the loads of the added nodes. */
function extendLoads(
  before: Loads,
  { power: graph, live, basis }: { readonly power: PowerGraph; readonly live: LiveSet; readonly basis: LoadBasis },
  added: readonly number[],
): Loads {
  const extendLane = (width: 1 | 3, of: Float64Array): Float64Array => {
    const carried = copyToLength(of, width * graph.nodes.length);
    const lane = new LoadLane(carried, width, { graph, live, basis });
    for (const index of added) lane.recomputeNode(index);
    return carried;
  };
  const { watts, phasesVa, isCircular } = before;
  return {
    watts: extendLane(1, watts),
    ...(phasesVa !== undefined && { phasesVa: extendLane(3, phasesVa) }),
    isCircular,
  };
}
