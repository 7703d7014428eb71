import type { DeviceType } from "#gen/datacenter/v1/models.ts";

export type { DeviceType } from "#gen/datacenter/v1/models.ts";

/** Returns the fields that a device of this type inherits, in addition to kind, manufacturer and model. */
export function getInheritedFields({ partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports }: DeviceType) {
  return { partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports };
}
