import type { Health, LoadBasis } from "#dc/model/enum_values.ts";
import type { FigureChange, SupplyPreview } from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { type CarriedLoads, computeUtilization, listNodeLoadReasons } from "../power/power_findings.ts";
import { isListedSupply } from "../power/power_nodes.ts";
import { computeComparableLoad } from "../power/power_overloads.ts";
import { findWorstReason } from "../racks/rack_health.ts";
import type { Topology } from "../topology.ts";
import {
  compareElementFigures,
  type ElementPair,
  type Figures,
  type HealthChange,
  sortWorstFirst,
  yieldElementPairs,
} from "./figures.ts";

type SupplyFigureName = Exclude<keyof SupplyPreview, keyof HealthChange>;

/** Power equipment, an outlet or a feed whose figures or health differ after changes. */
export type SupplyChange = HealthChange & Readonly<Partial<Record<SupplyFigureName, FigureChange>>>;

/** Number of elements that are compared in one step. */
const ELEMENTS_PER_STEP = 4096;

/**
 * Compares the load of every supply now and after the worst single failure. Outlets without a recorded capacity are
 * left out.
 *
 * Cost: O(nodes), and the single losses of nodes that supply connects to the changes.
 */
export function* listSupplyChanges(
  before: Topology,
  after: Topology,
  basis: LoadBasis,
): Steps<readonly SupplyChange[]> {
  yield* before.judge(basis);
  yield* after.judge(basis);
  const [was, is] = [before.computeCarriedLoads(basis), after.computeCarriedLoads(basis)];
  const found: SupplyChange[] = [];
  let count = 0;
  for (const pair of yieldElementPairs(was.graph, is.graph)) {
    if (count++ % ELEMENTS_PER_STEP === 0) yield;
    const change = hasSameLoad(was, is, pair) ? undefined : compareSupplyLoads(was, is, pair);
    if (change !== undefined) found.push(change);
  }
  return sortWorstFirst(found, ({ failoverPct, loadPct }) => Math.max(failoverPct?.after ?? 0, loadPct?.after ?? 0));
}

/** Whether an element carries the same load in both states. Most elements do, so the check allocates nothing. */
function hasSameLoad(was: CarriedLoads, is: CarriedLoads, [had, has]: ElementPair): boolean {
  return (
    was.graph.nodes[had] === is.graph.nodes[has] &&
    was.loads.watts[had] === is.loads.watts[has] &&
    was.failover.loads[had] === is.failover.loads[has] &&
    computeComparableLoad(was.graph, had, was.loads) === computeComparableLoad(is.graph, has, is.loads)
  );
}

function compareSupplyLoads(was: CarriedLoads, is: CarriedLoads, [had, has]: ElementPair): SupplyChange | undefined {
  const node = is.graph.nodes[has] ?? was.graph.nodes[had];
  if (node === undefined || !(isListedSupply(is.graph.nodes[has]) || isListedSupply(was.graph.nodes[had])))
    return undefined;
  const [before, after] = [computeSupplyFigures(was, had), computeSupplyFigures(is, has)];
  const { figures, isDifferent } = compareElementFigures(before, after);
  if (!isDifferent) return undefined;
  return {
    ref: node.ref,
    ...figures,
    ...(before !== undefined && hasRating(was, had) && { healthBefore: rateSupplyHealth(was, had) }),
    ...(after !== undefined && hasRating(is, has) && { healthAfter: rateSupplyHealth(is, has) }),
  };
}

function computeSupplyFigures(carried: CarriedLoads, index: number): Figures<SupplyFigureName> | undefined {
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

/** Whether an element has a recorded capacity; without it, the utilization of the element is unknown. */
function hasRating({ graph }: CarriedLoads, index: number): boolean {
  return (graph.nodes[index]?.capacityW ?? 0) > 0;
}

function rateSupplyHealth(carried: CarriedLoads, index: number): Health {
  return findWorstReason(listNodeLoadReasons(carried, index));
}
