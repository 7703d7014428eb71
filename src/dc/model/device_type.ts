import type { Airflow, Depth, DeviceKind } from "./enum_values.ts";
import type { Port } from "./resources.ts";

/** A model that devices are built to. */
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

/** The values that a device built to a type takes from it, besides kind, manufacturer and model. */
export function builtFields({ partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports }: DeviceType) {
  return { partNumber, uHeight, depth, airflow, weightKg, maxDrawW, ports };
}
