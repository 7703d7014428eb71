import type { Cable, Crac, Device, FabricLink, Rack } from "./resources.ts";

/** Everything that analyses look at, each list in the order of keys. */
export interface Inventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cracs: readonly Crac[];
  readonly cables: readonly Cable[];
  readonly fabricLinks: readonly FabricLink[];
}
