import { compareText } from "#dc/model/ref.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import type { LoadsAfter } from "./power_load.ts";

/** An element that a failure loads beyond what it may carry; in watts. */
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

/** Elements that the failure itself, not the state before it, puts above what they may carry; worst first. */
export function overloaded(
  graph: PowerGraph,
  live: LiveSet,
  before: Float64Array,
  { loadsW: after, changed: among }: LoadsAfter,
): readonly Rise[] {
  const found: Rise[] = [];
  for (const index of among) {
    const loadAfterW = Math.round(after[index] ?? 0);
    const loadBeforeW = Math.round(before[index] ?? 0);
    if (live[index] !== 1 || loadAfterW <= loadBeforeW) continue;
    const { ref = "", capacityW = 0, maxUtilizationPct = 0 } = graph.nodes[index] ?? {};
    if (capacityW === 0 || loadAfterW <= (capacityW * maxUtilizationPct) / 100) continue;
    const utilizationPct = (loadAfterW / capacityW) * 100;
    const severity = loadAfterW > capacityW ? ("WOULD_TRIP" as const) : ("OVER_DERATED" as const);
    found.push({ index, overload: { ref, loadBeforeW, loadAfterW, capacityW, utilizationPct, severity } });
  }
  return found.toSorted(
    ({ overload: a }, { overload: b }) => b.utilizationPct - a.utilizationPct || compareText(a.ref, b.ref),
  );
}

/** Whether the breaker opens. */
export function wouldTrip({ overload }: Rise): boolean {
  return overload.severity === "WOULD_TRIP";
}
