import type { Cable, Crac, Device, FabricLink, Rack } from "./resources.ts";

/** Input of the analyses. Each list is sorted by key. */
export interface Inventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cracs: readonly Crac[];
  readonly cables: readonly Cable[];
  readonly fabricLinks: readonly FabricLink[];
}
