import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { NetworkPortSummary } from "#dc/model/inventory.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { selectRacksIn } from "../places.ts";
import type { CarriedLoads } from "../power/power_failover.ts";
import type { Topology } from "../topology.ts";
import { CoolingLimits, PhaseLimits } from "./cooling_limits.ts";
import { Limit, type LimitUse, type PlacementRequest, type SupplyLoadState, SupplyPaths } from "./limits.ts";
import { PlannedLoads } from "./planned_loads.ts";
import { type RackCandidate, RackUnits, type SupplyOption } from "./rack_candidate.ts";
import {
  acceptsPlug,
  createRackLimits,
  listSupplyPairs,
  type SupplyPair,
  type SupplyTap,
  TapFinder,
} from "./rack_taps.ts";
import { SwitchPorts } from "./switch_ports.ts";

/** Pauses of a computation, in which other requests run. */
export interface Pauses {
  yieldIfDue(): Promise<void>;
  run<Result>(steps: Steps<Result>): Promise<Result>;
}

/** State of a site that placing devices reads and updates. */
export interface PlacementState {
  readonly topology: Topology;
  readonly request: PlacementRequest;
  readonly state: SupplyLoadState;
  readonly phases: PhaseLimits;
  readonly ports: SwitchPorts;
  readonly candidates: readonly RackCandidate[];
}

/** Lists the racks of a scope, sorted by code. */
export function listRacksInScope({ inventory }: Topology, { scope }: Pick<PlacementRequest, "scope">): readonly Rack[] {
  return scope === undefined ? inventory.racks : selectRacksIn(inventory.racks, scope);
}

/** Prepares supply loads, paths and taps of a site for placements. Cost: O(devices + power edges), in slices. */
export async function prepareSupply(
  topology: Topology,
  wanted: PlacementRequest,
  pauses: Pauses,
): Promise<{ readonly state: SupplyLoadState; readonly paths: SupplyPaths; readonly taps: TapFinder }> {
  const planned = await pauses.run(PlannedLoads.buildInSteps(topology));
  const carried = await computeCarriedLoads(topology, "ALLOCATED", pauses);
  const also = wanted.basis === "ALLOCATED" ? undefined : await computeCarriedLoads(topology, wanted.basis, pauses);
  const state = { graph: topology.power, live: topology.live, carried, ...(also !== undefined && { also }), planned };
  const paths = new SupplyPaths(state, wanted);
  return { state, paths, taps: new TapFinder(topology, planned, paths) };
}

/** Returns the use of every supply limit by a device that is plugged into a pair of taps. */
export function listPathUses(
  pair: SupplyPair,
  paths: SupplyPaths,
  { inlets: all }: PlacementRequest,
): readonly LimitUse[] {
  const parts = pair.map(({ tap: { path, killers }, inlets }) => ({ path, killers, part: inlets.length / all.length }));
  return paths.listUses(parts);
}

/** Examines every rack of the scope for a placement. Cost: O(devices + power edges), in slices. */
export async function prepareCandidates(
  input: {
    readonly topology: Topology;
    readonly wanted: PlacementRequest;
    readonly switches: ReadonlyMap<string, NetworkPortSummary>;
  },
  pauses: Pauses,
): Promise<PlacementState> {
  const { topology, wanted, switches } = input;
  const { state, paths, taps } = await prepareSupply(topology, wanted, pauses);
  await pauses.yieldIfDue();
  const cooling = new CoolingLimits(topology, wanted);
  await pauses.yieldIfDue();
  const ports = new SwitchPorts(topology, wanted.ports, switches);
  const outletUses = createOutletUses(wanted);
  const candidates: RackCandidate[] = [];
  for (const rack of listRacksInScope(topology, wanted)) {
    await pauses.yieldIfDue();
    const devices = topology.listDevicesInRack(rack.code);
    const limits = createRackLimits(rack, devices, wanted);
    const cooled = cooling.computeRackCooling(rack);
    const { pool, obstacles: unconnected } = ports.findPool(rack);
    const { pairs, obstacles: unsupplied } = listSupplyPairs(rack, await taps.findRackTaps(rack.code), wanted);
    const shared = [...limits.uses, ...cooled.uses, ...(pool?.uses ?? [])];
    candidates.push({
      rack,
      units: new RackUnits(rack, devices, wanted),
      limits,
      cooling: cooled,
      pool,
      obstacles: [...limits.obstacles, ...cooled.obstacles, ...unconnected, ...unsupplied],
      options: pairs.map((pair) => createSupplyOption(pair, { shared, paths, outletUses, wanted })),
    });
  }
  return { topology, request: wanted, state, phases: new PhaseLimits(state, wanted), ports, candidates };
}

async function computeCarriedLoads(topology: Topology, basis: LoadBasis, pauses: Pauses): Promise<CarriedLoads> {
  await pauses.run(topology.judge(basis));
  return topology.computeCarriedLoads(basis);
}

interface SupplyOptionInput {
  readonly shared: readonly LimitUse[];
  readonly paths: SupplyPaths;
  readonly outletUses: ReturnType<typeof createOutletUses>;
  readonly wanted: PlacementRequest;
}

function createSupplyOption(pair: SupplyPair, { shared, paths, outletUses, wanted }: SupplyOptionInput): SupplyOption {
  return {
    pair,
    uses: [...shared, ...outletUses(pair), ...listPathUses(pair, paths, wanted)],
    feedKey: pair.map(({ tap }) => tap.upstream).join("+"),
  };
}

/** Creates a function that returns the uses of free outlets by one device. Each tap has one limit. */
function createOutletUses({ inlets: requested }: PlacementRequest): (pair: SupplyPair) => readonly LimitUse[] {
  const limits = new Map<SupplyTap, Limit>();
  return (pair) =>
    pair.flatMap(({ tap, inlets }): readonly LimitUse[] => {
      const { outlets, device } = tap;
      if (outlets === undefined) return [];
      const limit = limits.getOrInsertComputed(tap, () => {
        const free = outlets.filter(({ port }) => requested.some(({ type }) => acceptsPlug(port, type))).length;
        const ref = `device:${device.code}`;
        return new Limit({ reason: "NO_OUTLET", ref, unit: "free outlets", capacity: free, maxUse: free, used: 0 });
      });
      return [{ limit, each: inlets.length }];
    });
}
