import type { Airflow, Depth, DeviceKind } from "./enum_values.ts";
import type { Port } from "./resources.ts";

/** A device model, from which devices are created. */
export interface DeviceType {
  readonly code: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly partNumber?: string;
  readonly kind: DeviceKind;
  readonly uHeight?: number;
  readonly depth?: Depth;
  readonly airflow?: Airflow;
  readonly weightKg?: number;
  readonly maxDrawW?: number;
  readonly ports?: readonly Port[];
  readonly bays?: readonly string[];
  readonly isBlade?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly comments?: string;
}

/** Values that a device of this type inherits besides kind, manufacturer and model. */
export function builtFields({ partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports }: DeviceType) {
  return { partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports };
}
