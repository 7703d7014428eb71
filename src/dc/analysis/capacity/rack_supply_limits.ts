import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { Rack } from "#dc/model/resources.ts";
import { listPathUses, type Pauses, prepareSupply } from "../placement/candidates.ts";
import type { LimitUse } from "../placement/limits.ts";
import { createRackLimits } from "../placement/rack_limits.ts";
import type { SupplyTap } from "../placement/rack_taps.ts";
import { listSupplyPairs } from "../placement/supply_pairs.ts";
import type { SupplyLoadState } from "../placement/supply_paths.ts";
import type { PlacementRequest, RequestedInlet } from "../placement/wanted.ts";
import type { Topology } from "../topology.ts";

/** One possible supply of further draw in a rack: the limits that every further watt uses. */
export interface RackSupplyPath {
  readonly uses: readonly LimitUse[];
  /** Share of the rack's further draw, above 0 and at most 1. */
  readonly part: number;
}

/** A rack that accepts devices, with its possible supplies; none if no supply is live. */
export interface SuppliedRack {
  readonly rack: Rack;
  readonly supplyPaths: readonly RackSupplyPath[];
  readonly taps: readonly SupplyTap[];
}

/** Creates the request for a device of one watt, the unit in which free power is counted. */
function createOneWattRequest(basis: LoadBasis, now: string, inlets: readonly RequestedInlet[]): PlacementRequest {
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

const ONE_INLET: readonly RequestedInlet[] = [{ name: "a" }];
const TWO_INLETS: readonly RequestedInlet[] = [{ name: "a" }, { name: "b" }];

/**
 * Finds the limits upstream of every rack that accepts devices, by the rules of FindPlacement. Further draw has two
 * cords on sides that no single failure turns off together, or one cord if a rack has no such sides.
 *
 * Cost: that of examining the racks for a placement.
 */
export async function findSuppliedRacks(
  topology: Topology,
  racks: readonly Rack[],
  { basis, now }: { readonly basis: LoadBasis; readonly now: string },
  pauses: Pauses,
): Promise<{ readonly racks: readonly SuppliedRack[]; readonly state: SupplyLoadState }> {
  const [two, one] = [createOneWattRequest(basis, now, TWO_INLETS), createOneWattRequest(basis, now, ONE_INLET)];
  const { state, paths, taps } = await prepareSupply(topology, two, pauses);
  const found: SuppliedRack[] = [];
  for (const rack of racks) {
    await pauses.yieldIfDue();
    const { power, obstacles } = createRackLimits(rack, topology.listDevicesInRack(rack.code), two);
    if (obstacles.some(({ reason }) => reason === "RACK_STATUS")) continue;
    const tapped = await taps.findRackTaps(rack.code);
    const paired = listSupplyPairs(rack, tapped, two).pairs;
    const [pairs, wanted] = paired.length > 0 ? [paired, two] : [listSupplyPairs(rack, tapped, one).pairs, one];
    const ways = pairs.map((pair) => ({
      uses: [{ limit: power, each: 1 }, ...listPathUses(pair, paths, wanted)],
      part: 1 / pairs.length,
    }));
    found.push({ rack, supplyPaths: ways, taps: tapped.taps });
  }
  return { racks: found, state };
}
