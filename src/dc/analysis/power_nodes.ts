import { outletCapacityW } from "#dc/model/draw.ts";
import { portRef } from "#dc/model/ref.ts";
import type { Crac, Device, Port } from "#dc/model/resources.ts";
import type { PowerNode } from "./power_graph.ts";

const DEFAULT_UTILIZATION_PCT = 80;
const WORKING_CRACS = ["ACTIVE", "STANDBY", undefined];

export function deviceNode(device: Device): PowerNode {
  const { code, ports = [], power = {}, status } = device;
  const hasInlets = ports.some(({ kind }) => kind === "POWER_IN");
  return {
    kind: "DEVICE",
    device,
    ref: `device:${code}`,
    need: hasInlets ? (power.minLiveInlets ?? 1) : 0,
    blocked: status === "OFFLINE" || status === "FAILED",
    ...(power.capacityW !== undefined && { capacityW: power.capacityW }),
    maxUtilizationPct: power.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
  };
}

export function cracNode(crac: Crac): PowerNode {
  return {
    kind: "CRAC",
    crac,
    ref: `crac:${crac.code}`,
    need: (crac.powerInputs ?? []).length === 0 ? 0 : (crac.minLiveInlets ?? 1),
    blocked: !WORKING_CRACS.includes(crac.status),
    maxUtilizationPct: DEFAULT_UTILIZATION_PCT,
  };
}

export function outletNode({ code }: Device, { name, powerOut = {} }: Port): PowerNode {
  const end = { deviceCode: code, portName: name };
  const { feedId, state } = powerOut;
  const capacityW = outletCapacityW(powerOut);
  return {
    kind: "OUTLET",
    end,
    ref: feedId === undefined ? portRef(end) : `feed:${feedId}`,
    need: 1,
    blocked: state === "DISABLED" || state === "FAULTY",
    ...(capacityW !== undefined && { capacityW }),
    maxUtilizationPct: powerOut.maxUtilizationPct ?? DEFAULT_UTILIZATION_PCT,
  };
}

export function undeclaredFeed(feedId: string): PowerNode {
  return { kind: "FEED", ref: `feed:${feedId}`, need: 0, blocked: false, maxUtilizationPct: DEFAULT_UTILIZATION_PCT };
}

/** The empty place of an element that was removed. */
export const GONE: PowerNode = {
  kind: "FEED",
  ref: "",
  need: 1,
  blocked: true,
  maxUtilizationPct: DEFAULT_UTILIZATION_PCT,
};
