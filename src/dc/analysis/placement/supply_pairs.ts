import type { Rack } from "#dc/model/resources.ts";
import type { RackTaps, Tap } from "./rack_taps.ts";
import type { Obstacle, Wanted, WantedInlet } from "./wanted.ts";

/** A tap and the inlets of each device that draw from it. */
export interface Side {
  readonly tap: Tap;
  readonly inlets: readonly WantedInlet[];
}

/** One way to supply the devices of a rack. */
export type SupplyPair = readonly Side[];

/** Pairs of taps that are tried for one rack. Ours: four PDUs have six. */
const MAX_PAIRS = 64;

const RANK = ["NONE", "N", "N_PLUS_1", "TWO_N"] as const;

/** The ways to supply devices in a rack as redundantly as they and the rack demand. */
export function supplyPairs(
  rack: Rack,
  { taps, dead }: RackTaps,
  wanted: Wanted,
): { readonly pairs: readonly SupplyPair[]; readonly obstacles: readonly Obstacle[] } {
  const { inlets } = wanted;
  if (inlets.length === 0) return { pairs: [[]], obstacles: [] };
  const ref = `rack:${rack.code}`;
  if (rack.requiredRedundancy === "TWO_N" && inlets.length === 1) {
    const message = `Rack "${rack.code}" requires two supplies, the devices have one inlet`;
    return { pairs: [], obstacles: [{ reason: "SINGLE_CORDED", message, ref, value: 1, limit: 2 }] };
  }
  if (taps.length === 0) return { pairs: [], obstacles: [noSupply(rack, dead)] };
  if (inlets.length === 1) return { pairs: taps.map((tap) => [{ tap, inlets }]), obstacles: [] };
  const pairs: SupplyPair[] = [];
  for (const [at, one] of taps.entries()) {
    for (const other of taps.slice(at + 1)) {
      const pair = sides(one, other, inlets);
      if (pairs.length < MAX_PAIRS && isSufficient(pair, rack, wanted)) pairs.push(pair);
    }
  }
  if (pairs.length > 0) return { pairs, obstacles: [] };
  const [lost] = dead;
  if (lost !== undefined) return { pairs: [], obstacles: [deadTap(lost)] };
  return { pairs: [], obstacles: [oneSide(rack, taps)] };
}

/** The first half of the inlets on one side, the remaining ones on the other. */
function sides(one: Tap, other: Tap, inlets: readonly WantedInlet[]): SupplyPair {
  const half = Math.ceil(inlets.length / 2);
  return [
    { tap: one, inlets: inlets.slice(0, half) },
    { tap: other, inlets: inlets.slice(half) },
  ];
}

/** Whether a pair provides the required redundancy, by its labels and by the effect of single losses. */
function isSufficient(pair: SupplyPair, rack: Rack, { need, redundancy, inlets }: Wanted): boolean {
  const labels = new Set(pair.flatMap(({ tap }) => [...tap.labels]));
  // All inlets on one side are a warning, whatever is demanded.
  if (labels.size < 2) return false;
  const required = RANK[Math.max(RANK.indexOf(redundancy), RANK.indexOf(rack.requiredRedundancy ?? "NONE"))] ?? "NONE";
  const lost = { NONE: inlets.length - need, N: 0, N_PLUS_1: 1, TWO_N: worstLoss(pair) }[required];
  return inlets.length - lost >= need;
}

/** The most inlets that one loss takes. */
function worstLoss(pair: SupplyPair): number {
  const lost = new Map<number, number>();
  for (const { tap, inlets } of pair) {
    for (const killer of tap.killers) lost.set(killer, (lost.get(killer) ?? 0) + inlets.length);
  }
  return Math.max(1, ...lost.values());
}

function noSupply({ code }: Rack, dead: RackTaps["dead"]): Obstacle {
  const [lost] = dead;
  if (lost !== undefined) return deadTap(lost);
  return { reason: "NO_SUPPLY", message: `Rack "${code}" has no recorded PDU`, ref: `rack:${code}` };
}

function deadTap({ device, why }: RackTaps["dead"][number]): Obstacle {
  const message =
    why === "DEAD" ? `"${device.code}" gives no power now` : `The supply of "${device.code}" runs in a circle`;
  return { reason: "SUPPLY_DEAD", message, ref: `device:${device.code}` };
}

function oneSide({ code }: Rack, taps: readonly Tap[]): Obstacle {
  const names = [...new Set(taps.map(({ device }) => device.code))].join(", ");
  return {
    reason: "ONE_SIDE",
    message: `The supplies of rack "${code}" do not give the redundancy: ${names}`,
    ref: `rack:${code}`,
  };
}
