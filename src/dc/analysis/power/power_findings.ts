import { codeKey } from "#dc/model/code.ts";
import { compareText } from "#dc/model/ref.ts";
import type { HealthReason } from "../racks/rack_health.ts";
import type { Loads } from "./load_lanes.ts";
import type { Failover } from "./power_failover.ts";
import type { PowerGraph } from "./power_graph.ts";
import { computeComparableLoad } from "./power_overloads.ts";
import { collectDownstream } from "./power_reach.ts";

/** Load of an element in percent of its capacity. */
export interface Utilization {
  readonly normalPct: number;
  /** Percent after the loss of the one other element whose loss raises the load most. */
  readonly failoverPct: number;
  /** Percent of the capacity that the element may carry continuously. */
  readonly limitPct: number;
}

/** Loads of all elements now and after the loss of any one other element. */
export interface CarriedLoads {
  readonly graph: PowerGraph;
  readonly loads: Loads;
  readonly failover: Failover;
}

/** Returns the utilization of a node; undefined without a recorded capacity. */
export function computeUtilization({ graph, loads, failover }: CarriedLoads, index: number): Utilization | undefined {
  const { capacityW = 0, maxUtilizationPct: limitPct = 0 } = graph.nodes[index] ?? {};
  if (capacityW === 0) return undefined;
  const normalPct = (computeComparableLoad(graph, index, loads) / capacityW) * 100;
  return { normalPct, failoverPct: ((failover.loads[index] ?? 0) / capacityW) * 100, limitPct };
}

/** An overload of an element, now or after one failure. */
export interface LoadFinding extends HealthReason {
  readonly index: number;
}

/**
 * Lists the load problems of a site's elements. Above 100 % now is a fault, above the limit a warning; above 100 %
 * after one failure is a warning, above the limit information. Source: docs/contract/datacenter-analyses.md#p8.
 */
export function listLoadFindings(carried: CarriedLoads): readonly LoadFinding[] {
  return [...carried.graph.nodes.keys()].flatMap((index) =>
    listNodeLoadReasons(carried, index).map((reason) => ({ ...reason, index })),
  );
}

const NO_REASONS: readonly HealthReason[] = [];

export function listNodeLoadReasons(carried: CarriedLoads, index: number): readonly HealthReason[] {
  const used = computeUtilization(carried, index);
  if (used === undefined || Math.max(used.normalPct, used.failoverPct) <= used.limitPct) return NO_REASONS;
  const { normalPct, failoverPct, limitPct } = used;
  const ref = carried.graph.nodes[index]?.ref ?? "";
  const found: HealthReason[] = [];
  if (normalPct > 100) found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: 100, health: "FAULT" });
  else if (normalPct > limitPct) {
    found.push({ ref, code: "POWER_NORMAL", value: normalPct, limit: limitPct, health: "WATCH" });
  }
  // A failure that does not raise the load adds nothing to the findings about the load now.
  if (failoverPct <= normalPct) return found;
  if (failoverPct > 100) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: 100, health: "WATCH" });
  else if (failoverPct > limitPct) found.push({ ref, code: "POWER_FAILOVER", value: failoverPct, limit: limitPct });
  return found;
}

const HEALTH_ORDER: readonly HealthReason["health"][] = ["FAULT", "WATCH", undefined];

/** Groups findings by the key of each rack that they concern: the element is in the rack, or supplies its devices. */
export function groupFindingsByRack(
  graph: PowerGraph,
  findings: readonly LoadFinding[],
): ReadonlyMap<string, readonly HealthReason[]> {
  const found = new Map<string, HealthReason[]>();
  const inOrder = findings.toSorted(
    (a, b) => HEALTH_ORDER.indexOf(a.health) - HEALTH_ORDER.indexOf(b.health) || compareText(a.ref, b.ref),
  );
  for (const { index, ...reason } of inOrder) {
    for (const rack of listSuppliedRackKeys(graph, index)) found.getOrInsert(rack, []).push(reason);
  }
  return found;
}

/** Returns keys of the racks that contain an element or a device in service that the element supplies. */
function listSuppliedRackKeys(graph: PowerGraph, start: number): ReadonlySet<string> {
  const racks = new Set<string>();
  for (const index of collectDownstream(graph, [start])) {
    const node = graph.nodes[index];
    if (node?.kind === "DEVICE" && !node.blocked && node.device.rackCode !== undefined) {
      racks.add(codeKey(node.device.rackCode));
    }
  }
  return racks;
}
