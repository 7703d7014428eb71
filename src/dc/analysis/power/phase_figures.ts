import { roundFigure } from "#dc/model/figure.ts";
import type { CarriedLoads } from "./power_findings.ts";
import type { PowerNode } from "./power_graph.ts";

const PHASE_NAMES = ["A", "B", "C"] as const;
export type PhaseName = (typeof PHASE_NAMES)[number];

/** Load of one phase now, and the largest load of the phase after the loss of any one other element. */
interface PhaseLoad {
  readonly loadVa: number;
  readonly failoverVa: number;
  /** Element whose loss causes the largest load; undefined if the load now is the largest. */
  readonly failoverRef: string | undefined;
}

export interface PhaseFigures extends PhaseLoad {
  readonly leg: PhaseName;
  /** Capacity of the phase in volt-amperes; absent without a three-phase rating. */
  readonly capacityVa?: number;
}

/** Whether an outlet's phases are listed: it has three phases, or a recorded leg. */
export function hasListedPhases(node: PowerNode | undefined): boolean {
  return node?.kind === "OUTLET" && (node.isThreePhase || node.leg !== undefined);
}

/** Returns the loads of an outlet's phases; empty if its phases are not listed. */
export function computePhaseFigures({ graph, loads, failover }: CarriedLoads, index: number): readonly PhaseFigures[] {
  const node = graph.nodes[index];
  if (node?.kind !== "OUTLET" || !hasListedPhases(node)) return [];
  const { phasesVa } = loads;
  // Without legs and power factors anywhere, all phases of an element carry a third of its watts.
  const third = { now: (loads.watts[index] ?? 0) / 3, after: (failover.loads[index] ?? 0) / 3 };
  return buildPhaseFigures((phase) => {
    const lost = failover.phases === undefined ? failover.lost[index] : failover.phases.lost[3 * index + phase];
    return {
      loadVa: phasesVa === undefined ? third.now : (phasesVa[3 * index + phase] ?? 0),
      failoverVa: failover.phases === undefined ? third.after : (failover.phases.loads[3 * index + phase] ?? 0),
      failoverRef: graph.nodes[lost ?? -1]?.ref,
      ...(node.isThreePhase && node.capacityW !== undefined && { capacityVa: node.capacityW / 3 }),
    };
  });
}

/** Computes the figures of phases A, B and C. */
export function buildPhaseFigures(computePhase: (phase: number) => Omit<PhaseFigures, "leg">): readonly PhaseFigures[] {
  return PHASE_NAMES.map((leg, phase) => ({ leg, ...computePhase(phase) }));
}

/** Returns the phase with the largest load; undefined if all phases have the same load. */
export function findBusiestPhase(
  phases: readonly PhaseFigures[],
  figure: "loadVa" | "failoverVa",
): PhaseName | undefined {
  const loads = phases.map((phase) => roundFigure(phase[figure]));
  const most = Math.max(...loads);
  return loads.every((load) => load === most) ? undefined : phases[loads.indexOf(most)]?.leg;
}
