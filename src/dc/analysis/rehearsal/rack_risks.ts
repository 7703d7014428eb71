import type { RackRisk } from "#dc/model/enum_values.ts";
import type { Steps } from "#kernel/steps.ts";
import { itDevices } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { rackKeyOf } from "./charge.ts";
import type { Failure } from "./outcome.ts";

/** What the worst single failure takes of a rack, and the smallest element that takes as much. */
export interface RiskOfRack {
  readonly risk: RackRisk;
  readonly ref: string;
}

interface Found extends RiskOfRack {
  /** Nodes without power by the failure before anything trips: its size. */
  readonly size: number;
}

const RANKS: readonly RackRisk[] = ["NONE", "DEVICE", "PARTIAL", "DARK"];

/**
 * What single failures take of the racks of an inventory, by the key of each rack that loses a device. Cost: the devices
 * that the failures take.
 */
export function* rackRisks({ power }: Topology, failures: Iterable<Failure>): Steps<ReadonlyMap<string, RiskOfRack>> {
  const found = new Map<string, Found>();
  for (const failure of failures) {
    yield;
    const { racksDark, racksPartial, offline, elements, direct } = failure;
    if (racksDark.length + racksPartial.length === 0) continue;
    const dark = new Set(racksDark);
    const ref = power.nodes[elements[0]?.index ?? -1]?.ref ?? "";
    const byRack = Map.groupBy(itDevices(power, offline), (index) => rackKeyOf(power, index) ?? "");
    // A rack may go dark by what is no IT device, such as a cooling unit in it.
    for (const key of dark) if (!byRack.has(key)) byRack.set(key, []);
    for (const [key, off] of byRack) {
      keepWorst(found, key, { risk: riskOf(off, dark.has(key)), ref, size: direct.length });
    }
  }
  found.delete("");
  return found;
}

function riskOf(off: readonly number[], isDark: boolean): RackRisk {
  if (isDark) return "DARK";
  return off.length === 1 ? "DEVICE" : "PARTIAL";
}

/** The worse one of two failures, and the smaller one of two that take as much. */
function keepWorst(found: Map<string, Found>, key: string, one: Found): void {
  const known = found.get(key);
  const worse = RANKS.indexOf(one.risk) - RANKS.indexOf(known?.risk ?? "NONE");
  if (worse > 0 || (worse === 0 && known !== undefined && one.size < known.size)) found.set(key, one);
}
