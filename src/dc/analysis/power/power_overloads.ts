import type { Loads } from "./load_lanes.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

/**
 * The load of a node in the unit of its capacity, whole: watts of equipment, volt-amperes of an outlet, and of a three-phase
 * outlet three times those of its busiest phase. Source: docs/contract/datacenter-analyses.md#p10.
 */
export function comparableLoad({ nodes }: PowerGraph, index: number, { watts, phasesVa }: Loads): number {
  if (phasesVa === undefined) return wholeWatts(watts[index] ?? 0);
  const node = nodes[index];
  if (node?.kind !== "OUTLET") return wholeWatts(watts[index] ?? 0);
  return apparentLoad(
    node,
    [0, 1, 2].map((phase) => phasesVa[3 * index + phase] ?? 0),
  );
}

/** The volt-amperes of phases as one whole number: of a three-phase outlet, three times those of the busiest. */
export function apparentLoad(outlet: PowerNode | undefined, phases: readonly number[]): number {
  const isThreePhase = outlet?.kind === "OUTLET" && outlet.isThreePhase;
  return wholeWatts(isThreePhase ? 3 * Math.max(...phases) : phases.reduce((sum, va) => sum + va, 0));
}

/** A load as a whole number, one half rounded up whatever order it was added up in. */
function wholeWatts(load: number): number {
  return Math.round(load + 1e-6);
}
