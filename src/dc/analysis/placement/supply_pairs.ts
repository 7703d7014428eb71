import type { Rack } from "#dc/model/resources.ts";
import { countWorstLostInlets } from "../power/power_killers.ts";
import type { RackTaps, SupplyTap } from "./rack_taps.ts";
import type { PlacementObstacle, PlacementRequest, RequestedInlet } from "./wanted.ts";

/** A tap, and the inlets of each device that draw from it. */
export interface SupplySide {
  readonly tap: SupplyTap;
  readonly inlets: readonly RequestedInlet[];
}

/** One possible supply of the devices in a rack, as a list of the sides that share the load. */
export type SupplyPair = readonly SupplySide[];

/** Maximum number of pairs of taps that are tried for one rack. Our choice: four PDUs have six pairs. */
const MAX_TAP_PAIRS = 64;

const REDUNDANCY_RANKS = ["NONE", "N", "N_PLUS_1", "TWO_N"] as const;

/** Lists the supplies of a rack that provide the redundancy which the devices and the rack require. */
export function listSupplyPairs(
  rack: Rack,
  { taps, deadTaps }: RackTaps,
  wanted: PlacementRequest,
): { readonly pairs: readonly SupplyPair[]; readonly obstacles: readonly PlacementObstacle[] } {
  const { inlets } = wanted;
  if (inlets.length === 0) return { pairs: [[]], obstacles: [] };
  const ref = `rack:${rack.code}`;
  if (rack.requiredRedundancy === "TWO_N" && inlets.length === 1) {
    const message = `Rack "${rack.code}" requires two supplies, the devices have one inlet`;
    return { pairs: [], obstacles: [{ reason: "SINGLE_CORDED", message, ref, value: 1, limit: 2 }] };
  }
  if (taps.length === 0) return { pairs: [], obstacles: [createNoSupplyObstacle(rack, deadTaps)] };
  if (inlets.length === 1) return { pairs: taps.map((tap) => [{ tap, inlets }]), obstacles: [] };
  const pairs: SupplyPair[] = [];
  for (const [at, one] of taps.entries()) {
    for (const other of taps.slice(at + 1)) {
      const pair = splitInlets(one, other, inlets);
      if (pairs.length < MAX_TAP_PAIRS && providesRequiredRedundancy(pair, rack, wanted)) pairs.push(pair);
    }
  }
  if (pairs.length > 0) return { pairs, obstacles: [] };
  const [lost] = deadTaps;
  if (lost !== undefined) return { pairs: [], obstacles: [createDeadTapObstacle(lost)] };
  return { pairs: [], obstacles: [createOneSideObstacle(rack, taps)] };
}

/** Assigns the first half of the inlets to one side, and the remaining inlets to the other side. */
function splitInlets(one: SupplyTap, other: SupplyTap, inlets: readonly RequestedInlet[]): SupplyPair {
  const half = Math.ceil(inlets.length / 2);
  return [
    { tap: one, inlets: inlets.slice(0, half) },
    { tap: other, inlets: inlets.slice(half) },
  ];
}

/** Whether a pair provides the required redundancy, by its labels and by the effect of single losses. */
function providesRequiredRedundancy(
  pair: SupplyPair,
  rack: Rack,
  { need, redundancy, inlets }: PlacementRequest,
): boolean {
  const labels = new Set(pair.flatMap(({ tap }) => [...tap.labels]));
  // A device with all inlets on one side causes a warning, whatever redundancy is required.
  if (labels.size < 2) return false;
  const required =
    REDUNDANCY_RANKS[
      Math.max(REDUNDANCY_RANKS.indexOf(redundancy), REDUNDANCY_RANKS.indexOf(rack.requiredRedundancy ?? "NONE"))
    ] ?? "NONE";
  const killers = pair.flatMap((side) => side.inlets.map(() => side.tap.killers));
  const worst = Math.max(1, countWorstLostInlets(killers));
  const lost = { NONE: inlets.length - need, N: 0, N_PLUS_1: 1, TWO_N: worst }[required];
  return inlets.length - lost >= need;
}

function createNoSupplyObstacle({ code }: Rack, dead: RackTaps["deadTaps"]): PlacementObstacle {
  const [lost] = dead;
  if (lost !== undefined) return createDeadTapObstacle(lost);
  return { reason: "NO_SUPPLY", message: `Rack "${code}" has no recorded PDU`, ref: `rack:${code}` };
}

function createDeadTapObstacle({ device, why }: RackTaps["deadTaps"][number]): PlacementObstacle {
  const message =
    why === "DEAD" ? `"${device.code}" gives no power now` : `The supply of "${device.code}" runs in a circle`;
  return { reason: "SUPPLY_DEAD", message, ref: `device:${device.code}` };
}

function createOneSideObstacle({ code }: Rack, taps: readonly SupplyTap[]): PlacementObstacle {
  const names = [...new Set(taps.map(({ device }) => device.code))].join(", ");
  return {
    reason: "ONE_SIDE",
    message: `The supplies of rack "${code}" do not give the redundancy: ${names}`,
    ref: `rack:${code}`,
  };
}
