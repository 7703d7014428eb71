import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Steps } from "#kernel/steps.ts";
import type { PowerGraph } from "./power_graph.ts";
import { type Darkness, type Spreading, spreadDarkness } from "./power_live.ts";
import { type Loads, type LoadsAfter, loadsAfter } from "./power_load.ts";
import { overloaded, type Rise, wouldTrip } from "./power_overloads.ts";

/** Most steps of a cascade. Source: docs/contract/datacenter-analyses.md#power-loads. */
export const MAX_TRIP_STEPS = 20;

/** A breaker or device that trips; `loadBeforeW` is its load before anything failed. */
interface Trip {
  readonly ref: string;
  readonly loadBeforeW: number;
  readonly loadW: number;
  readonly capacityW: number;
  readonly utilizationPct: number;
}

export interface TripStep {
  readonly step: number;
  readonly trippedRefs: readonly string[];
  readonly devicesOffline: number;
  readonly trips: readonly Trip[];
}

interface Cascade {
  readonly graph: PowerGraph;
  /** Loads before anything failed. */
  readonly before: Loads;
  /** Failed nodes; tripped ones are added. */
  readonly removed: Set<number>;
  readonly how: Spreading;
  readonly basis: LoadBasis;
  /** Counts the devices that a failure turns off. */
  readonly goneDark: (darkness: Darkness) => number;
}

/** A moment of a cascade. */
interface CascadeState {
  readonly darkness: Darkness;
  readonly after: LoadsAfter;
  readonly rises: readonly Rise[];
}

/** The state when nothing more trips. */
interface CascadeEnd {
  readonly steps: readonly TripStep[];
  readonly loads: Loads;
  /** Overloads that remain, worst first. */
  readonly rises: readonly Rise[];
  /** Whether more would trip after the last step. */
  readonly isCut: boolean;
}

/**
 * Trips overloaded elements, step by step. Each step starts from the previous one and costs only the nodes that it
 * affects.
 */
export function* cascade(
  { graph, before, removed, how, basis, goneDark }: Cascade,
  start: CascadeState,
): Steps<CascadeEnd> {
  const steps: TripStep[] = [];
  const changed = new Set(start.after.changed);
  let { darkness, after, rises } = start;
  let devicesOffline = goneDark(darkness);
  for (let tripping = rises.filter(wouldTrip); tripping.length > 0 && steps.length < MAX_TRIP_STEPS; ) {
    yield;
    for (const { index } of tripping) removed.add(index);
    darkness = spreadDarkness(graph, darkness.live, removed, how);
    after = loadsAfter(graph, after.loads, darkness, basis);
    for (const index of after.changed) changed.add(index);
    devicesOffline += goneDark(darkness);
    steps.push({
      step: steps.length + 1,
      trippedRefs: tripping.map(({ overload }) => overload.ref),
      devicesOffline,
      trips: tripping.map(({ overload: { ref, loadBeforeW, loadAfterW, capacityW, utilizationPct } }) => ({
        ref,
        loadBeforeW,
        loadW: loadAfterW,
        capacityW,
        utilizationPct,
      })),
    });
    rises = overloaded(graph, darkness.live, before, { loads: after.loads, changed: [...changed] });
    tripping = rises.filter(wouldTrip);
  }
  return { steps, loads: after.loads, rises, isCut: rises.some(wouldTrip) };
}
