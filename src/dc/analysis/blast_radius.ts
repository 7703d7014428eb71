import { codeKey } from "#dc/model/code.ts";
import { drawW, isPowerKind } from "#dc/model/draw.ts";
import type { Crac, Device } from "#dc/model/resources.ts";
import type { LoadBasis } from "#dc/model/words.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type Darkness, type LiveSet, liveInlets, spreadDarkness } from "./power_live.ts";
import { loads } from "./power_load.ts";

/** Most steps of a cascade. Source: data contract 8.5. */
const MAX_STEPS = 20;

export interface BlastOptions {
  readonly basis: LoadBasis;
  /** Trip what the failure overloads, and go on until nothing more trips. */
  readonly cascade: boolean;
  /** Count what a UPS carries as on battery instead of offline. */
  readonly assumeBattery: boolean;
}

export interface Overload {
  readonly ref: string;
  readonly loadBeforeW: number;
  readonly loadAfterW: number;
  readonly capacityW: number;
  readonly utilizationPct: number;
  readonly severity: "OVER_DERATED" | "WOULD_TRIP";
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

export type RackState = "DARK" | "PARTIAL" | "PROTECTED";

export interface BlastRadius {
  /** Devices and cooling units, sources left out, in breadth-first order. */
  readonly hits: readonly Hit[];
  /** Touched racks by key. */
  readonly racks: ReadonlyMap<string, RackState>;
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
 * Cost: O(nodes + edges) for loads, the rest downstream only. Source: data contract 8.3 to 8.5; decision D-08.
 */
export function blastRadius(
  graph: PowerGraph,
  baseline: LiveSet,
  { sources, unlisted }: { readonly sources: ReadonlySet<number>; readonly unlisted: ReadonlySet<number> },
  options: BlastOptions,
): BlastRadius {
  const before = loads(graph, baseline, options.basis);
  const removed = new Set(sources);
  const immune = options.assumeBattery ? (index: number) => carriesOn(graph, index, removed) : () => false;
  let darkness = spreadDarkness(graph, baseline, removed, immune);
  let after = loads(graph, darkness.live, options.basis);
  const overloads = overloaded(graph, darkness.live, before, after);
  const steps: TripStep[] = [];
  for (let step = 1; options.cascade && step <= MAX_STEPS; step += 1) {
    const tripping = tripped(graph, darkness.live, before, after);
    if (tripping.length === 0) break;
    for (const index of tripping) removed.add(index);
    darkness = spreadDarkness(graph, baseline, removed, immune);
    after = loads(graph, darkness.live, options.basis);
    steps.push({
      step,
      trippedRefs: tripping.map((index) => refOf(graph, index)),
      devicesOffline: offline(graph, darkness, unlisted).filter((index) => graph.nodes[index]?.kind === "DEVICE")
        .length,
    });
  }
  const onBattery = new Set(batteryFed(graph, baseline, removed, darkness, options));
  const weaker = degraded(graph, baseline, darkness).filter((index) => !onBattery.has(index));
  const hits = [
    ...hitList(graph, darkness, offline(graph, darkness, unlisted), "OFFLINE"),
    ...hitList(graph, darkness, [...onBattery], "ON_BATTERY"),
    ...hitList(graph, darkness, weaker, "DEGRADED"),
  ];
  const racks = rackStates(graph, darkness.live, hits);
  const impact = count(graph, darkness, { hits, racks, sources, basis: options.basis });
  return { hits, racks, overloads, steps, impact, live: darkness.live, loadsAfter: after };
}

function refOf(graph: PowerGraph, index: number | undefined): string {
  return index === undefined ? "" : (graph.nodes[index]?.ref ?? "");
}

function carriesOn(graph: PowerGraph, index: number, removed: ReadonlySet<number>): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && (node.device.power?.runtimeS ?? 0) > 0 && !removed.has(index);
}

const OUT_OF_SERVICE: readonly (string | undefined)[] = ["PLANNED", "INVENTORY", "DECOMMISSIONING"];

/** Devices and cooling units count; outlets and feeds are only ways. */
function counts(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (node?.kind === "DEVICE") return !OUT_OF_SERVICE.includes(node.device.status);
  return node?.kind === "CRAC" && node.crac.status !== "PLANNED";
}

function offline(graph: PowerGraph, { dark }: Darkness, unlisted: ReadonlySet<number>): readonly number[] {
  return dark.filter((index) => !unlisted.has(index) && counts(graph, index));
}

/** What would be dark but for batteries. */
function batteryFed(
  graph: PowerGraph,
  baseline: LiveSet,
  removed: ReadonlySet<number>,
  { live }: Darkness,
  { assumeBattery }: BlastOptions,
): readonly number[] {
  if (!assumeBattery) return [];
  return spreadDarkness(graph, baseline, removed).dark.filter((index) => live[index] === 1 && counts(graph, index));
}

/** Live elements that lost an inlet, and everything live behind them that has no other inlet. */
function degraded(graph: PowerGraph, baseline: LiveSet, { live, dark }: Darkness): readonly number[] {
  const consumers = (index: number) => (graph.supplies[index] ?? []).map(({ to }) => to).filter((to) => live[to] === 1);
  const touched = new Set(dark.flatMap(consumers).filter((index) => liveInlets(graph, baseline, index) > 0));
  for (const index of touched) {
    for (const to of consumers(index)) if (liveInlets(graph, live, to) === 1) touched.add(to);
  }
  return [...touched].filter((index) => counts(graph, index));
}

function hitList(graph: PowerGraph, { depth, via }: Darkness, indexes: readonly number[], state: BlastState): Hit[] {
  return indexes.map((index) => ({
    index,
    state,
    depth: depth.get(index) ?? 0,
    via: refOf(graph, via.get(index)),
  }));
}

/** Judges each touched rack by its IT devices with inlets, or by its PDUs when it has none. */
function rackStates(graph: PowerGraph, live: LiveSet, hits: readonly Hit[]): ReadonlyMap<string, RackState> {
  const touched = new Set<string>();
  const offlineNow = new Set<number>();
  for (const { index, state } of hits) {
    const node = graph.nodes[index];
    if (node?.kind === "DEVICE" && node.device.rackCode !== undefined) touched.add(codeKey(node.device.rackCode));
    if (state === "OFFLINE") offlineNow.add(index);
  }
  const members = new Map<string, number[]>([...touched].map((key) => [key, []]));
  for (const [index, node] of graph.nodes.entries()) {
    if (node.kind !== "DEVICE" || node.device.rackCode === undefined || !counts(graph, index)) continue;
    members.get(codeKey(node.device.rackCode))?.push(index);
  }
  return new Map([...members].map(([key, list]) => [key, rackState(graph, live, list, offlineNow)]));
}

function rackState(
  graph: PowerGraph,
  live: LiveSet,
  members: readonly number[],
  offlineNow: ReadonlySet<number>,
): RackState {
  const withInlets = members.filter((index) => (graph.nodes[index]?.need ?? 0) > 0 || hasInlets(graph, index));
  const it = withInlets.filter((index) => !isPower(graph, index));
  const judged = it.length > 0 ? it : withInlets;
  const off = judged.filter((index) => live[index] !== 1);
  if (judged.length > 0 && off.length === judged.length) return "DARK";
  return it.some((index) => offlineNow.has(index)) ? "PARTIAL" : "PROTECTED";
}

function hasInlets(graph: PowerGraph, index: number): boolean {
  return (graph.inlets[index] ?? []).length > 0;
}

function isPower(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

function overloaded(graph: PowerGraph, live: LiveSet, before: Float64Array, after: Float64Array): readonly Overload[] {
  return [...graph.nodes.entries()].flatMap(([index, { ref, capacityW, maxUtilizationPct }]) => {
    const loadAfterW = Math.round(after[index] ?? 0);
    const loadBeforeW = Math.round(before[index] ?? 0);
    if (live[index] !== 1 || capacityW === undefined || capacityW === 0 || loadAfterW <= loadBeforeW) return [];
    if (loadAfterW <= (capacityW * maxUtilizationPct) / 100) return [];
    const utilizationPct = (loadAfterW / capacityW) * 100;
    const severity = loadAfterW > capacityW ? ("WOULD_TRIP" as const) : ("OVER_DERATED" as const);
    return [{ ref, loadBeforeW, loadAfterW, capacityW, utilizationPct, severity }];
  });
}

/** Elements that the failure itself, not the state before it, puts above their capacity. */
function tripped(graph: PowerGraph, live: LiveSet, before: Float64Array, after: Float64Array): readonly number[] {
  const refs = new Set(
    overloaded(graph, live, before, after)
      .filter(({ severity }) => severity === "WOULD_TRIP")
      .map(({ ref }) => ref),
  );
  return [...graph.nodes.keys()].filter((index) => refs.has(refOf(graph, index)));
}

interface Counted {
  readonly hits: readonly Hit[];
  readonly racks: ReadonlyMap<string, RackState>;
  readonly sources: ReadonlySet<number>;
  readonly basis: LoadBasis;
}

function count(graph: PowerGraph, darkness: Darkness, { hits, racks, sources, basis }: Counted): Impact {
  const off = hits.filter(({ state }) => state === "OFFLINE").map(({ index }) => index);
  const devices = devicesOf(graph, off);
  const it = devices.filter(({ kind }) => !isPowerKind(kind));
  const cracs = off.flatMap((index): Crac[] => {
    const node = graph.nodes[index];
    return node?.kind === "CRAC" ? [node.crac] : [];
  });
  const states = [...racks.values()];
  const rideThrough = batteries(graph, darkness, sources);
  return {
    racksDark: states.filter((state) => state === "DARK").length,
    racksPartial: states.filter((state) => state === "PARTIAL").length,
    racksProtected: states.filter((state) => state === "PROTECTED").length,
    devicesOffline: devices.length,
    itDevicesOffline: it.length,
    powerDevicesOffline: devices.length - it.length,
    cracsOffline: cracs.length,
    devicesDegraded: devicesOf(
      graph,
      hits.filter(({ state }) => state === "DEGRADED").map(({ index }) => index),
    ).length,
    devicesUndocumented: undocumented(graph, racks, basis),
    itLoadLostW: it.reduce((sum, device) => sum + drawW(device, basis), 0),
    coolingLostKw: cracs.reduce((sum, crac) => sum + (crac.sensibleCapacityKw * (crac.deratePct ?? 100)) / 100, 0),
    ...(rideThrough.length > 0 && { minRideThroughS: Math.min(...rideThrough) }),
  };
}

function devicesOf(graph: PowerGraph, indexes: readonly number[]): readonly Device[] {
  return indexes.flatMap((index) => {
    const node = graph.nodes[index];
    return node?.kind === "DEVICE" ? [node.device] : [];
  });
}

/** Battery times of the UPSes that lost their supply, the failed ones left out. */
function batteries(graph: PowerGraph, { depth, live }: Darkness, sources: ReadonlySet<number>): readonly number[] {
  return [...depth.keys()].flatMap((index) => {
    const node = graph.nodes[index];
    if (node?.kind !== "DEVICE" || sources.has(index)) return [];
    const runtimeS = node.device.power?.runtimeS;
    return runtimeS === undefined || liveInlets(graph, live, index) > 0 ? [] : [runtimeS];
  });
}

/** Devices of touched racks that draw power but have no inlets recorded: never guessed offline, but counted. */
function undocumented(graph: PowerGraph, racks: ReadonlyMap<string, RackState>, basis: LoadBasis): number {
  return graph.nodes.filter(
    (node) =>
      node.kind === "DEVICE" &&
      racks.has(codeKey(node.device.rackCode ?? "")) &&
      node.device.rackCode !== undefined &&
      !OUT_OF_SERVICE.includes(node.device.status) &&
      !(node.device.ports ?? []).some(({ kind }) => kind === "POWER_IN") &&
      drawW(node.device, basis) > 0,
  ).length;
}
