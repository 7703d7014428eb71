import type { Loads } from "./load_lanes.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

/**
 * Returns the load of a node as a whole number in the unit of its capacity: watts of equipment, volt-amperes of an
 * outlet, and for a three-phase outlet three times the load of its busiest phase. Source:
 * docs/contract/datacenter-analyses.md#p10.
 */
export function computeComparableLoad({ nodes }: PowerGraph, index: number, { watts, phasesVa }: Loads): number {
  if (phasesVa === undefined) return roundWatts(watts[index] ?? 0);
  const node = nodes[index];
  if (node?.kind !== "OUTLET") return roundWatts(watts[index] ?? 0);
  return computeApparentLoad(
    node,
    [0, 1, 2].map((phase) => phasesVa[3 * index + phase] ?? 0),
  );
}

/** Returns phases' volt-amperes as one integer: their sum, or for a three-phase outlet three times the busiest one. */
export function computeApparentLoad(outlet: PowerNode | undefined, phases: readonly number[]): number {
  const isThreePhase = outlet?.kind === "OUTLET" && outlet.isThreePhase;
  return roundWatts(isThreePhase ? 3 * Math.max(...phases) : phases.reduce((sum, va) => sum + va, 0));
}

/** Rounds a load to a whole number, half up, regardless of the order in which it was summed. */
function roundWatts(load: number): number {
  return Math.round(load + 1e-6);
}
