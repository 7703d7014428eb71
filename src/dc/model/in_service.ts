import type { DeviceStatus } from "./enum_values.ts";

const IN_SERVICE: readonly (DeviceStatus | undefined)[] = ["ACTIVE", "DECOMMISSIONING", undefined];

/** Whether a device supplies, draws, heats and counts. A device without a status is ACTIVE. */
export function inService({ status }: { readonly status?: DeviceStatus }): boolean {
  return IN_SERVICE.includes(status);
}
