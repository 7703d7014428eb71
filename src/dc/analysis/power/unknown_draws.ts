import type { TenantImpact } from "#gen/datacenter/v1/messages.ts";
import { getDrawW } from "../../model/draw.ts";
import type { LoadBasis } from "../../model/enum_values.ts";
import { lacksDraw } from "../../model/rack_space.ts";
import { compareText } from "../../model/ref.ts";
import type { Topology } from "../topology.ts";
import { computeLostDrawW } from "./load_lanes.ts";
import type { CarriedLoads } from "./power_failover.ts";
import type { LiveSet } from "./power_live.ts";
import { computeLoads } from "./power_load.ts";
import { collectUpstream, isConsumer, type PowerGraph, type PowerNode, selectItDevices } from "./power_nodes.ts";

/** Consumers of a graph whose draw is not recorded. */
interface UnknownDraws {
  readonly nodes: readonly number[];
  /** Number of these consumers behind each node. */
  readonly behind: Uint32Array;
}

const unknownByGraph = new WeakMap<PowerGraph, UnknownDraws>();

function findUnknownDraws(graph: PowerGraph): UnknownDraws {
  return unknownByGraph.getOrInsertComputed(graph, () => {
    const nodes = [...graph.nodes.keys()].filter((index) => hasUnknownDraw(graph.nodes[index]));
    const behind = new Uint32Array(graph.nodes.length);
    for (const start of nodes) {
      for (const index of collectUpstream(graph, [start]))
        if (index !== start) behind[index] = (behind[index] as number) + 1;
    }
    return { nodes, behind };
  });
}

/** Whether a node is a consumer whose draw is not recorded: its load is unknown, not 0. */
export function hasUnknownDraw(node: PowerNode | undefined): boolean {
  if (!isConsumer(node)) return false;
  if (node?.kind === "CRAC") return getDrawW(node.crac, "ALLOCATED") === undefined;
  return node?.kind === "DEVICE" && lacksDraw(node.device);
}

/**
 * Returns the number of consumers behind a node whose draw is not recorded, so that its loads are lower bounds.
 * @param isWithSelf whether the node itself counts, as for one of its inlets
 */
export function countUnknownDraws(graph: PowerGraph, index: number, isWithSelf = false): number {
  const own = isWithSelf && hasUnknownDraw(graph.nodes[index]) ? 1 : 0;
  return (findUnknownDraws(graph).behind[index] ?? 0) + own;
}

/** Whether the load of a supply is unknown, now and after one failure: nothing behind it has a recorded draw. */
export function isLoadUnknown({ graph, loads, failover }: CarriedLoads, index: number): boolean {
  if ((loads.watts[index] ?? 0) + (failover.loads[index] ?? 0) > 0) return false;
  return countUnknownDraws(graph, index) > 0;
}

/** State of a site before and after a failure. */
interface ShiftedLoads {
  readonly before: LiveSet;
  readonly live: LiveSet;
  /** Consumers that stay on with less supply. */
  readonly degraded: ReadonlySet<number>;
  /** Nodes whose known load rises. */
  readonly rising: readonly number[];
  readonly basis: LoadBasis;
}

/**
 * Returns live consumers with an unknown draw that can decide whether a failure overloads a rated supply: their load
 * moves to it, or they are behind one that takes known load over. Cost: that of all loads if an unknown draw moves.
 */
export function listDecidingUnknownDraws(graph: PowerGraph, shifted: ShiftedLoads): readonly number[] {
  const { live, degraded, rising } = shifted;
  const unknown = findUnknownDraws(graph).nodes.filter((index) => live[index] === 1);
  if (unknown.length === 0) return [];
  const moved = unknown.some((index) => degraded.has(index)) ? listNodesTakingOver(graph, unknown, shifted) : [];
  const loaded = new Set([...rising, ...moved].filter((index) => graph.nodes[index]?.capacityW !== undefined));
  // The loop adds to the set while it iterates.
  for (const index of loaded) {
    for (const { to } of graph.supplies.listEdges(index)) if (live[to] === 1) loaded.add(to);
  }
  return unknown.filter((index) => loaded.has(index));
}

/** Returns live nodes that carry more of the given consumers than before, if each draws one watt. */
function listNodesTakingOver(
  graph: PowerGraph,
  consumers: readonly number[],
  { before, live, basis }: ShiftedLoads,
): readonly number[] {
  const drawsW = new Float64Array(graph.nodes.length);
  for (const index of consumers) drawsW[index] = 1;
  const was = computeLoads(graph, before, basis, drawsW).watts;
  const is = computeLoads(graph, live, basis, drawsW).watts;
  return [...graph.nodes.keys()].filter(
    (index) => live[index] === 1 && (is[index] ?? 0) > (was[index] ?? 0) + SUM_ERROR_W,
  );
}

/** Maximum difference between sums of the same loads in another order, in watts. */
const SUM_ERROR_W = 1e-6;

type MutableTenantImpact = { -readonly [Name in keyof TenantImpact]: TenantImpact[Name] };

/** Nodes and racks that a failure reaches; racks by key. */
export interface FailureReach {
  readonly offline: Iterable<number>;
  readonly degraded: Iterable<number>;
  readonly racksDark: Iterable<string>;
  readonly racksPartial: Iterable<string>;
  readonly racksProtected: Iterable<string>;
}

/** Splits a failure's impact by tenant, sorted by name. A device without a tenant belongs to its rack's tenant. */
export function computeTenantImpacts(
  topology: Topology,
  reached: FailureReach,
  basis: LoadBasis,
): readonly TenantImpact[] {
  const { power } = topology;
  const found = new Map<string, MutableTenantImpact>();
  const findImpact = (tenant: string | undefined): MutableTenantImpact | undefined => {
    if (tenant === undefined || tenant === "") return undefined;
    return found.getOrInsertComputed(tenant, () => ({ tenant, ...NO_IMPACT }));
  };
  // Thousands of devices are in few racks, so the tenant of each rack is cached to avoid repeated searches.
  const tenantOfRack = new Map<string, string | undefined>();
  const rackTenant = (code: string): string | undefined => {
    if (!tenantOfRack.has(code)) tenantOfRack.set(code, topology.rack(code)?.tenant);
    return tenantOfRack.get(code);
  };
  const gone = new Set(selectItDevices(power, reached.offline));
  const isGone = (index: number) => gone.has(index);
  for (const index of gone) {
    const impact = findImpact(findTenant(topology, index, rackTenant));
    if (impact === undefined) continue;
    impact.itDevicesOffline += 1;
    if (hasUnknownDraw(power.nodes[index])) impact.itDevicesWithoutDraw += 1;
    impact.itLoadLostW += computeLostDrawW(power, index, { isGone, basis });
  }
  for (const index of selectItDevices(power, reached.degraded)) {
    const impact = findImpact(findTenant(topology, index, rackTenant));
    if (impact !== undefined) impact.itDevicesDegraded += 1;
  }
  for (const state of ["racksDark", "racksPartial", "racksProtected"] as const) {
    for (const key of reached[state]) {
      const impact = findImpact(topology.rack(key)?.tenant);
      if (impact !== undefined) impact[state] += 1;
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.tenant, b.tenant));
}

const NO_IMPACT = {
  racksDark: 0,
  racksPartial: 0,
  racksProtected: 0,
  itDevicesOffline: 0,
  itDevicesDegraded: 0,
  itLoadLostW: 0,
  itDevicesWithoutDraw: 0,
};

/** Returns the tenant of a device: its own tenant, or else the tenant of its rack. */
export function findTenant(
  topology: Topology,
  index: number,
  rackTenant = (code: string) => topology.rack(code)?.tenant,
): string | undefined {
  const node = topology.power.nodes[index];
  if (node?.kind !== "DEVICE") return undefined;
  const { tenant = "", rackCode = "" } = node.device;
  return tenant === "" ? rackTenant(rackCode) : tenant;
}
