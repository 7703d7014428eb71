import type { FailureOptions } from "./failure_state.ts";
import type { PowerGraph, PowerNode } from "./power_graph.ts";

/**
 * Minutes that the battery of a UPS lasts at a load: its time at rated load, scaled to the load. Batteries last longer
 * than that below their rated load. Undefined without a recorded time and capacity, and without a load.
 */
export function batteryMinutes(node: PowerNode | undefined, loadW: number): number | undefined {
  if (node?.kind !== "DEVICE" || node.device.kind !== "UPS") return undefined;
  const { runtimeS, capacityW } = node.device.power ?? {};
  if (runtimeS === undefined || capacityW === undefined || loadW <= 0) return undefined;
  return (runtimeS * capacityW) / loadW / 60;
}

const RUNTIMES = new WeakMap<PowerGraph, readonly number[]>();

/** The recorded battery times of a graph in seconds, each once, the shortest first. Found once for each graph. */
function runtimesOf(graph: PowerGraph): readonly number[] {
  const known = RUNTIMES.get(graph);
  if (known !== undefined) return known;
  const found = new Set<number>();
  for (const node of graph.nodes) {
    const runtimeS = node.kind === "DEVICE" ? (node.device.power?.runtimeS ?? 0) : 0;
    if (runtimeS > 0) found.add(runtimeS);
  }
  const sorted = [...found].sort((a, b) => a - b);
  RUNTIMES.set(graph, sorted);
  return sorted;
}

/** Which batteries carry for a time: the same options for all times in which the same ones do. @param durationS seconds */
export function batteriesFor(graph: PowerGraph, durationS: number): Pick<FailureOptions, "assumeBattery" | "batteryS"> {
  const runtimes = runtimesOf(graph);
  const least = runtimes.find((runtimeS) => runtimeS >= durationS);
  if (least === undefined) return { assumeBattery: false };
  return { assumeBattery: true, ...(least !== runtimes[0] && { batteryS: least }) };
}
