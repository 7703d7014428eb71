import { codeKey } from "#dc/model/code.ts";
import type { Topology } from "../topology.ts";
import { activeInlet } from "./power_share.ts";

/** The inlet from which a device draws now: the preferred live one, else the first live one, else the first recorded one. */
export function inletInUse({ power, live }: Topology, deviceCode: string): string | undefined {
  const index = power.indexOf.get(`device:${codeKey(deviceCode)}`) ?? -1;
  return (activeInlet(power, live, index) ?? power.inlets.first(index))?.inlet;
}
