import { drawW, isPowerKind } from "#dc/model/draw.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import { atOnce, type Steps } from "#kernel/steps.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type Darkness, type LiveSet, liveInlets, type Spreading, spreadDarkness } from "./power_live.ts";
import { isCircular, type LoadsAfter, loadsAfter } from "./power_load.ts";
import { type Overload, overloaded, type Rise, wouldTrip } from "./power_overloads.ts";
import { inService, type RackState, rackStates } from "./rack_supply.ts";
import type { Topology } from "./topology.ts";

/** Most steps of a cascade. Source: docs/contract/datacenter-analyses.md#power-loads. */
const MAX_STEPS = 20;

export interface BlastOptions {
  readonly basis: LoadBasis;
  /** Trip what the failure overloads, and go on until nothing more trips. */
  readonly cascade: boolean;
  /** Count what a UPS carries as on battery instead of offline. */
  readonly assumeBattery: boolean;
}

export interface TripStep {
  readonly step: number;
  readonly trippedRefs: readonly string[];
  readonly devicesOffline: number;
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
  readonly impact: Impact;
  readonly live: LiveSet;
  readonly loadsAfter: Float64Array;
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
 * Splits everything downstream of failing sources by what becomes of it.
 *
 * @param sources nodes that fail together
 * @param unlisted sources that are not themselves counted as offline: the failed equipment, not the loads of a place
 * @returns counts and lists; an element that was off before counts nowhere
 *
 * Cost: what is downstream and upstream of that, and copies of arrays of all nodes; the first one after a change of
 * power also works out live set and loads of the estate. Source: docs/contract/datacenter-analyses.md#blast-radius,
 * docs/contract/datacenter-analyses.md#power-loads; docs/decisions.md#d-08.
 */
export function blastRadius(topology: Topology, failing: Failing, options: BlastOptions): BlastRadius {
  return atOnce(blastSteps(topology, failing, options));
}

/** Nodes that fail together, and those of them that are not themselves counted as offline. */
export interface Failing {
  readonly sources: ReadonlySet<number>;
  readonly unlisted: ReadonlySet<number>;
}

/** The same in steps: those of a cascade, and what is made of them. */
export function* blastSteps(
  topology: Topology,
  { sources, unlisted }: Failing,
  options: BlastOptions,
): Steps<BlastRadius> {
  const { power: graph, live: baseline } = topology;
  const before = topology.loads(options.basis);
  const removed = new Set(sources);
  const immune = options.assumeBattery ? (index: number) => carriesOn(graph, index, removed) : () => false;
  const how = { immune, isCircular: isCircular(before) };
  const first = spreadDarkness(graph, baseline, removed, how);
  const firstLoads = loadsAfter(graph, before, first, options.basis);
  const overloads = overloaded(graph, first.live, before, firstLoads);
  const start = { darkness: first, after: firstLoads, tripping: overloads.filter(wouldTrip) };
  const { steps, loadsW } = options.cascade
    ? yield* cascade({ graph, before, removed, how, unlisted, basis: options.basis }, start)
    : { steps: [], loadsW: firstLoads.loadsW };
  // Told as one failure of everything that failed and tripped.
  const darkness = steps.length === 0 ? first : spreadDarkness(graph, baseline, removed, how);
  yield;
  const onBattery = new Set(options.assumeBattery ? batteryFed(graph, baseline, removed, { darkness, how }) : []);
  const weaker = degraded(graph, darkness).filter((index) => !onBattery.has(index));
  const hits = [
    ...hitList(graph, darkness, offline(graph, darkness.dark, unlisted), "OFFLINE"),
    ...hitList(graph, darkness, [...onBattery], "ON_BATTERY"),
    ...hitList(graph, darkness, weaker, "DEGRADED"),
  ];
  yield;
  const { states: racks, undocumented } = rackStates(topology, darkness, hits);
  return {
    hits,
    dark: darkness.dark,
    racks,
    overloads: overloads.map(({ overload }) => overload),
    steps,
    impact: {
      ...count(graph, darkness, { hits, racks, sources, basis: options.basis }),
      devicesUndocumented: undocumented,
    },
    live: darkness.live,
    loadsAfter: loadsW,
  };
}

interface Cascade {
  readonly graph: PowerGraph;
  /** Loads before anything failed. */
  readonly before: Float64Array;
  /** What failed; what trips is added. */
  readonly removed: Set<number>;
  readonly how: Spreading;
  readonly unlisted: ReadonlySet<number>;
  readonly basis: LoadBasis;
}

interface CascadeState {
  readonly darkness: Darkness;
  readonly after: LoadsAfter;
  readonly tripping: readonly Rise[];
}

/** Trips what is overloaded, step by step; each goes on from the one before and costs what it reaches itself. */
function* cascade(
  { graph, before, removed, how, unlisted, basis }: Cascade,
  start: CascadeState,
): Steps<{ readonly steps: readonly TripStep[]; readonly loadsW: Float64Array }> {
  const goneDark = ({ dark }: Darkness) =>
    offline(graph, dark, unlisted).filter((index) => isDevice(graph, index)).length;
  const steps: TripStep[] = [];
  let { darkness, after, tripping } = start;
  let devicesOffline = goneDark(darkness);
  while (tripping.length > 0 && steps.length < MAX_STEPS) {
    yield;
    for (const { index } of tripping) removed.add(index);
    darkness = spreadDarkness(graph, darkness.live, removed, how);
    after = loadsAfter(graph, after.loadsW, darkness, basis);
    devicesOffline += goneDark(darkness);
    steps.push({ step: steps.length + 1, trippedRefs: tripping.map(({ overload }) => overload.ref), devicesOffline });
    tripping = overloaded(graph, darkness.live, before, after).filter(wouldTrip);
  }
  return { steps, loadsW: after.loadsW };
}

function carriesOn(graph: PowerGraph, index: number, removed: ReadonlySet<number>): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && (node.device.power?.runtimeS ?? 0) > 0 && !removed.has(index);
}

function isDevice(graph: PowerGraph, index: number): boolean {
  return graph.nodes[index]?.kind === "DEVICE";
}

/** Devices and cooling units count; outlets and feeds are only ways. */
function counts(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return inService(node.device);
  return node?.kind === "CRAC" && node.crac.status !== "PLANNED";
}

function offline(graph: PowerGraph, dark: readonly number[], unlisted: ReadonlySet<number>): readonly number[] {
  return dark.filter((index) => !unlisted.has(index) && counts(graph, index));
}

/** What would be dark but for batteries. */
function batteryFed(
  graph: PowerGraph,
  baseline: LiveSet,
  removed: ReadonlySet<number>,
  { darkness: { live }, how: { isCircular } }: { readonly darkness: Darkness; readonly how: Required<Spreading> },
): readonly number[] {
  const { dark } = spreadDarkness(graph, baseline, removed, { isCircular });
  return dark.filter((index) => live[index] === 1 && counts(graph, index));
}

/** Live elements that lost an inlet, and everything live behind them that has no other inlet. */
function degraded(graph: PowerGraph, { live, reached }: Darkness): readonly number[] {
  const touched = reached.filter((index) => live[index] === 1);
  const seen = new Uint8Array(graph.nodes.length);
  for (const index of touched) seen[index] = 1;
  // The array grows while it is walked, so it is the queue as well.
  for (const index of touched) {
    for (const { to } of graph.supplies[index] ?? []) {
      if (seen[to] === 1 || live[to] !== 1 || liveInlets(graph, live, to) !== 1) continue;
      seen[to] = 1;
      touched.push(to);
    }
  }
  return touched.filter((index) => counts(graph, index));
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
  readonly hits: readonly Hit[];
  readonly racks: ReadonlyMap<string, RackState>;
  readonly sources: ReadonlySet<number>;
  readonly basis: LoadBasis;
}

function count(graph: PowerGraph, darkness: Darkness, { hits, racks, sources, basis }: Counted) {
  const figures = { it: 0, power: 0, cracs: 0, degraded: 0, itLoadLostW: 0, coolingLostKw: 0 };
  for (const { index, state } of hits) {
    const node = graph.nodes[index];
    if (node?.kind === "DEVICE" && state === "DEGRADED") figures.degraded += 1;
    if (state !== "OFFLINE") continue;
    if (node?.kind === "CRAC") {
      figures.cracs += 1;
      figures.coolingLostKw += (node.crac.sensibleCapacityKw * (node.crac.deratePct ?? 100)) / 100;
    } else if (node?.kind === "DEVICE" && isPowerKind(node.device.kind)) figures.power += 1;
    else if (node?.kind === "DEVICE") {
      figures.it += 1;
      figures.itLoadLostW += drawW(node.device, basis);
    }
  }
  const states = [...racks.values()];
  const rideThrough = batteries(graph, darkness, sources);
  return {
    racksDark: states.filter((state) => state === "DARK").length,
    racksPartial: states.filter((state) => state === "PARTIAL").length,
    racksProtected: states.filter((state) => state === "PROTECTED").length,
    devicesOffline: figures.it + figures.power,
    itDevicesOffline: figures.it,
    powerDevicesOffline: figures.power,
    cracsOffline: figures.cracs,
    devicesDegraded: figures.degraded,
    itLoadLostW: figures.itLoadLostW,
    coolingLostKw: figures.coolingLostKw,
    ...(rideThrough !== undefined && { minRideThroughS: rideThrough }),
  };
}

/** The shortest battery time of the UPSes that lost their supply, the failed ones left out. */
function batteries(graph: PowerGraph, { reached, live }: Darkness, sources: ReadonlySet<number>): number | undefined {
  let shortest: number | undefined;
  for (const index of reached) {
    const node = graph.nodes[index];
    const runtimeS = node?.kind === "DEVICE" ? node.device.power?.runtimeS : undefined;
    if (runtimeS === undefined || sources.has(index) || liveInlets(graph, live, index) > 0) continue;
    shortest = Math.min(shortest ?? runtimeS, runtimeS);
  }
  return shortest;
}
