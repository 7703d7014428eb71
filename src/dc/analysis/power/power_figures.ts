import { runAllSteps, type Steps } from "#kernel/steps.ts";
import { isPowerKind } from "../../model/draw.ts";
import type { LoadBasis, Redundancy, SupplyState } from "../../model/enum_values.ts";
import { codeKey, toPortKey } from "../../model/ref.ts";
import type { Device, Rack } from "../../model/resources.ts";
import type { HealthReason } from "../racks/rack_elevation.ts";
import { type FailureOptions, FailureState, type SiteState } from "./failure_state.ts";
import type { Loads } from "./load_lanes.ts";
import {
  type CarriedLoads,
  computeFailover,
  type Failover,
  type LoadFinding,
  listLoadFindings,
} from "./power_failover.ts";
import { countWorstLostInlets, KillerSets } from "./power_killers.ts";
import { computeLiveNodes, drawsFromOneInlet, findActiveInlet, type LiveSet, updateLiveSet } from "./power_live.ts";
import { computeLoads, updateLoads } from "./power_load.ts";
import { getBatteryRuntimeS, isConsumer, isUndocumented, type PowerGraph, type PowerNode } from "./power_nodes.ts";

/** Figures after a change of the graph, and the nodes whose live state or load may differ. */
interface UpdatedFigures {
  readonly figures: PowerFigures;
  readonly alteredNodes: ReadonlySet<number>;
}

/** Live nodes of a graph and the load of every node, computed once and then updated after each change. */
export class PowerFigures {
  readonly #graph: PowerGraph;
  #liveNodes: LiveSet | undefined;
  readonly #carriedByBasis = new Map<LoadBasis, CarriedLoads>();
  readonly #findingsByBasis = new Map<LoadBasis, readonly LoadFinding[]>();
  readonly #loadsByBasis = new Map<LoadBasis, Loads>();
  /** Effects of single losses in the latest earlier state for which they were computed. */
  readonly #earlierFailovers = new Map<LoadBasis, Failover>();

  /** Compares supplies with the required redundancy. */
  readonly redundancy: RedundancyAudit;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.redundancy = new RedundancyAudit(graph);
  }

  get live(): LiveSet {
    this.#liveNodes ??= computeLiveNodes(this.#graph);
    return this.#liveNodes;
  }

  getLoads(basis: LoadBasis): Loads {
    return this.#loadsByBasis.getOrInsertComputed(basis, () => computeLoads(this.#graph, this.live, basis));
  }

  /** Returns the loads of every node now and after the loss of any one other node; computed on the first call. */
  getCarriedLoads(basis: LoadBasis): CarriedLoads {
    return runAllSteps(this.computeCarriedInSteps(basis));
  }

  /**
   * Computes `carried` in steps. Cost at 100,000 devices: about a second at first; after a change, the nodes that
   * supply connects to it.
   */
  *computeCarriedInSteps(basis: LoadBasis): Steps<CarriedLoads> {
    const known = this.#carriedByBasis.get(basis);
    if (known !== undefined) return known;
    const graph = this.#graph;
    const { live } = this;
    const all = this.getLoads(basis);
    const earlier = this.#earlierFailovers.get(basis);
    const made = {
      graph,
      loads: all,
      failover: yield* computeFailover({ graph, live, loads: all, basis }, { earlier }),
    };
    this.#carriedByBasis.set(basis, made);
    this.#earlierFailovers.delete(basis);
    return made;
  }

  /** Returns problems of the loads, computed on first use. */
  getFindings(basis: LoadBasis): readonly LoadFinding[] {
    return this.#findingsByBasis.getOrInsertComputed(basis, () => listLoadFindings(this.getCarriedLoads(basis)));
  }

  /**
   * Returns the figures of a changed graph whose nodes, inlets or supplies differ only in `touched`. Cost: the edges
   * downstream of a changed supply and upstream of everything touched, and copies of the figures of all nodes.
   */
  createUpdated(graph: PowerGraph, touched: Iterable<number>): UpdatedFigures {
    const figures = new PowerFigures(graph);
    const { live, downstream, changed } = updateLiveSet({ before: this.#graph, live: this.live, graph }, touched);
    figures.#liveNodes = live;
    const reached = new Set([...touched, ...changed]);
    for (const index of changed) for (const { to } of graph.supplies.listEdges(index)) reached.add(to);
    for (const [basis, earlier] of this.#earlierFailovers) figures.#earlierFailovers.set(basis, earlier);
    for (const [basis, { failover: earlier }] of this.#carriedByBasis) figures.#earlierFailovers.set(basis, earlier);
    const altered = new Set(downstream);
    for (const [basis, before] of this.#loadsByBasis) {
      const after = updateLoads(graph, before, { live, reached: [...reached] }, basis);
      figures.#loadsByBasis.set(basis, after.loads);
      for (const index of after.changed) altered.add(index);
    }
    return { figures, alteredNodes: altered };
  }
}

/** Threshold of the phase loads' spread, in percent of the mean. Source: docs/contract/datacenter-rules.md#power. */
export const PHASE_IMBALANCE_PCT = 20;

/** Load of each phase in watts. */
type LegLoads = Readonly<Record<"A" | "B" | "C", number>>;

/** Returns the node numbers of a device and its outlets. */
export function listDeviceNodes({ indexOf }: PowerGraph, { code, ports = [] }: Device): readonly number[] {
  const outlets = ports.flatMap(({ kind, name }) => {
    const at = indexOf.get(`port:${toPortKey({ deviceCode: code, portName: name })}`);
    return kind === "POWER_OUT" && at !== undefined ? [at] : [];
  });
  const index = indexOf.get(`device:${codeKey(code)}`);
  return index === undefined ? outlets : [index, ...outlets];
}

/** Sums the loads by phase of outlets that record their legs. @param watts loads of the elements, in the same order */
export function sumLegLoads({ nodes }: PowerGraph, elements: readonly number[], watts: readonly number[]): LegLoads {
  const legs = { A: 0, B: 0, C: 0 };
  for (const [at, index] of elements.entries()) {
    const node = nodes[index];
    // A leg is named by the phases of its conductors.
    const conductors = node?.kind === "OUTLET" ? (node.leg ?? "") : "";
    for (const leg of conductors) legs[leg as keyof LegLoads] += (watts[at] ?? 0) / conductors.length;
  }
  return legs;
}

/** Whether the loads of the phases differ by more than the threshold. */
export function areLegLoadsUneven(legs: LegLoads): boolean {
  return computePhaseSpreadPct(legs) > PHASE_IMBALANCE_PCT;
}

/** Returns the spread of the phase loads in percent of their mean. */
export function computePhaseSpreadPct(legs: LegLoads): number {
  const values = Object.values(legs);
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  return mean > 0 ? ((Math.max(...values) - Math.min(...values)) / mean) * 100 : 0;
}

/** Whether required redundancy is met. UNKNOWN: the record proves neither that it is met nor that it is unmet. */
type RedundancyProvision = "MET" | "UNMET" | "UNKNOWN";

/** Whether the supply of a device meets its required redundancy. */
export interface RedundancyVerdict {
  readonly code: string;
  readonly required: Redundancy;
  /** Result if everything that is temporarily off or failed worked. */
  readonly asBuilt: RedundancyProvision;
  readonly now: RedundancyProvision;
}

/** Compares supplies, as built and now, with required redundancy. Source: docs/contract/datacenter-analyses.md#p5. */
export class RedundancyAudit {
  readonly #graph: PowerGraph;
  readonly #killersAsBuilt: KillerSets;
  /** Single losses that turn nodes off in the present state. */
  readonly killersNow: KillerSets;

  constructor(graph: PowerGraph) {
    this.#graph = graph;
    this.#killersAsBuilt = new KillerSets(graph, "AS_BUILT");
    this.killersNow = new KillerSets(graph, "NOW");
  }

  /**
   * Returns verdicts on those devices in service of a rack that require redundancy. A device's own requirement precedes
   * the requirement of its rack, which applies to consumers only.
   * @param rack undefined for devices in no rack
   */
  listVerdicts(rack: Rack | undefined, devices: readonly Device[]): readonly RedundancyVerdict[] {
    return devices.flatMap((device): RedundancyVerdict[] => {
      const index = this.#graph.indexOf.get(`device:${codeKey(device.code)}`) ?? -1;
      const required = this.#findRequirement(rack, index);
      if (required === undefined || required === "NONE") return [];
      return [
        {
          code: device.code,
          required,
          asBuilt: this.#judgeProvision(required, index, this.#killersAsBuilt),
          now: this.#judgeProvision(required, index, this.killersNow),
        },
      ];
    });
  }

  #findRequirement(rack: Rack | undefined, index: number): Redundancy | undefined {
    const node = this.#graph.nodes[index];
    if (node?.kind !== "DEVICE" || node.blocked) return undefined;
    const { device, recorded, unrecorded } = node;
    // A root has no supply, so redundancy does not apply to it.
    if (isPowerKind(device.kind))
      return recorded + unrecorded.length === 0 ? undefined : device.power?.requiredRedundancy;
    if (!isConsumer(node)) return undefined;
    return device.power?.requiredRedundancy ?? rack?.requiredRedundancy;
  }

  /** Returns whether a node meets a requirement. A blade is judged by the supply of its chassis. */
  #judgeProvision(required: Redundancy, index: number, killers: KillerSets): RedundancyProvision {
    const first = this.#graph.inlets.getFirstEdge(index);
    const at = first?.how === "BAY" ? first.from : index;
    const node = this.#graph.nodes[at];
    if (node?.kind !== "DEVICE" || node.recorded === 0) return "UNKNOWN";
    const inlets = killers.listInletKillers(at);
    const unrecorded = node.unrecorded.length;
    const need = node.device.power?.minLiveInlets ?? 1;
    if (required === "N") return killers.findKillers(at) === undefined ? "UNMET" : "MET";
    // One loss always turns off at least one inlet: the loss of that inlet's source.
    const lost = required === "TWO_N" ? Math.max(1, countWorstLostInlets(inlets)) : 1;
    if (inlets.length - lost >= need) return "MET";
    return unrecorded > 0 && inlets.length + unrecorded - lost >= need ? "UNKNOWN" : "UNMET";
  }
}

/** Whether a requirement is not met now or as built. */
export function isRedundancyUnmet({ asBuilt, now }: RedundancyVerdict): boolean {
  return asBuilt === "UNMET" || (asBuilt === "MET" && now !== "MET");
}

/** Whether the record proves neither that a requirement is met nor that it is not. */
export function isRedundancyUnproven(verdict: RedundancyVerdict): boolean {
  return verdict.asBuilt === "UNKNOWN" && !isRedundancyUnmet(verdict);
}

interface SupplyInput {
  readonly power: PowerGraph;
  readonly live: LiveSet;
  readonly rack: Rack | undefined;
  readonly devices: readonly Device[];
  /** Verdicts on the devices that require redundancy. */
  readonly verdicts: readonly RedundancyVerdict[];
}

/**
 * Lists problems of the supply of a rack's devices: redundancy, dead, failed and unrecorded supplies, and as
 * information single-corded devices. Source: docs/contract/datacenter-analyses.md#p5b.
 */
export function listSupplyReasons(input: SupplyInput): readonly HealthReason[] {
  const members = input.devices.map(({ code }) => input.power.indexOf.get(`device:${codeKey(code)}`) ?? -1);
  const consumers = members.filter((index) => isConsumer(input.power.nodes[index]));
  return [
    ...listDeadSupplyReasons(input, consumers),
    ...listRedundancyReasons(input, consumers),
    ...listMemberFailureReasons(input.power, members),
    ...listSingleCordReasons(input, consumers),
    ...listUndocumentedReasons(input, consumers),
  ];
}

function getNodeRef({ nodes }: PowerGraph, index: number): string {
  return nodes[index]?.ref ?? "";
}

/** Lists reasons for consumers whose recorded supply is dead now. */
function listDeadSupplyReasons({ power, live }: SupplyInput, consumers: readonly number[]): readonly HealthReason[] {
  return consumers
    .filter((index) => getSupplyState(power, live, index) === "NO_LIVE_SUPPLY")
    .map((index) => ({ code: "NO_LIVE_SUPPLY", ref: getNodeRef(power, index), health: "FAULT" as const }));
}

function listRedundancyReasons(
  { power, rack, verdicts }: SupplyInput,
  consumers: readonly number[],
): readonly HealthReason[] {
  const refs = new Set(consumers.map((index) => getNodeRef(power, index)));
  const unmet = verdicts.filter(isRedundancyUnmet);
  const unmetConsumers = unmet.filter(({ code }) => refs.has(`device:${code}`));
  const isWholeRack = rack !== undefined && unmetConsumers.length > 0 && unmetConsumers.length === consumers.length;
  const unmetDevices = isWholeRack ? unmet.filter((verdict) => !unmetConsumers.includes(verdict)) : unmet;
  const unknown = verdicts.filter(isRedundancyUnproven);
  return [
    ...(isWholeRack ? [createRackReason(rack, unmetConsumers)] : []),
    ...unmetDevices.map(createUnmetReason),
    ...unknown.map(({ code }) => ({ code: "REDUNDANCY_UNKNOWN", ref: `device:${code}`, health: "WATCH" as const })),
  ];
}

/** Returns one reason for a rack in which no consumer has its required redundancy. */
function createRackReason({ code: rackCode }: Rack, unmet: readonly RedundancyVerdict[]): HealthReason {
  const code = unmet.every(({ required }) => required === "TWO_N") ? "ONE_POWER_PATH" : "REDUNDANCY_UNMET";
  return { code, value: 1, limit: 2, ref: `rack:${rackCode}`, health: "FAULT" };
}

function createUnmetReason({ code, asBuilt }: RedundancyVerdict): HealthReason {
  const health = asBuilt === "UNMET" ? "WATCH" : "FAULT";
  return { code: "REDUNDANCY_UNMET", value: 1, limit: 2, ref: `device:${code}`, health };
}

/** Lists failed devices that supply or contain something in service, which is a fault. */
function listMemberFailureReasons(power: PowerGraph, members: readonly number[]): readonly HealthReason[] {
  return members.flatMap((index): HealthReason[] => {
    const node = power.nodes[index];
    if (node?.kind !== "DEVICE" || node.device.status !== "FAILED") return [];
    const health = isInUse(power, index) ? "FAULT" : "WATCH";
    return [{ code: "DEVICE_FAILED", ref: node.ref, health }];
  });
}

/** Whether equipment in service is plugged into a device or one of its outlets, or is in one of its bays. */
function isInUse({ nodes, supplies }: PowerGraph, index: number): boolean {
  return supplies.listEdges(index).some(({ to }) => {
    if (nodes[to]?.kind !== "OUTLET") return nodes[to]?.blocked === false;
    return supplies
      .listEdges(to)
      .some((edge) => nodes[edge.to]?.kind !== "OUTLET" && nodes[edge.to]?.blocked === false);
  });
}

/** Lists single-corded consumers as information: they meet all requirements but matter to operators of the rack. */
function listSingleCordReasons({ power, rack }: SupplyInput, consumers: readonly number[]): readonly HealthReason[] {
  const single = consumers.filter((index) => isSingleCorded(power, index, rack));
  return listCountedReasons("SINGLE_CORDED", power, single, rack);
}

/** Lists consumers without a recorded supply, which is a problem because their power state is unknown. */
function listUndocumentedReasons({ power, rack }: SupplyInput, consumers: readonly number[]): readonly HealthReason[] {
  const unknown = consumers.filter((index) => isUndocumented(power, index));
  return listCountedReasons("SUPPLY_UNDOCUMENTED", power, unknown, rack).map((reason) => ({
    ...reason,
    health: "WATCH",
  }));
}

function listCountedReasons(
  code: string,
  power: PowerGraph,
  found: readonly number[],
  rack: Rack | undefined,
): readonly HealthReason[] {
  const [first] = found;
  if (first === undefined) return [];
  const ref = found.length === 1 ? getNodeRef(power, first) : `rack:${rack?.code ?? ""}`;
  return [{ code, value: found.length, ref }];
}

function isSingleCorded(power: PowerGraph, index: number, rack: Rack | undefined): boolean {
  const node = power.nodes[index];
  if (node?.kind !== "DEVICE" || isPowerKind(node.device.kind)) return false;
  const required = node.device.power?.requiredRedundancy ?? rack?.requiredRedundancy;
  if (required === "N_PLUS_1" || required === "TWO_N" || power.inlets.getFirstEdge(index)?.how === "BAY") return false;
  return node.recorded + node.unrecorded.length === 1;
}

/** Returns a device's or cooling unit's supply state; undefined if it needs no supply or is not in service. */
export function getSupplyState(graph: PowerGraph, live: LiveSet, index: number): SupplyState | undefined {
  const node = graph.nodes[index];
  if ((node?.kind !== "DEVICE" && node?.kind !== "CRAC") || node.blocked) return undefined;
  if (isUndocumented(graph, index)) return "UNDOCUMENTED";
  if (node.recorded === 0) return undefined;
  return live[index] === 1 ? "LIVE" : "NO_LIVE_SUPPLY";
}

/** Lists names of the inlets of a device or cooling unit without a recorded source. */
export function listUndocumentedInlets({ nodes }: PowerGraph, index: number): readonly string[] {
  const node = nodes[index];
  return node?.kind === "DEVICE" || node?.kind === "CRAC" ? node.unrecorded : [];
}

/** Returns the name of the inlet that a live transfer switch or UPS draws from; undefined for all other nodes. */
export function findActiveInletName(graph: PowerGraph, live: LiveSet, index: number): string | undefined {
  if (live[index] !== 1 || !drawsFromOneInlet(graph.nodes[index])) return undefined;
  return findActiveInlet(graph, live, index)?.inlet;
}

/**
 * Returns the minutes that a UPS battery lasts at a load: its recorded time at rated load, scaled to the load. This
 * underestimates the time below the rated load. Undefined without a recorded time and capacity, or without a load.
 */
export function computeBatteryMinutes(node: PowerNode | undefined, loadW: number): number | undefined {
  if (node?.kind !== "DEVICE" || node.device.kind !== "UPS") return undefined;
  const { runtimeS, capacityW } = node.device.power ?? {};
  if (runtimeS === undefined || capacityW === undefined || loadW <= 0) return undefined;
  return (runtimeS * capacityW) / loadW / 60;
}

const runtimesByGraph = new WeakMap<PowerGraph, readonly number[]>();

/** Returns a graph's distinct recorded battery times in seconds, ascending. Caches the result per graph. */
function listBatteryRuntimes(graph: PowerGraph): readonly number[] {
  return runtimesByGraph.getOrInsertComputed(graph, () => {
    const found = new Set(graph.nodes.flatMap((node) => getBatteryRuntimeS(node) || []));
    return [...found].sort((a, b) => a - b);
  });
}

/**
 * Returns failure options in which only batteries that last at least a duration keep their loads on. Durations that
 * select the same batteries get equal options.
 * @param durationS seconds
 */
export function selectBatteryOptions(
  graph: PowerGraph,
  durationS: number,
): Pick<FailureOptions, "assumeBattery" | "batteryS"> {
  const runtimes = listBatteryRuntimes(graph);
  const least = runtimes.find((runtimeS) => runtimeS >= durationS);
  if (least === undefined) return { assumeBattery: false };
  return { assumeBattery: true, ...(least !== runtimes[0] && { batteryS: least }) };
}

/** Maximum error of a time in seconds, because the order of summing loads changes their rounding. */
const TIME_ROUNDING_S = 1e-6;

/** Computes how long batteries last at the loads that they carry after a failure has cut their supply. */
export class BatteryRideThrough {
  readonly #siteBefore: Omit<SiteState, "options">;
  readonly #options: SiteState["options"];
  /** Failure state with all battery loads kept on. Created for the first failure that cuts a battery's supply. */
  #batteryState: FailureState | undefined;

  constructor({ options: { basis }, ...site }: SiteState) {
    this.#siteBefore = site;
    this.#options = { basis, assumeBattery: true };
  }

  /**
   * Returns the shortest battery time in seconds among UPSes with a recorded capacity that run on battery before
   * anything trips.
   *
   * @param ratedS the shortest time at rated load
   * @param sources nodes that fail together
   * @returns undefined without such a UPS, or without loads
   *
   * Cost: nothing if no supply is lost; otherwise that of a failure, and at first copies of arrays of all nodes.
   */
  computeShortestS(ratedS: number | undefined, sources: readonly number[], isCircular: boolean): number | undefined {
    if (ratedS === undefined || ratedS === 0) return ratedS;
    this.#batteryState ??= new FailureState({ ...this.#siteBefore, options: this.#options });
    const state = this.#batteryState;
    const { graph, live } = state.before;
    state.isCircular = isCircular;
    state.updateLoads(state.spread(sources));
    let shortest: number | undefined;
    for (const index of state.reachedNodes) {
      if (state.countLiveInlets(index) !== 0 || live[index] !== 1 || !state.isKeptByBattery(index)) continue;
      const minutes = computeBatteryMinutes(graph.nodes[index], state.loads.after.watts[index] ?? 0);
      if (minutes !== undefined)
        shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.floor(minutes * 60 + TIME_ROUNDING_S));
    }
    state.restoreState();
    return shortest;
  }
}
