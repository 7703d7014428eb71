import type { RackRisk } from "#dc/model/enum_values.ts";
import type { Steps } from "#kernel/steps.ts";
import { selectItDevices } from "../power/power_nodes.ts";
import type { Topology } from "../topology.ts";
import { findRackKey } from "./charge.ts";
import type { Failure } from "./elements.ts";

/** Effect of the worst single failure on a rack, and the smallest element whose failure has the effect. */
export interface RackRiskRecord {
  readonly risk: RackRisk;
  readonly ref: string;
}

/** Effects of single failures on each rack, by the key of the rack code. */
export type RackRisks = ReadonlyMap<string, RackRiskRecord>;

interface RankedRisk extends RackRiskRecord {
  /** Number of nodes that the failure leaves without power before anything trips. */
  readonly size: number;
}

const RISKS_BY_SEVERITY: readonly RackRisk[] = ["NONE", "DEVICE", "PARTIAL", "DARK"];

/** Returns the worst effect of single failures on each affected rack, by key. Cost: the devices that they turn off. */
export function* computeRackRisks(
  { power }: Topology,
  failures: Iterable<Failure>,
): Steps<ReadonlyMap<string, RackRiskRecord>> {
  const found = new Map<string, RankedRisk>();
  for (const failure of failures) {
    yield;
    const { racksDark, racksPartial, offline, elements, direct } = failure;
    if (racksDark.length + racksPartial.length === 0) continue;
    const dark = new Set(racksDark);
    const ref = power.nodes[elements[0]?.index ?? -1]?.ref ?? "";
    const byRack = Map.groupBy(selectItDevices(power, offline), (index) => findRackKey(power, index) ?? "");
    // A rack may go dark without losing an IT device, for example by a cooling unit in it.
    for (const key of dark) if (!byRack.has(key)) byRack.set(key, []);
    for (const [key, off] of byRack) {
      keepWorseFailure(found, key, { risk: rateRackRisk(off, dark.has(key)), ref, size: direct.length });
    }
  }
  found.delete("");
  return found;
}

function rateRackRisk(off: readonly number[], isDark: boolean): RackRisk {
  if (isDark) return "DARK";
  return off.length === 1 ? "DEVICE" : "PARTIAL";
}

/** Keeps the worse of two failures, or the smaller one if their effects are equal. */
function keepWorseFailure(found: Map<string, RankedRisk>, key: string, one: RankedRisk): void {
  const known = found.get(key);
  const worse = RISKS_BY_SEVERITY.indexOf(one.risk) - RISKS_BY_SEVERITY.indexOf(known?.risk ?? "NONE");
  if (worse > 0 || (worse === 0 && known !== undefined && one.size < known.size)) found.set(key, one);
}
