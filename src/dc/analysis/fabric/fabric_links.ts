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
  readonly cause?: DownCause;
}

export interface DownCause {
  readonly message: string;
  readonly value: string;
  readonly expected: string;
  /** Whether the link is down intentionally: a disabled port, or a device that is not installed yet. */
  readonly isIntended: boolean;
}

export interface LinkLimits {
  /** Utilisation in percent from which a link is congested. */
  readonly congestionPct: number;
  /** Utilisation in percent from which a link is watched. */
  readonly watchPct: number;
}

/** Percentage of a limit from which a load is a fault. Source: docs/contract/datacenter-analyses.md#fabric. */
export const FAULT_LOAD_PCT = 100;

const CARRYING_STATUSES: readonly FabricLink["status"][] = ["UP", "DEGRADED", undefined];
const INTENDED_DOWN_STATUSES: readonly FabricLink["status"][] = ["PLANNED", "ADMIN_DOWN"];
const NOT_INSTALLED_STATUSES = ["PLANNED", "STAGED", "INVENTORY"];

/** Determines a link's state from its status, ports and devices; `failed` has keys of devices assumed failed. */
export function createLinkView(
  link: FabricLink,
  { deviceOf, failed }: { readonly deviceOf: FindDeviceByKey; readonly failed: ReadonlySet<string> },
  { congestionPct, watchPct }: LinkLimits,
): FabricLinkView {
  const { a, b, status, capacityMbps = 0, aToBMbps = 0, bToAMbps = 0 } = link;
  // Multiply before dividing, so that 57 of 100 is exactly 57 % and meets a limit of 57.
  const utilizationPct = capacityMbps === 0 ? 0 : (Math.max(aToBMbps, bToAMbps) * 100) / capacityMbps;
  const cause = findDownCause([a, b], deviceOf, failed);
  const view = { link, ref: formatFabricLinkRef(a, b), utilizationPct };
  if (!CARRYING_STATUSES.includes(status) || cause !== undefined) {
    const isMeant = CARRYING_STATUSES.includes(status)
      ? cause?.isIntended === true
      : INTENDED_DOWN_STATUSES.includes(status);
    return { ...view, live: false, health: isMeant ? "WATCH" : "FAULT", ...(cause !== undefined && { cause }) };
  }
  if (utilizationPct >= FAULT_LOAD_PCT) return { ...view, live: true, health: "FAULT" };
  const isTense = utilizationPct >= Math.min(watchPct, congestionPct) || status === "DEGRADED";
  return { ...view, live: true, health: isTense ? "WATCH" : "OK" };
}

const NO_FAILED_KEYS: ReadonlySet<string> = new Set();

/** Whether a link can carry traffic according to its state, its ports and its devices. */
export function canCarryTraffic({ a, b, status }: FabricLink, deviceOf: FindDeviceByKey): boolean {
  return CARRYING_STATUSES.includes(status) && findDownCause([a, b], deviceOf, NO_FAILED_KEYS) === undefined;
}

function findDownCause(
  ends: readonly PortRef[],
  deviceOf: FindDeviceByKey,
  failed: ReadonlySet<string>,
): DownCause | undefined {
  const gone = ends.map(({ deviceCode }) => deviceCode).filter((code) => failed.has(codeKey(code)));
  if (gone.length > 0) {
    const names = gone.map((code) => `"${code}"`).join(" and ");
    const message = `The link carries no traffic: ${names} ${gone.length === 1 ? "is" : "are"} taken as failed`;
    return { message, value: `failed: ${gone.join(", ")}`, expected: "both ends working", isIntended: false };
  }
  for (const { deviceCode, portName } of ends) {
    const device = deviceOf(codeKey(deviceCode));
    if (device === undefined) continue;
    const { status = "ACTIVE", ports = [] } = device;
    if (!isInService(device)) {
      const message = `The link carries no traffic: "${deviceCode}" is not in service`;
      return { message, value: status, expected: "ACTIVE", isIntended: NOT_INSTALLED_STATUSES.includes(status) };
    }
    if (ports.find(({ name }) => name === portName)?.enabled === false) {
      const message = `The link carries no traffic: port "${deviceCode}/${portName}" is disabled`;
      return { message, value: "disabled", expected: "enabled", isIntended: true };
    }
  }
  return undefined;
}
