import { isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { atOnce, type Steps } from "#kernel/steps.ts";
import { type RackState, rackStates } from "../racks/rack_supply.ts";
import type { Topology } from "../topology.ts";
import { cascade, type TripStep } from "./cascade.ts";
import type { PowerEdge, PowerGraph } from "./power_graph.ts";
import { type Darkness, type LiveSet, liveInlets, type Spreading, spreadDarkness } from "./power_live.ts";
import { type Loads, loadsAfter, lostDrawW } from "./power_load.ts";
import { isUndocumented } from "./power_nodes.ts";
import { type Overload, overloaded } from "./power_overloads.ts";

export interface BlastOptions {
  readonly basis: LoadBasis;
  /** Trip overloaded elements, and repeat until none is overloaded. */
  readonly cascade: boolean;
  /** Report nodes behind a UPS battery as on battery instead of offline. */
  readonly assumeBattery: boolean;
  /** Seconds that a battery must last to carry at all; any recorded time does without it. */
  readonly batteryS?: number;
}

export type BlastState = "OFFLINE" | "DEGRADED" | "ON_BATTERY";

/** A device or cooling unit that the failure reaches. `index` is its node. */
export interface Hit {
  readonly index: number;
  readonly state: BlastState;
  readonly depth: number;
  /** Reference of the element through which it was reached. */
  readonly via: string;
}

export interface BlastRadius {
  /** Devices and cooling units, sources left out, in breadth-first order. */
  readonly hits: readonly Hit[];
  /** Nodes that lost power, sources included, in breadth-first order. */
  readonly dark: readonly number[];
  /** Touched racks by key. */
  readonly racks: ReadonlyMap<string, RackState>;
  /** Worst first. */
  readonly overloads: readonly Overload[];
  readonly steps: readonly TripStep[];
  /** Whether more would trip after the last step. */
  readonly cascadeCut: boolean;
  /** Codes of the undocumented consumers in touched racks. */
  readonly undocumented: readonly string[];
  readonly impact: Impact;
  readonly live: LiveSet;
  readonly loadsAfter: Float64Array;
  readonly apparentAfter: Loads;
}

export interface Impact {
  readonly racksDark: number;
  readonly racksPartial: number;
  readonly racksProtected: number;
  readonly devicesOffline: number;
  readonly itDevicesOffline: number;
  readonly powerDevicesOffline: number;
  readonly cracsOffline: number;
  readonly devicesDegraded: number;
  readonly devicesUndocumented: number;
  readonly itLoadLostW: number;
  readonly coolingLostKw: number;
  readonly minRideThroughS?: number;
}

/**
 * Classifies everything downstream of failing sources by the effect on it.
 *
 * @param sources nodes that fail together
 * @param unlisted sources that do not count as offline themselves: the failed equipment, but not the loads of a
 * location
 * @returns counts and lists; elements that were already off are not counted
 *
 * Cost: nodes downstream and their upstream nodes, and copies of arrays of all nodes; the first call after a change of
 * power also computes live set and loads of the inventory. Source: docs/contract/datacenter-analyses.md#blast-radius.
 */
export function blastRadius(topology: BlastSite, failing: Failing, options: BlastOptions): BlastRadius {
  return atOnce(blastSteps(topology, failing, options));
}

/** Nodes that fail together, and those of them that are not themselves counted as offline. */
export interface Failing {
  readonly sources: ReadonlySet<number>;
  readonly unlisted: ReadonlySet<number>;
}

/** A site as a failure of its power needs it. */
export type BlastSite = Pick<Topology, "power" | "live" | "apparentLoads" | "rackSupply">;

/** The same in steps: those of a cascade, and of its evaluation. */
export function* blastSteps(
  topology: BlastSite,
  { sources, unlisted }: Failing,
  options: BlastOptions,
): Steps<BlastRadius> {
  const { power: graph, live: baseline } = topology;
  const before = topology.apparentLoads(options.basis);
  const removed = new Set(sources);
  const immune = options.assumeBattery
    ? (index: number) => carriesOn(graph, index, removed, options.batteryS)
    : () => false;
  const how = { immune, isCircular: before.isCircular };
  // A device without a recorded supply does not count as offline with its location.
  const isUnknown = (index: number) => graph.nodes[index]?.kind === "DEVICE" && isUndocumented(graph, index);
  const uncounted = new Set([...unlisted, ...[...sources].filter(isUnknown)]);
  const goneDark = ({ dark }: Darkness) =>
    offline(graph, dark, uncounted).filter((index) => graph.nodes[index]?.kind === "DEVICE").length;
  const first = spreadDarkness(graph, baseline, removed, how);
  const firstLoads = loadsAfter(graph, before, first, options.basis);
  const start = { darkness: first, after: firstLoads, rises: overloaded(graph, first.live, before, firstLoads) };
  const { steps, loads, rises, isCut } = options.cascade
    ? yield* cascade({ graph, before, removed, how, basis: options.basis, goneDark }, start)
    : { steps: [], loads: firstLoads.loads, rises: start.rises, isCut: false };
  // Reported as one failure of everything that failed and tripped.
  const darkness = steps.length === 0 ? first : spreadDarkness(graph, baseline, removed, how);
  yield;
  const onBattery = new Set(options.assumeBattery ? batteryFed(graph, baseline, removed, { darkness, how }) : []);
  const weaker = degraded(graph, darkness).filter((index) => !onBattery.has(index));
  const hits = [
    ...hitList(graph, darkness, offline(graph, darkness.dark, uncounted), "OFFLINE"),
    ...hitList(graph, darkness, [...onBattery], "ON_BATTERY"),
    ...hitList(graph, darkness, weaker, "DEGRADED"),
  ];
  yield;
  const { states: racks, undocumented } = rackStates(topology, { darkness, hits, failed: unlisted });
  return {
    hits,
    dark: darkness.dark,
    racks,
    overloads: rises.map(({ overload }) => overload),
    steps,
    cascadeCut: isCut,
    undocumented,
    impact: {
      ...count(graph, darkness, { baseline, hits, racks, removed, basis: options.basis }),
      devicesUndocumented: undocumented.length,
    },
    live: darkness.live,
    loadsAfter: loads.watts,
    apparentAfter: loads,
  };
}

function carriesOn(graph: PowerGraph, index: number, removed: ReadonlySet<number>, batteryS?: number): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && carriesFor(node.device.power?.runtimeS ?? 0, batteryS) && !removed.has(index);
}

/** Whether a battery of a recorded time carries its load. Source: docs/contract/datacenter-model.md#device. */
export function carriesFor(runtimeS: number, batteryS = 0): boolean {
  return runtimeS > 0 && runtimeS >= batteryS;
}

/** Devices and cooling units count; outlets and feeds are only ways. */
function counts(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return !node.blocked;
  return node?.kind === "CRAC" && node.crac.status !== "PLANNED";
}

function offline(graph: PowerGraph, dark: readonly number[], uncounted: ReadonlySet<number>): readonly number[] {
  return dark.filter((index) => !uncounted.has(index) && counts(graph, index));
}

/** The nodes that would be de-energized without batteries. */
function batteryFed(
  graph: PowerGraph,
  baseline: LiveSet,
  removed: ReadonlySet<number>,
  { darkness: { live }, how: { isCircular } }: { readonly darkness: Darkness; readonly how: Required<Spreading> },
): readonly number[] {
  const { dark } = spreadDarkness(graph, baseline, removed, { isCircular });
  return dark.filter((index) => live[index] === 1 && counts(graph, index));
}

/** Live elements that lost a live inlet, and those whose live inlets all depend on degraded sources. */
function degraded(graph: PowerGraph, { live, reached }: Darkness): readonly number[] {
  const weaker = reached.filter((index) => live[index] === 1);
  const seen = new Uint8Array(graph.nodes.length);
  for (const index of weaker) seen[index] = 1;
  const isWeak = ({ from }: PowerEdge) => live[from] !== 1 || seen[from] === 1;
  // An outlet that is bound to an inlet is as good as the source of that one.
  const weakens = ({ to, how, through }: PowerEdge) =>
    how === "GATE" || (through === undefined && (graph.inlets[to] ?? []).every(isWeak));
  // The array grows while it is walked, so it is the queue as well.
  for (const index of weaker) {
    for (const edge of graph.supplies[index] ?? []) {
      if (seen[edge.to] === 1 || live[edge.to] !== 1 || !weakens(edge)) continue;
      seen[edge.to] = 1;
      weaker.push(edge.to);
    }
  }
  return weaker.filter((index) => counts(graph, index));
}

function hitList(graph: PowerGraph, { depth, via }: Darkness, indexes: readonly number[], state: BlastState): Hit[] {
  return indexes.map((index) => ({
    index,
    state,
    depth: Math.max(0, depth.at(index)),
    via: graph.nodes[via.at(index)]?.ref ?? "",
  }));
}

interface Counted {
  readonly baseline: LiveSet;
  readonly hits: readonly Hit[];
  readonly racks: ReadonlyMap<string, RackState>;
  /** Failed and tripped nodes. */
  readonly removed: ReadonlySet<number>;
  readonly basis: LoadBasis;
}

function count(graph: PowerGraph, darkness: Darkness, { baseline, hits, racks, removed, basis }: Counted) {
  const offline = hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index);
  const degradedDevices = hits.filter(
    ({ state, index }) => state === "DEGRADED" && graph.nodes[index]?.kind === "DEVICE",
  );
  const devices = offline.filter((index) => graph.nodes[index]?.kind === "DEVICE");
  const it = devices.filter((index) => !isPowerNode(graph, index));
  const gone = new Set(it);
  const isGone = (index: number) => gone.has(index);
  const states = [...racks.values()];
  const rideThrough = batteries(graph, darkness, { baseline, removed });
  return {
    racksDark: states.filter((state) => state === "DARK").length,
    racksPartial: states.filter((state) => state === "PARTIAL").length,
    racksProtected: states.filter((state) => state === "PROTECTED").length,
    devicesOffline: devices.length,
    itDevicesOffline: it.length,
    powerDevicesOffline: devices.length - it.length,
    cracsOffline: offline.length - devices.length,
    devicesDegraded: degradedDevices.length,
    itLoadLostW: it.reduce((sum, index) => sum + lostDrawW(graph, index, { isGone, basis }), 0),
    coolingLostKw: offline.reduce((sum, index) => sum + coolingKw(graph, index), 0),
    ...(rideThrough !== undefined && { minRideThroughS: rideThrough }),
  };
}

function isPowerNode({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

function coolingKw({ nodes }: PowerGraph, index: number): number {
  const node = nodes[index];
  return node?.kind === "CRAC" ? (node.crac.sensibleCapacityKw * (node.crac.deratePct ?? 100)) / 100 : 0;
}

/**
 * The shortest battery time of the UPSes that lost their supply, excluding those that failed, tripped or were off
 * before.
 */
function batteries(
  graph: PowerGraph,
  { reached, live }: Darkness,
  { baseline, removed }: { readonly baseline: LiveSet; readonly removed: ReadonlySet<number> },
): number | undefined {
  let shortest: number | undefined;
  for (const index of reached) {
    const node = graph.nodes[index];
    const runtimeS = node?.kind === "DEVICE" ? node.device.power?.runtimeS : undefined;
    if (runtimeS === undefined || removed.has(index) || baseline[index] !== 1) continue;
    if (liveInlets(graph, live, index) === 0) shortest = Math.min(shortest ?? runtimeS, runtimeS);
  }
  return shortest;
}
