import type {
  DevicePreview as DeviceChange,
  FigureChange,
  RackPreview,
  SupplyPreview,
} from "#gen/datacenter/v1/messages.ts";
import type { Steps } from "#kernel/steps.ts";
import { isPowerKind } from "../../model/draw.ts";
import {
  type Health,
  type LoadBasis,
  SUPPLY_EFFECTS,
  type SupplyEffect,
  type SupplyState,
} from "../../model/enum_values.ts";
import { codeKey, compareText } from "../../model/ref.ts";
import type { Rack } from "../../model/resources.ts";
import { type CarriedLoads, computeUtilization, listNodeLoadReasons } from "../power/power_failover.ts";
import { getSupplyState } from "../power/power_figures.ts";
import { countLiveInlets, type LiveSet } from "../power/power_live.ts";
import { computeComparableLoad, listChangedNodes } from "../power/power_node_table.ts";
import { isListedSupply, type PowerGraph } from "../power/power_nodes.ts";
import { areReasonsEqual, findWorstReason } from "../racks/rack_elevation.ts";
import type { RackMoment, RackStanding } from "../racks/rack_facts.ts";
import type { DraftTopology, Topology } from "../topology.ts";
import {
  type CoolingChange,
  compareElementFigures,
  type ElementPair,
  type Figures,
  type FindingChanges,
  FindingComparison,
  type HealthChange,
  listCoolingChanges,
  sortWorstFirst,
  yieldElementPairs,
  yieldPairsAt,
} from "./cooling.ts";

export interface Preview {
  readonly supplies: readonly SupplyChange[];
  readonly racks: readonly RackChange[];
  readonly cooling: readonly CoolingChange[];
  readonly devices: readonly DeviceChange[];
  readonly counts: EffectCounts;
  readonly findings: FindingChanges;
}

/**
 * Compares an inventory before and after changes. Both states are computed with the functions of the read calls, so the
 * figures agree with theirs. The topology before is not modified.
 *
 * Cost: O(nodes), and the affected losses, racks and areas.
 */
export function* computePreview(before: Topology, draft: DraftTopology, moment: RackMoment): Steps<Preview> {
  const { topology: after } = draft;
  const findings = new FindingComparison();
  const supplies = yield* listSupplyChanges(before, after, moment.basis);
  const devices = listDeviceChanges(before, after);
  yield;
  const racks = yield* listRackChanges(before, draft, moment, findings);
  const cooling = yield* listCoolingChanges(before, after, moment.basis, findings);
  return { supplies, racks, cooling, devices, counts: countSupplyEffects(devices), findings: findings.listChanges() };
}

type RackFigureName = Exclude<keyof RackPreview, keyof HealthChange | "rackCode">;

type RackChange = HealthChange & { readonly rackCode: string } & Readonly<
    Partial<Record<RackFigureName, FigureChange>>
  >;

/** Compares affected racks: figures, health and findings. Cost: linear in the affected racks and all findings. */
function* listRackChanges(
  before: Topology,
  { topology: after, racks }: DraftTopology,
  moment: RackMoment,
  findings: FindingComparison,
): Steps<readonly RackChange[]> {
  const found: RackChange[] = [];
  for (const key of new Set([...racks, ...yieldRejudgedRacks(before, after, moment)])) {
    yield;
    const [was, is] = [findRackStanding(before, key, moment), findRackStanding(after, key, moment)];
    findings.compareReasons(was?.reasons ?? [], is?.reasons ?? [], 1);
    const rack = after.rack(key) ?? before.rack(key);
    const change = rack && compareRackStandings(rack, was, is);
    if (change !== undefined) found.push(change);
  }
  return sortWorstFirst(found);
}

/** Yields keys of racks whose supply findings changed, or for which cooling of air or liquid was added or removed. */
function* yieldRejudgedRacks(before: Topology, after: Topology, { basis }: RackMoment): Generator<string> {
  const isCooledAnew = before.inventory.cracs !== after.inventory.cracs;
  for (const rack of after.inventory.racks) {
    const [was, is] = [before.powerFindings(rack.code, basis), after.powerFindings(rack.code, basis)];
    if (!areReasonsEqual(was, is) || (isCooledAnew && hasDifferentCooling(before, after, rack)))
      yield codeKey(rack.code);
  }
}

function hasDifferentCooling(before: Topology, after: Topology, rack: Rack): boolean {
  const [was, is] = [before.mediaServing(rack), after.mediaServing(rack)];
  return was.air !== is.air || was.liquid !== is.liquid;
}

function findRackStanding(topology: Topology, key: string, moment: RackMoment): RackStanding | undefined {
  const rack = topology.rack(key);
  return rack && topology.computeRackStanding(rack, moment);
}

function compareRackStandings(
  { code }: Rack,
  was: RackStanding | undefined,
  is: RackStanding | undefined,
): RackChange | undefined {
  const { figures, isDifferent } = compareElementFigures(was && selectRackFigures(was), is && selectRackFigures(is));
  if (!isDifferent && was?.health === is?.health) return undefined;
  return {
    ref: `rack:${code}`,
    rackCode: code,
    ...figures,
    ...(was !== undefined && { healthBefore: was.health }),
    ...(is !== undefined && { healthAfter: is.health }),
  };
}

function selectRackFigures({ elevation: { capacity }, thermal }: RackStanding): Figures<RackFigureName> {
  const { allocatedW, powerCapacityW, usedU, freeU, largestFreeBlockU, weightKg, maxLoadKg } = capacity;
  const { airHeatW, coolingCapacityW } = thermal;
  const space = { usedU, freeU, largestFreeBlockU, weightKg, maxLoadKg };
  // Rounded to whole watts as in the reply of GetRack.
  return { drawW: allocatedW, powerCapacityW, ...space, airHeatW: Math.round(airHeatW), coolingCapacityW };
}

/** Number of IT devices and cooling units by the effect of a change on their supply. */
type EffectCounts = Readonly<Record<SupplyEffect, number>>;

/**
 * Compares the supply of devices and cooling units in service before and after changes. Cost: O(nodes), and the inlets
 * of affected nodes.
 */
function listDeviceChanges(before: Topology, after: Topology): readonly DeviceChange[] {
  const found = new Map<string, DeviceChange>();
  for (const index of collectCandidateNodes(before, after)) {
    for (const pair of yieldPairsAt(before.power, after.power, index)) {
      const change = compareDeviceSupply(before, after, pair);
      if (change !== undefined) found.set(change.ref, change);
    }
  }
  return [...found.values()].toSorted(
    (a, b) =>
      Number(a.isSupply) - Number(b.isSupply) ||
      SUPPLY_EFFECTS.indexOf(a.effect) - SUPPLY_EFFECTS.indexOf(b.effect) ||
      compareText(a.ref, b.ref),
  );
}

function countSupplyEffects(changes: readonly DeviceChange[]): EffectCounts {
  const counts = { LOST: 0, REDUCED: 0, GAINED: 0, INCREASED: 0 };
  for (const { effect, isSupply } of changes) if (!isSupply) counts[effect] += 1;
  return counts;
}

/** Returns numbers of nodes that changed, gained or lost power, and of their consumers. */
function collectCandidateNodes(
  { power: was, live: lit }: Topology,
  { power: is, live }: Topology,
): ReadonlySet<number> {
  const altered = new Set(listChangedNodes(is, was));
  for (let index = 0; index < Math.max(lit.length, live.length); index += 1) {
    if (lit[index] !== live[index]) altered.add(index);
  }
  const found = new Set(altered);
  for (const { supplies } of [was, is]) {
    for (const index of altered) for (const { to } of supplies.listEdges(index)) found.add(to);
  }
  return found;
}

function compareDeviceSupply(before: Topology, after: Topology, [had, has]: ElementPair): DeviceChange | undefined {
  const [was, is] = [countDeviceSupply(before, had), countDeviceSupply(after, has)];
  const node = after.power.nodes[has];
  if (was === undefined || is === undefined || (node?.kind !== "DEVICE" && node?.kind !== "CRAC")) return undefined;
  const effect = classifySupplyEffect(was, is);
  if (effect === undefined) return undefined;
  const { name = "", rackCode = "" } = node.kind === "DEVICE" ? node.device : node.crac;
  return {
    ref: node.ref,
    name,
    rackCode,
    effect,
    stateBefore: was.state,
    stateAfter: is.state,
    liveInletsBefore: was.inlets,
    liveInletsAfter: is.inlets,
    isSupply: node.kind === "DEVICE" && isPowerKind(node.device.kind),
  };
}

interface DeviceSupply {
  readonly state: SupplyState;
  /** Number of inlets with a live source. */
  readonly inlets: number;
}

function countDeviceSupply({ power, live }: { readonly power: PowerGraph; readonly live: LiveSet }, index: number) {
  const state = getSupplyState(power, live, index);
  return state && { state, inlets: countLiveInlets(power, live, index) };
}

function classifySupplyEffect(was: DeviceSupply, is: DeviceSupply): SupplyEffect | undefined {
  if (was.state === "LIVE" && is.state !== "LIVE") return "LOST";
  if (was.state !== "LIVE") return is.state === "LIVE" ? "GAINED" : undefined;
  if (is.inlets === was.inlets) return undefined;
  return is.inlets < was.inlets ? "REDUCED" : "INCREASED";
}

type SupplyFigureName = Exclude<keyof SupplyPreview, keyof HealthChange>;

/** Power equipment, an outlet or a feed whose figures or health differ after changes. */
type SupplyChange = HealthChange & Readonly<Partial<Record<SupplyFigureName, FigureChange>>>;

/** Number of elements that are compared in one step. */
const ELEMENTS_PER_STEP = 4096;

/**
 * Compares the load of every supply now and after the worst single failure. Outlets without a recorded capacity are
 * left out.
 *
 * Cost: O(nodes), and the single losses of nodes that supply connects to the changes.
 */
function* listSupplyChanges(before: Topology, after: Topology, basis: LoadBasis): Steps<readonly SupplyChange[]> {
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
