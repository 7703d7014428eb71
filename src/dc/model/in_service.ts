import type { DeviceStatus } from "./enum_values.ts";

const IN_SERVICE: readonly (DeviceStatus | undefined)[] = ["ACTIVE", "DECOMMISSIONING", undefined];

/** Whether a device is in use: it supplies, draws, emits heat and is counted. Without a status, it is ACTIVE. */
export function isInService({ status }: { readonly status?: DeviceStatus }): boolean {
  return IN_SERVICE.includes(status);
}

const INSTALLED: readonly (DeviceStatus | undefined)[] = [...IN_SERVICE, "OFFLINE", "FAILED"];

/** Whether a device is part of the site as built: in service, or temporarily off or failed. */
export function isInstalled({ status }: { readonly status?: DeviceStatus }): boolean {
  return INSTALLED.includes(status);
}
