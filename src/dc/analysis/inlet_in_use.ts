import { codeKey } from "#dc/model/code.ts";
import type { Topology } from "./topology.ts";

/** The inlet from which a device draws now: the first live one, else the first recorded one. */
export function inletInUse({ power, live }: Topology, deviceCode: string): string | undefined {
  const inlets = power.inlets[power.indexOf.get(`device:${codeKey(deviceCode)}`) ?? -1] ?? [];
  return (inlets.find(({ from }) => live[from] === 1) ?? inlets[0])?.inlet;
}
