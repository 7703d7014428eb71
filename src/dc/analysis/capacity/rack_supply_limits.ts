import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Rack } from "#dc/model/resources.ts";
import { groundWork, type Pauses, pathUses } from "../placement/candidates.ts";
import type { Use } from "../placement/limits.ts";
import { rackLimits } from "../placement/rack_limits.ts";
import type { Tap } from "../placement/rack_taps.ts";
import { supplyPairs } from "../placement/supply_pairs.ts";
import type { SupplyState } from "../placement/supply_paths.ts";
import type { Wanted, WantedInlet } from "../placement/wanted.ts";
import type { Topology } from "../topology.ts";

/** One way to supply more in a rack: the limits that every further watt uses. */
export interface WayIn {
  readonly uses: readonly Use[];
  /** Its part of what is added to the rack. */
  readonly part: number;
}

/** A rack that takes devices, with its ways of supply; none if it has no live one. */
export interface SuppliedRack {
  readonly rack: Rack;
  readonly ways: readonly WayIn[];
  readonly taps: readonly Tap[];
}

/** A device of one watt that is placed nowhere: the unit in which free power is counted. */
function wantedWatt(basis: LoadBasis, now: string, inlets: readonly WantedInlet[]): Wanted {
  return {
    count: 1,
    template: { kind: "OTHER", status: "ACTIVE" },
    uHeight: 1,
    face: "FRONT",
    drawW: 1,
    airW: 0,
    liquidW: 0,
    powerFactor: 1,
    inlets,
    need: 1,
    redundancy: inlets.length > 1 ? "TWO_N" : "N",
    ports: [],
    coolingMethod: "AIR",
    basis,
    spread: [],
    keep: 0,
    allowExisting: false,
    now,
  };
}

const ONE: readonly WantedInlet[] = [{ name: "a" }];
const TWO: readonly WantedInlet[] = [{ name: "a" }, { name: "b" }];

/**
 * Finds the limits above every rack that takes devices, as FindPlacement judges them. What is added has two cords on
 * sides that no single failure takes both, or one cord where a rack has no such sides.
 *
 * Cost: that of examining the racks for a placement.
 */
export async function suppliedRacks(
  topology: Topology,
  racks: readonly Rack[],
  { basis, now }: { readonly basis: LoadBasis; readonly now: string },
  pauses: Pauses,
): Promise<{ readonly racks: readonly SuppliedRack[]; readonly state: SupplyState }> {
  const [two, one] = [wantedWatt(basis, now, TWO), wantedWatt(basis, now, ONE)];
  const { state, paths, taps } = await groundWork(topology, two, pauses);
  const found: SuppliedRack[] = [];
  for (const rack of racks) {
    await pauses.yieldIfDue();
    const { power, obstacles } = rackLimits(rack, topology.devicesInRack(rack.code), two);
    if (obstacles.some(({ reason }) => reason === "RACK_STATUS")) continue;
    const tapped = await taps.of(rack.code);
    const paired = supplyPairs(rack, tapped, two).pairs;
    const [pairs, wanted] = paired.length > 0 ? [paired, two] : [supplyPairs(rack, tapped, one).pairs, one];
    const ways = pairs.map((pair) => ({
      uses: [{ limit: power, each: 1 }, ...pathUses(pair, paths, wanted)],
      part: 1 / pairs.length,
    }));
    found.push({ rack, ways, taps: tapped.taps });
  }
  return { racks: found, state };
}
