import type { DeviceType } from "#gen/datacenter/v1/models.ts";

export type { DeviceType } from "#gen/datacenter/v1/models.ts";

/** Values that a device of this type inherits besides kind, manufacturer and model. */
export function builtFields({ partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports }: DeviceType) {
  return { partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports };
}
