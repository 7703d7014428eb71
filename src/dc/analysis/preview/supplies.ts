import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import type { FigureChange, SupplyPreview } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { type CarriedLoads, computeUtilization, listLoadReasons } from "../power/power_findings.ts";
import { isListedSupply } from "../power/power_nodes.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import { overallHealth } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import { compareFigures, type ElementPair, elementPairs, type Figures, type Judged, worstFirst } from "./figures.ts";

type Name = Exclude<keyof SupplyPreview, keyof Judged>;

/** Power equipment, an outlet or a feed whose figures or health changes alter. */
export type SupplyChange = Judged & Readonly<Partial<Record<Name, FigureChange>>>;

/** Elements that are compared between two steps. */
const AT_ONCE = 4096;

/**
 * Compares what every supply carries, now and after the worst single failure. Outlets without a recorded capacity are left
 * out.
 *
 * Cost: O(nodes), and the loads after single losses of what supply joins to the changes.
 */
export function* supplyChanges(before: Topology, after: Topology, basis: LoadBasis): Steps<readonly SupplyChange[]> {
  yield* before.judge(basis);
  yield* after.judge(basis);
  const [was, is] = [before.carried(basis), after.carried(basis)];
  const found: SupplyChange[] = [];
  let count = 0;
  for (const pair of elementPairs(was.graph, is.graph)) {
    if (count++ % AT_ONCE === 0) yield;
    const change = carriesAlike(was, is, pair) ? undefined : changeOf(was, is, pair);
    if (change !== undefined) found.push(change);
  }
  return worstFirst(found, ({ failoverPct, loadPct }) => Math.max(failoverPct?.after ?? 0, loadPct?.after ?? 0));
}

/** Whether an element carries what it did. Most do, so nothing is made for them. */
function carriesAlike(was: CarriedLoads, is: CarriedLoads, [had, has]: ElementPair): boolean {
  return (
    was.graph.nodes[had] === is.graph.nodes[has] &&
    was.loads.watts[had] === is.loads.watts[has] &&
    was.failover.loads[had] === is.failover.loads[has] &&
    computeComparableLoad(was.graph, had, was.loads) === computeComparableLoad(is.graph, has, is.loads)
  );
}

function changeOf(was: CarriedLoads, is: CarriedLoads, [had, has]: ElementPair): SupplyChange | undefined {
  const node = is.graph.nodes[has] ?? was.graph.nodes[had];
  if (node === undefined || !(isListedSupply(is.graph.nodes[has]) || isListedSupply(was.graph.nodes[had])))
    return undefined;
  const [before, after] = [figuresOf(was, had), figuresOf(is, has)];
  const { figures, differs } = compareFigures(before, after);
  if (!differs) return undefined;
  return {
    ref: node.ref,
    ...figures,
    ...(before !== undefined && isRated(was, had) && { healthBefore: healthOf(was, had) }),
    ...(after !== undefined && isRated(is, has) && { healthAfter: healthOf(is, has) }),
  };
}

function figuresOf(carried: CarriedLoads, index: number): Figures<Name> | undefined {
  const node = carried.graph.nodes[index];
  if (node === undefined) return undefined;
  const used = computeUtilization(carried, index);
  return {
    loadW: carried.loads.watts[index],
    capacityW: node.capacityW,
    loadPct: used?.normalPct,
    failoverW: carried.failover.loads[index],
    failoverPct: used?.failoverPct,
    limitPct: used?.limitPct,
  };
}

/** Without a capacity it is unknown how far something is loaded. */
function isRated({ graph }: CarriedLoads, index: number): boolean {
  return (graph.nodes[index]?.capacityW ?? 0) > 0;
}

function healthOf(carried: CarriedLoads, index: number): Health {
  return overallHealth(listLoadReasons(carried, index));
}
