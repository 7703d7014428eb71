import { roundFigure } from "#dc/model/figure.ts";
import type { CarriedLoads } from "./power_findings.ts";
import type { PowerNode } from "./power_graph.ts";

const LEGS = ["A", "B", "C"] as const;
export type Leg = (typeof LEGS)[number];

/** What one phase carries now, and at most after the loss of any one other element. */
interface PhaseLoad {
  readonly loadVa: number;
  readonly failoverVa: number;
  /** The element whose loss gives that load; undefined when it is the load now. */
  readonly failoverRef: string | undefined;
}

export interface PhaseFigures extends PhaseLoad {
  readonly leg: Leg;
  /** What the phase may carry; absent without a three-phase rating. */
  readonly capacityVa?: number;
}

/** Whether phases are listed: those of an outlet of three phases, or of one with a recorded leg. */
export function hasPhases(node: PowerNode | undefined): boolean {
  return node?.kind === "OUTLET" && (node.isThreePhase || node.leg !== undefined);
}

/** The phases of an outlet; empty if they are not listed. */
export function phaseFigures({ graph, loads, failover }: CarriedLoads, index: number): readonly PhaseFigures[] {
  const node = graph.nodes[index];
  if (node?.kind !== "OUTLET" || !hasPhases(node)) return [];
  const { phasesVa } = loads;
  // Without legs and power factors anywhere, all phases of an element carry a third of its watts.
  const third = { now: (loads.watts[index] ?? 0) / 3, after: (failover.loads[index] ?? 0) / 3 };
  return phasesFrom((phase) => {
    const lost = failover.phases === undefined ? failover.lost[index] : failover.phases.lost[3 * index + phase];
    return {
      loadVa: phasesVa === undefined ? third.now : (phasesVa[3 * index + phase] ?? 0),
      failoverVa: failover.phases === undefined ? third.after : (failover.phases.loads[3 * index + phase] ?? 0),
      failoverRef: graph.nodes[lost ?? -1]?.ref,
      ...(node.isThreePhase && node.capacityW !== undefined && { capacityVa: node.capacityW / 3 }),
    };
  });
}

/** The figures of phases A, B and C. */
export function phasesFrom(of: (phase: number) => Omit<PhaseFigures, "leg">): readonly PhaseFigures[] {
  return LEGS.map((leg, phase) => ({ leg, ...of(phase) }));
}

/** The phase that carries most; undefined if all carry the same. */
export function busiestLeg(phases: readonly PhaseFigures[], figure: "loadVa" | "failoverVa"): Leg | undefined {
  const loads = phases.map((phase) => roundFigure(phase[figure]));
  const most = Math.max(...loads);
  return loads.every((load) => load === most) ? undefined : phases[loads.indexOf(most)]?.leg;
}
