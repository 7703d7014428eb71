import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { HealthReason } from "../racks/rack_health.ts";
import type { Loads } from "./load_lanes.ts";
import type { Failover } from "./power_failover.ts";
import type { PowerGraph } from "./power_graph.ts";
import { comparableLoad } from "./power_overloads.ts";
import { downstreamOf } from "./power_reach.ts";

/** How far an element is loaded, in percent of its capacity. */
export interface Utilization {
  readonly normalPct: number;
  /** After the loss of the other element that loads it most. */
  readonly failoverPct: number;
  /** Share of the capacity that it may carry for long. */
  readonly limitPct: number;
}

/** Loads of elements now and after one loss. */
export interface CarriedLoads {
  readonly graph: PowerGraph;
  readonly loads: Loads;
  readonly failover: Failover;
}

/** The utilization of a node; undefined without a recorded capacity. */
export function utilization({ graph, loads, failover }: CarriedLoads, index: number): Utilization | undefined {
  const { capacityW = 0, maxUtilizationPct: limitPct = 0 } = graph.nodes[index] ?? {};
  if (capacityW === 0) return undefined;
  const normalPct = (comparableLoad(graph, index, loads) / capacityW) * 100;
  return { normalPct, failoverPct: ((failover.loads[index] ?? 0) / capacityW) * 100, limitPct };
}

/** An overload of an element, now or after one failure. */
export interface PowerFinding extends HealthReason {
  readonly index: number;
}

/**
 * Problems of the loads of a site's elements. Above 100 % now is a fault, above the limit a warning; above 100 % after
 * one failure is a warning, above the limit information. Source: docs/contract/datacenter-analyses.md#p8.
 */
export function powerFindings(carried: CarriedLoads): readonly PowerFinding[] {
  return [...carried.graph.nodes.keys()].flatMap((index) =>
    loadReasons(carried, index).map((reason) => ({ ...reason, index })),
  );
}

const NOTHING: readonly HealthReason[] = [];

export function loadReasons(carried: CarriedLoads, index: number): readonly HealthReason[] {
  const used = utilization(carried, index);
  if (used === undefined || Math.max(used.normalPct, used.failoverPct) <= used.limitPct) return NOTHING;
  const { normalPct, failoverPct, limitPct } = used;
  const ref = carried.graph.nodes[index]?.ref ?? "";
  const found: HealthReason[] = [];
  if (normalPct > 100) found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: 100, health: "FAULT" });
  else if (normalPct > limitPct) {
    found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: limitPct, health: "WATCH" });
  }
  // A failure that loads it no more than now adds nothing to that.
  if (failoverPct <= normalPct) return found;
  if (failoverPct > 100) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: 100, health: "WATCH" });
  else if (failoverPct > limitPct) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: limitPct });
  return found;
}

const GRAVITY: readonly HealthReason["health"][] = ["FAULT", "WATCH", undefined];

/** The findings that concern each rack, by its key: about supplies of its devices, and about elements in it. */
export function findingsByRack(
  graph: PowerGraph,
  findings: readonly PowerFinding[],
): ReadonlyMap<string, readonly HealthReason[]> {
  const found = new Map<string, HealthReason[]>();
  const inOrder = findings.toSorted(
    (a, b) => GRAVITY.indexOf(a.health) - GRAVITY.indexOf(b.health) || compareText(a.ref, b.ref),
  );
  for (const { index, ...reason } of inOrder) {
    for (const rack of racksBehind(graph, index)) {
      const list = found.get(rack);
      if (list === undefined) found.set(rack, [reason]);
      else list.push(reason);
    }
  }
  return found;
}

/** Keys of the racks with a device in service that an element supplies, and of the rack that it is in. */
function racksBehind(graph: PowerGraph, start: number): ReadonlySet<string> {
  const racks = new Set<string>();
  for (const index of downstreamOf(graph, [start])) {
    const node = graph.nodes[index];
    if (node?.kind === "DEVICE" && !node.blocked && node.device.rackCode !== undefined) {
      racks.add(codeKey(node.device.rackCode));
    }
  }
  return racks;
}
