import { compareText } from "#dc/model/ref.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import type { Loads, LoadsAfter } from "./power_load.ts";

/**
 * An element that a failure loads above its capacity. Loads are watts; the capacity of an outlet and its utilization
 * are in volt-amperes.
 */
export interface Overload {
  readonly ref: string;
  readonly loadBeforeW: number;
  readonly loadAfterW: number;
  readonly capacityW: number;
  readonly utilizationPct: number;
  readonly severity: "OVER_DERATED" | "WOULD_TRIP";
}

/** An overload and its node. */
export interface Rise {
  readonly index: number;
  readonly overload: Overload;
}

/** Elements that exceed their capacity because of the failure, not before it; the worst first. */
export function overloaded(
  graph: PowerGraph,
  live: LiveSet,
  before: Loads,
  { loads: after, changed: among }: LoadsAfter,
): readonly Rise[] {
  const found: Rise[] = [];
  for (const index of among) {
    const node = graph.nodes[index];
    const { ref = "", capacityW = 0, maxUtilizationPct = 0 } = node ?? {};
    if (live[index] !== 1 || capacityW === 0) continue;
    const is = comparableLoad(graph, index, after);
    if (is <= comparableLoad(graph, index, before) || is <= (capacityW * maxUtilizationPct) / 100) continue;
    found.push({
      index,
      overload: {
        ref,
        loadBeforeW: Math.round(before.watts[index] ?? 0),
        loadAfterW: Math.round(after.watts[index] ?? 0),
        capacityW,
        utilizationPct: (is / capacityW) * 100,
        severity: is > capacityW ? "WOULD_TRIP" : "OVER_DERATED",
      },
    });
  }
  return found.toSorted(
    ({ overload: a }, { overload: b }) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref),
  );
}

/**
 * The load of a node in the unit of its capacity, whole: watts of equipment, volt-amperes of an outlet, and of a three-phase
 * outlet three times those of its busiest phase. Source: docs/contract/datacenter-analyses.md#p10.
 */
export function comparableLoad({ nodes }: PowerGraph, index: number, { watts, phasesVa }: Loads): number {
  const node = nodes[index];
  if (phasesVa === undefined || node?.kind !== "OUTLET") return whole(watts[index] ?? 0);
  return apparentLoad(
    node,
    [0, 1, 2].map((phase) => phasesVa[3 * index + phase] ?? 0),
  );
}

/** The volt-amperes of phases as one whole number: of a three-phase outlet, three times those of the busiest. */
export function apparentLoad(outlet: PowerNode | undefined, phases: readonly number[]): number {
  const isThreePhase = outlet?.kind === "OUTLET" && outlet.isThreePhase;
  return whole(isThreePhase ? 3 * Math.max(...phases) : phases.reduce((sum, va) => sum + va, 0));
}

/** A load as a whole number, one half rounded up whatever order it was added up in. */
function whole(load: number): number {
  return Math.round(load + 1e-6);
}

/** Whether the breaker opens. */
export function wouldTrip({ overload }: Rise): boolean {
  return overload.severity === "WOULD_TRIP";
}
