import { roundFigure } from "#dc/model/figure.ts";
import type { Loads } from "./load_lanes.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

/**
 * Returns the load of a node in the unit of its capacity: watts of equipment, volt-amperes of an outlet, and for a
 * three-phase outlet three times the load of its busiest phase. Rounded to thousandths, so that the order in which it
 * was summed decides nothing. Source: docs/contract/datacenter-analyses.md#p10.
 */
export function computeComparableLoad({ nodes }: PowerGraph, index: number, { watts, phasesVa }: Loads): number {
  if (phasesVa === undefined) return roundFigure(watts[index] ?? 0);
  const node = nodes[index];
  if (node?.kind !== "OUTLET") return roundFigure(watts[index] ?? 0);
  return computeApparentLoad(
    node,
    [0, 1, 2].map((phase) => phasesVa[3 * index + phase] ?? 0),
  );
}

/** Returns phases' volt-amperes as one figure: their sum, or for a three-phase outlet three times the busiest one. */
export function computeApparentLoad(outlet: PowerNode | undefined, phases: readonly number[]): number {
  const isThreePhase = outlet?.kind === "OUTLET" && outlet.isThreePhase;
  return roundFigure(isThreePhase ? 3 * Math.max(...phases) : phases.reduce((sum, va) => sum + va, 0));
}
