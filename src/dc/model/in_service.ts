import type { DeviceStatus } from "./enum_values.ts";

const IN_SERVICE_STATUSES: readonly (DeviceStatus | undefined)[] = ["ACTIVE", "DECOMMISSIONING", undefined];

/** Whether a device is in use: it supplies, draws, emits heat and is counted. Without a status, it is ACTIVE. */
export function isInService({ status }: { readonly status?: DeviceStatus }): boolean {
  return IN_SERVICE_STATUSES.includes(status);
}

const INSTALLED_STATUSES: readonly (DeviceStatus | undefined)[] = [...IN_SERVICE_STATUSES, "OFFLINE", "FAILED"];

/** Whether a device is part of the site as built: in service, or temporarily off or failed. */
export function isInstalled({ status }: { readonly status?: DeviceStatus }): boolean {
  return INSTALLED_STATUSES.includes(status);
}
