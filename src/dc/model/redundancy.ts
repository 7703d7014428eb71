import type { Redundancy } from "./enum_values.ts";

/** How something is supplied: by how many inlets, on how many sides, and how many of them it needs. */
export interface Supplied {
  readonly inlets: number;
  readonly sides: number;
  readonly need: number;
}

/** Whether a supply is as redundant as is required. Source: docs/contract/datacenter-rules.md#power. */
export function meetsRedundancy(required: Redundancy, { inlets, sides, need }: Supplied): boolean {
  switch (required) {
    case "N":
      return inlets >= need;
    case "N_PLUS_1":
      return inlets > need;
    case "TWO_N":
      return inlets >= 2 * need && sides >= 2;
    case "NONE":
      return true;
  }
}
