import { computeOutletCapacityW, hasRecordedDraw, isPowerKind } from "#dc/model/draw.ts";
import { isInService, isInstalled } from "#dc/model/in_service.ts";
import { isEnabledInlet } from "#dc/model/power_walk.ts";
import { formatPortReference } from "#dc/model/ref.ts";
import type { Crac, Device, Port } from "#dc/model/resources.ts";
import { computeDeratedKw } from "../cooling/cooling_units.ts";
import type { PowerGraph, PowerNode, SupplyRecord } from "./power_graph.ts";

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
