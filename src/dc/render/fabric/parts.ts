import type { BundleState } from "./bundles.ts";
import type { FabricUnit, LinkBundle } from "./picture.ts";
import type { UnitState } from "./units.ts";

export interface DrawnUnit extends FabricUnit {
  readonly tally: UnitState;
  readonly tip: string;
}

export interface DrawnBundle extends LinkBundle {
  readonly state: BundleState;
  /** Reference of the only link; made of both units' ids if the bundle has several links or no link. */
  readonly ref: string;
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly tip: string;
}

export interface DrawnFabric {
  readonly units: readonly DrawnUnit[];
  readonly bundles: readonly DrawnBundle[];
}
