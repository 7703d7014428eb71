import { computeOutletCapacityW, hasRecordedDraw, isPowerKind } from "../../model/draw.ts";
import type { PhaseLeg } from "../../model/enum_values.ts";
import { isEnabledInlet } from "../../model/power_walk.ts";
import { formatPortReference } from "../../model/ref.ts";
import { type Crac, type Device, isInService, isInstalled, type Port, type PortRef } from "../../model/resources.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import type { EdgeLists, InletLists, PowerEdges } from "./power_edges.ts";

const DEFAULT_UTILIZATION_PCT = 80;
const WORKING_CRAC_STATUSES = ["ACTIVE", "STANDBY", undefined];

const NO_INLET_NAMES: readonly string[] = [];

/** Returns the supply record of an element whose inlets all have a source. */
function createFullRecord(inlets: number): SupplyRecord {
  return { recorded: inlets, unrecorded: NO_INLET_NAMES };
}

/** Returns how many recorded inlets must be live, assuming that inlets without a recorded source are live. */
function countRequiredInlets({ recorded, unrecorded }: SupplyRecord, minLiveInlets = 1): number {
  return recorded === 0 ? 0 : Math.max(1, minLiveInlets - unrecorded.length);
}

export function createDeviceNode(
  device: Device,
  record: SupplyRecord = createFullRecord((device.ports ?? []).filter(isEnabledInlet).length),
): PowerNode {
  const { code, power = {} } = device;
  return {
    kind: "DEVICE",
    device,
    ref: `device:${code}`,
    recorded: record.recorded,
    unrecorded: record.unrecorded,
    need: countRequiredInlets(record, power.minLiveInlets),
    blocked: !isInService(device),
    absent: !isInstalled(device),
    ...(power.capacityW !== undefined && { capacityW: power.capacityW }),
    maxUtilizationPct: power.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
  };
}

export function createCracNode(
  crac: Crac,
  record: SupplyRecord = createFullRecord(crac.powerInputs?.length ?? 0),
): PowerNode {
  return {
    kind: "CRAC",
    crac,
    ref: `crac:${crac.code}`,
    recorded: record.recorded,
    unrecorded: record.unrecorded,
    need: countRequiredInlets(record, crac.minLiveInlets),
    blocked: !WORKING_CRAC_STATUSES.includes(crac.status),
    absent: crac.status === "PLANNED",
    maxUtilizationPct: DEFAULT_UTILIZATION_PCT,
  };
}

/** Creates the node of an outlet; if `bound`, it requires its device and also one named inlet of the device. */
export function createOutletNode({ code }: Device, { name, powerOut = {} }: Port, bound = false): PowerNode {
  const end = { deviceCode: code, portName: name };
  const { feedId, state, leg, phase } = powerOut;
  const capacityW = computeOutletCapacityW(powerOut);
  return {
    kind: "OUTLET",
    end,
    ref: feedId === undefined ? formatPortReference(end) : `feed:${feedId}`,
    need: bound ? 2 : 1,
    blocked: state === "DISABLED" || state === "FAULTY",
    absent: false,
    isThreePhase: phase === "THREE",
    ...(leg !== undefined && { leg }),
    ...(capacityW !== undefined && { capacityW }),
    maxUtilizationPct: powerOut.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
  };
}

export function createUndeclaredFeed(feedId: string): PowerNode {
  return { ...REMOVED_FIELDS, kind: "FEED", ref: `feed:${feedId}`, need: 0, blocked: false, absent: false };
}

const REMOVED_FIELDS = { need: 1, blocked: true, absent: true, maxUtilizationPct: DEFAULT_UTILIZATION_PCT };

/** Node of a removed element, whose number can be reused. */
export const REMOVED_NODE: PowerNode = { ...REMOVED_FIELDS, kind: "FEED", ref: "" };

/** Whether a node makes volt-amperes differ from watts, or phases from each other. */
export function makesLoadApparent(node: PowerNode | undefined): boolean {
  if (node?.kind === "DEVICE") return (node.device.powerFactor ?? 1) !== 1;
  return node?.kind === "OUTLET" && node.leg !== undefined;
}

/**
 * Whether a node is a consumer: in service, neither power equipment nor a patch panel, with a supply or a draw. A
 * working cooling unit is a consumer.
 */
export function isConsumer(node: PowerNode | undefined): boolean {
  if (node?.kind === "CRAC") return !node.blocked;
  if (node?.kind !== "DEVICE" || node.blocked) return false;
  const { device, recorded, unrecorded } = node;
  if (isPowerKind(device.kind) || device.kind === "PATCH_PANEL") return false;
  return recorded + unrecorded.length > 0 || hasRecordedDraw(device);
}

/** Whether no supply of a consumer is recorded. A blade in a bay counts as its chassis does. */
export function isUndocumented(graph: PowerGraph, index: number): boolean {
  const node = graph.nodes[index];
  if (!isConsumer(node) || (node?.kind !== "DEVICE" && node?.kind !== "CRAC")) return false;
  if (node.recorded === 0) return true;
  const first = graph.inlets.getFirstEdge(index);
  const chassis = first?.how === "BAY" ? graph.nodes[first.from] : undefined;
  return chassis?.kind === "DEVICE" && chassis.recorded === 0;
}

/** Returns the device or cooling unit that a node represents; undefined for outlets and feeds. */
export function getNodeOwner(node: PowerNode | undefined): Device | Crac | undefined {
  return node?.kind === "DEVICE" ? node.device : node?.kind === "CRAC" ? node.crac : undefined;
}

/** Returns the recorded battery time of a device in seconds; undefined if none is recorded. */
export function getBatteryRuntimeS(node: PowerNode | undefined): number | undefined {
  return node?.kind === "DEVICE" ? node.device.power?.runtimeS : undefined;
}

/** Returns the recorded label of the supply side that a device belongs to. */
export function getSupplySideLabel(node: PowerNode | undefined): string | undefined {
  return node?.kind === "DEVICE" ? node.device.power?.powerPath : undefined;
}

/** Returns the cooling capacity of a unit in kilowatts; 0 for other nodes. */
export function getCoolingCapacityKw(node: PowerNode | undefined): number {
  return node?.kind === "CRAC" ? computeDeratedKw(node.crac) : 0;
}

/** Whether a node is listed as a supply: power equipment, a feed, or anything else with a rating. */
export function isListedSupply(node: PowerNode | undefined): boolean {
  if (node === undefined || node.ref === "") return false;
  if (node.capacityW !== undefined || node.ref.startsWith("feed:")) return true;
  return node.kind === "DEVICE" && isPowerKind(node.device.kind);
}

export function isPowerEquipmentNode({ nodes }: PowerGraph, index: number): boolean {
  const node = nodes[index];
  return node?.kind === "DEVICE" && isPowerKind(node.device.kind);
}

/** Returns the numbers of those nodes that are devices, but not power equipment. */
export function selectItDevices({ nodes }: PowerGraph, indexes: Iterable<number>): readonly number[] {
  return [...indexes].filter((index) => {
    const node = nodes[index];
    return node?.kind === "DEVICE" && !isPowerKind(node.device.kind);
  });
}

/** Recorded supply of a device or cooling unit. Disabled inlets are excluded. */
export interface SupplyRecord {
  /** Number of inlets with a recorded source, with or without power; the bay of a blade counts as one inlet. */
  readonly recorded: number;
  /** Names of the inlets without a recorded source. */
  readonly unrecorded: readonly string[];
}

interface NodeBase {
  readonly ref: string;
  /** Number of recorded inlets that must be live for the node to be live; 0 makes it a root. */
  readonly need: number;
  /** Whether the node is dead before anything fails: not in service, or an outlet that is switched off or broken. */
  readonly blocked: boolean;
  /** Whether the node is blocked because it is not installed, rather than temporarily off or broken. */
  readonly absent: boolean;
  readonly capacityW?: number;
  readonly maxUtilizationPct: number;
}

/**
 * A device, a cooling unit, an outlet, or an undeclared feed, which counts as live supply. A feed node without a
 * reference stands for a removed element: it has no edges and no power.
 */
export type PowerNode =
  | (NodeBase & SupplyRecord & { readonly kind: "DEVICE"; readonly device: Device })
  | (NodeBase & SupplyRecord & { readonly kind: "CRAC"; readonly crac: Crac })
  | (NodeBase & {
      readonly kind: "OUTLET";
      readonly end: PortRef;
      readonly isThreePhase: boolean;
      /** Phases between which the outlet's consumers are connected. */
      readonly leg?: PhaseLeg;
    })
  | (NodeBase & { readonly kind: "FEED" });

/** Bits of a node's kind. */
export const NODE_BITS = { OUTLET: 1, DRAWS_FROM_ONE: 2 } as const;

/** Columns of the node properties that each failure reads. They may be longer than the list of nodes. */
export interface NodeColumns {
  readonly need: Uint16Array;
  /** Kind of each node as bits of `NODE_BITS`. */
  readonly kind: Uint8Array;
  /** Load in watts that each node may carry continuously; infinite without a recorded capacity. */
  readonly limitW: Float64Array;
}

/** The power graph of an inventory. Edges are listed at both of their ends; indexes are those of `nodes`. */
export interface PowerGraph {
  readonly nodes: readonly PowerNode[];
  /** Edges by source node, sorted by the code of the consumer's device and its ports; cooling units come last. */
  readonly supplies: EdgeLists;
  /** Edges by consumer node, in the order of the consumer's ports. */
  readonly inlets: InletLists;
  /** Supplies and inlets in columns. */
  readonly edges: PowerEdges;
  readonly columns: NodeColumns;
  /** Node numbers by key: device:<key>, crac:<key>, port:<port key>, feed:<key>. A declared feed is its outlet. */
  readonly indexOf: { get(key: string): number | undefined };
  /** Whether a power factor or a leg is recorded anywhere, so that volt-amperes are not watts. */
  readonly isApparent: boolean;
}

/** Returns the node of a device; -1 for a device that is not in the graph. @param key key of the code of the device */
export function findDeviceNode({ indexOf }: Pick<PowerGraph, "indexOf">, key: string): number {
  return indexOf.get(`device:${key}`) ?? -1;
}

/** Returns nodes and everything downstream of them, nearest first. Cost: O(edges downstream). */
export function collectDownstream({ edges }: Pick<PowerGraph, "edges">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  // A Set also iterates over elements added during the loop, so it serves as the queue.
  const { outAt, outEnd, outEdge, to } = edges;
  for (const index of seen) {
    const end = outEnd[index] as number;
    for (let at = outAt[index] as number; at < end; at += 1) seen.add(to[outEdge[at] as number] as number);
  }
  return seen;
}

/** Returns nodes and everything upstream of them, nearest first. Cost: O(edges upstream). */
export function collectUpstream({ edges }: Pick<PowerGraph, "edges">, nodes: Iterable<number>): Set<number> {
  const seen = new Set(nodes);
  const { inAt, inEnd, from } = edges;
  for (const index of seen) {
    const end = inEnd[index] as number;
    for (let at = inAt[index] as number; at < end; at += 1) seen.add(from[at] as number);
  }
  return seen;
}
