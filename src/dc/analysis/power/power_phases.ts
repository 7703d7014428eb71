import { codeKey } from "#dc/model/code.ts";
import { toPortKey } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PowerGraph } from "./power_graph.ts";

/** Threshold of the phase loads' spread, in percent of the mean. Source: docs/contract/datacenter-rules.md#power. */
export const PHASE_IMBALANCE_PCT = 20;

/** Load of each phase in watts. */
export type LegLoads = Readonly<Record<"A" | "B" | "C", number>>;

/** Returns the node numbers of a device and its outlets. */
export function listDeviceNodes({ indexOf }: PowerGraph, { code, ports = [] }: Device): readonly number[] {
  const outlets = ports.flatMap(({ kind, name }) => {
    const at = indexOf.get(`port:${toPortKey({ deviceCode: code, portName: name })}`);
    return kind === "POWER_OUT" && at !== undefined ? [at] : [];
  });
  const index = indexOf.get(`device:${codeKey(code)}`);
  return index === undefined ? outlets : [index, ...outlets];
}

/** Sums the loads by phase of outlets that record their legs. @param watts loads of the elements, in the same order */
export function sumLegLoads({ nodes }: PowerGraph, elements: readonly number[], watts: readonly number[]): LegLoads {
  const legs = { A: 0, B: 0, C: 0 };
  for (const [at, index] of elements.entries()) {
    const node = nodes[index];
    // A leg is named by the phases of its conductors.
    const conductors = node?.kind === "OUTLET" ? (node.leg ?? "") : "";
    for (const leg of conductors) legs[leg as keyof LegLoads] += (watts[at] ?? 0) / conductors.length;
  }
  return legs;
}

/** Whether the loads of the phases differ by more than the threshold. */
export function areLegLoadsUneven(legs: LegLoads): boolean {
  return computePhaseSpreadPct(legs) > PHASE_IMBALANCE_PCT;
}

/** Returns the spread of the phase loads in percent of their mean. */
export function computePhaseSpreadPct(legs: LegLoads): number {
  const values = Object.values(legs);
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return mean > 0 ? ((Math.max(...values) - Math.min(...values)) / mean) * 100 : 0;
}
