import type { BundleState } from "./bundles.ts";
import type { Bundle, Unit } from "./picture.ts";
import type { UnitState } from "./units.ts";

export interface UnitPart extends Unit {
  readonly tally: UnitState;
  readonly tip: string;
}

export interface BundlePart extends Bundle {
  readonly state: BundleState;
  /** The link when it is one, else made of its two ends. */
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly tip: string;
}

export interface FabricParts {
  readonly units: readonly UnitPart[];
  readonly bundles: readonly BundlePart[];
}
