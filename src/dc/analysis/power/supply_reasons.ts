import { codeKey } from "#dc/model/code.ts";
import { isPowerKind } from "#dc/model/draw.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import type { HealthReason } from "../racks/rack_health.ts";
import type { PowerGraph } from "./power_graph.ts";
import type { LiveSet } from "./power_live.ts";
import { isConsumer, isUndocumented } from "./power_nodes.ts";
import { isRedundancyUnmet, isRedundancyUnproven, type RedundancyVerdict } from "./redundancy_audit.ts";
import { getSupplyState } from "./supply_state.ts";

export interface SupplyInput {
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
