import type { PowerNode } from "./power_graph.ts";

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
