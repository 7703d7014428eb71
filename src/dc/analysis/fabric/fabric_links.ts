import { codeKey } from "#dc/model/code.ts";
import type { Health } from "#dc/model/enum_values.ts";
import { isInService } from "#dc/model/in_service.ts";
import { formatFabricLinkRef } from "#dc/model/ref.ts";
import type { FabricLink, PortRef } from "#dc/model/resources.ts";
import type { FindDeviceByKey } from "./fabric_tiers.ts";

export interface FabricLinkView {
  readonly link: FabricLink;
  readonly ref: string;
  readonly utilizationPct: number;
  readonly health: Health;
  /** Whether the status is UP or DEGRADED, both ports are enabled and both devices are in service. */
  readonly live: boolean;
  /** Why a port or device keeps the link down; absent if none does. */
  readonly cause?: LinkCause;
}

export interface LinkCause {
  readonly message: string;
  readonly value: string;
  readonly expected: string;
  /** Whether the link is down intentionally: a disabled port, or a device that is not installed yet. */
  readonly isMeant: boolean;
}

export interface LinkLimits {
  /** Utilisation in percent from which a link is congested. */
  readonly congestionPct: number;
  /** Utilisation in percent from which a link is watched. */
  readonly watchPct: number;
}

/** Percentage of a limit from which a load is a fault. Source: docs/contract/datacenter-analyses.md#fabric. */
export const FULL_PCT = 100;

const CARRYING: readonly FabricLink["status"][] = ["UP", "DEGRADED", undefined];
const MEANT: readonly FabricLink["status"][] = ["PLANNED", "ADMIN_DOWN"];
const NOT_YET = ["PLANNED", "STAGED", "INVENTORY"];

/** Determines a link's state from its status, ports and devices; `failed` has keys of devices assumed failed. */
export function createLinkView(
  link: FabricLink,
  { deviceOf, failed }: { readonly deviceOf: FindDeviceByKey; readonly failed: ReadonlySet<string> },
  { congestionPct, watchPct }: LinkLimits,
): FabricLinkView {
  const { a, b, status, capacityMbps = 0, aToBMbps = 0, bToAMbps = 0 } = link;
  // Multiply before dividing, so that 57 of 100 is exactly 57 % and meets a limit of 57.
  const utilizationPct = capacityMbps === 0 ? 0 : (Math.max(aToBMbps, bToAMbps) * 100) / capacityMbps;
  const cause = findLinkCause([a, b], deviceOf, failed);
  const view = { link, ref: formatFabricLinkRef(a, b), utilizationPct };
  if (!CARRYING.includes(status) || cause !== undefined) {
    const isMeant = CARRYING.includes(status) ? cause?.isMeant === true : MEANT.includes(status);
    return { ...view, live: false, health: isMeant ? "WATCH" : "FAULT", ...(cause !== undefined && { cause }) };
  }
  if (utilizationPct >= FULL_PCT) return { ...view, live: true, health: "FAULT" };
  const isTense = utilizationPct >= Math.min(watchPct, congestionPct) || status === "DEGRADED";
  return { ...view, live: true, health: isTense ? "WATCH" : "OK" };
}

const NONE_FAILED: ReadonlySet<string> = new Set();

/** Whether a link can carry traffic according to its state, its ports and its devices. */
export function canCarryTraffic({ a, b, status }: FabricLink, deviceOf: FindDeviceByKey): boolean {
  return CARRYING.includes(status) && findLinkCause([a, b], deviceOf, NONE_FAILED) === undefined;
}

function findLinkCause(
  ends: readonly PortRef[],
  deviceOf: FindDeviceByKey,
  failed: ReadonlySet<string>,
): LinkCause | undefined {
  const gone = ends.map(({ deviceCode }) => deviceCode).filter((code) => failed.has(codeKey(code)));
  if (gone.length > 0) {
    const names = gone.map((code) => `"${code}"`).join(" and ");
    const message = `The link carries no traffic: ${names} ${gone.length === 1 ? "is" : "are"} taken as failed`;
    return { message, value: `failed: ${gone.join(", ")}`, expected: "both ends working", isMeant: false };
  }
  for (const { deviceCode, portName } of ends) {
    const device = deviceOf(codeKey(deviceCode));
    if (device === undefined) continue;
    const { status = "ACTIVE", ports = [] } = device;
    if (!isInService(device)) {
      const message = `The link carries no traffic: "${deviceCode}" is not in service`;
      return { message, value: status, expected: "ACTIVE", isMeant: NOT_YET.includes(status) };
    }
    if (ports.find(({ name }) => name === portName)?.enabled === false) {
      const message = `The link carries no traffic: port "${deviceCode}/${portName}" is disabled`;
      return { message, value: "disabled", expected: "enabled", isMeant: true };
    }
  }
  return undefined;
}
