import type { Cable, Crac, Device, FabricLink, Port, Rack } from "./resources.ts";

/** Input of the analyses. Each list is sorted by key. */
export interface Inventory {
  readonly racks: readonly Rack[];
  readonly devices: readonly Device[];
  readonly cracs: readonly Crac[];
  readonly cables: readonly Cable[];
  readonly fabricLinks: readonly FabricLink[];
}

/** Summary of a device's network ports for planning a new cable. */
export interface NetworkPortSummary {
  readonly count: number;
  /** Ports that have no cable and are not marked as connected, in port order. */
  readonly free: readonly Port[];
  /** Names of ports that are divided into channels. */
  readonly divided: readonly string[];
}
