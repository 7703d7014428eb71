import { codeKey } from "#dc/model/code.ts";
import type { LoadBasis } from "#dc/model/enum_values.ts";
import type { NetworkPorts } from "#dc/model/inventory.ts";
import type { Rack } from "#dc/model/resources.ts";
import type { Steps } from "#kernel/steps.ts";
import { locatedIn } from "../location_scope.ts";
import type { CarriedLoads } from "../power/power_findings.ts";
import type { Topology } from "../topology.ts";
import { CoolingLimits } from "./cooling_limits.ts";
import { Limit, type Use } from "./limits.ts";
import { PhaseLimits } from "./phase_limits.ts";
import { PlannedLoads } from "./planned_loads.ts";
import type { Candidate, Option } from "./rack_candidate.ts";
import { rackLimits } from "./rack_limits.ts";
import { type Tap, TapFinder, takesPlug } from "./rack_taps.ts";
import { RackUnits } from "./rack_units.ts";
import { type SupplyPair, supplyPairs } from "./supply_pairs.ts";
import { SupplyPaths, type SupplyState } from "./supply_paths.ts";
import { SwitchPorts } from "./switch_ports.ts";
import type { Wanted } from "./wanted.ts";

/** Lets other work run between two steps. */
export interface Pauses {
  yieldIfDue(): Promise<void>;
  run<Result>(steps: Steps<Result>): Promise<Result>;
}

/** Everything that placing devices counts with. */
export interface Ground {
  readonly topology: Topology;
  readonly wanted: Wanted;
  readonly state: SupplyState;
  readonly phases: PhaseLimits;
  readonly ports: SwitchPorts;
  readonly candidates: readonly Candidate[];
}

/** The racks of a scope, in the order of their codes. */
export function racksInScope({ inventory }: Topology, { scope }: Pick<Wanted, "scope">): readonly Rack[] {
  if (scope === undefined) return inventory.racks;
  return inventory.racks.filter(({ code, location }) =>
    scope.kind === "rack"
      ? codeKey(code) === codeKey(scope.code)
      : location !== undefined && locatedIn(location, scope),
  );
}

/** The supplies of a site as placing devices counts with them. Cost: O(devices + power edges), in slices. */
export async function groundWork(
  topology: Topology,
  wanted: Wanted,
  pauses: Pauses,
): Promise<{ readonly state: SupplyState; readonly paths: SupplyPaths; readonly taps: TapFinder }> {
  const planned = await pauses.run(PlannedLoads.build(topology));
  const carried = await judgeLoads(topology, "ALLOCATED", pauses);
  const also = wanted.basis === "ALLOCATED" ? undefined : await judgeLoads(topology, wanted.basis, pauses);
  const state = { graph: topology.power, live: topology.live, carried, ...(also !== undefined && { also }), planned };
  const paths = new SupplyPaths(state, wanted);
  return { state, paths, taps: new TapFinder(topology, planned, paths) };
}

/** Use of every limit of supply by a device that is plugged into a pair of taps. */
export function pathUses(pair: SupplyPair, paths: SupplyPaths, { inlets: all }: Wanted): readonly Use[] {
  const parts = pair.map(({ tap: { path, killers }, inlets }) => ({ path, killers, part: inlets.length / all.length }));
  return paths.uses(parts);
}

/** Examines every rack of the scope. Cost: O(devices + power edges), in slices. */
export async function layGround(
  input: { readonly topology: Topology; readonly wanted: Wanted; readonly switches: ReadonlyMap<string, NetworkPorts> },
  pauses: Pauses,
): Promise<Ground> {
  const { topology, wanted, switches } = input;
  const { state, paths, taps } = await groundWork(topology, wanted, pauses);
  await pauses.yieldIfDue();
  const cooling = new CoolingLimits(topology, wanted);
  await pauses.yieldIfDue();
  const ports = new SwitchPorts(topology, wanted.ports, switches);
  const outlets = new OutletLimits(wanted);
  const candidates: Candidate[] = [];
  for (const rack of racksInScope(topology, wanted)) {
    await pauses.yieldIfDue();
    const devices = topology.devicesInRack(rack.code);
    const limits = rackLimits(rack, devices, wanted);
    const cooled = cooling.of(rack);
    const { pool, obstacles: unconnected } = ports.of(rack);
    const { pairs, obstacles: unsupplied } = supplyPairs(rack, await taps.of(rack.code), wanted);
    const shared = [...limits.uses, ...cooled.uses, ...(pool?.uses ?? [])];
    candidates.push({
      rack,
      units: new RackUnits(rack, devices, wanted),
      limits,
      cooling: cooled,
      pool,
      obstacles: [...limits.obstacles, ...cooled.obstacles, ...unconnected, ...unsupplied],
      options: pairs.map((pair) => optionOf(pair, { shared, paths, outlets, wanted })),
    });
  }
  return { topology, wanted, state, phases: new PhaseLimits(state, wanted), ports, candidates };
}

async function judgeLoads(topology: Topology, basis: LoadBasis, pauses: Pauses): Promise<CarriedLoads> {
  await pauses.run(topology.judge(basis));
  return topology.carried(basis);
}

interface OptionParts {
  readonly shared: readonly Use[];
  readonly paths: SupplyPaths;
  readonly outlets: OutletLimits;
  readonly wanted: Wanted;
}

function optionOf(pair: SupplyPair, { shared, paths, outlets, wanted }: OptionParts): Option {
  return {
    pair,
    uses: [...shared, ...outlets.uses(pair), ...pathUses(pair, paths, wanted)],
    feed: pair.map(({ tap }) => tap.upstream).join("+"),
  };
}

/** Counts the free outlets of taps. */
class OutletLimits {
  readonly #wanted: Wanted;
  readonly #limits = new Map<Tap, Limit>();

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  uses(pair: SupplyPair): readonly Use[] {
    return pair.flatMap(({ tap, inlets }) =>
      tap.outlets === undefined ? [] : [{ limit: this.#of(tap), each: inlets.length }],
    );
  }

  #of(tap: Tap): Limit {
    const known = this.#limits.get(tap);
    if (known !== undefined) return known;
    const { inlets } = this.#wanted;
    const free = (tap.outlets ?? []).filter(({ port }) => inlets.some(({ type }) => takesPlug(port, type))).length;
    const ref = `device:${tap.device.code}`;
    const made = new Limit({ reason: "NO_OUTLET", ref, unit: "free outlets", capacity: free, most: free, used: 0 });
    this.#limits.set(tap, made);
    return made;
  }
}
