import type { Port } from "./resources.ts";

/** Summary of a device's network ports for planning a new cable. */
export interface NetworkPorts {
  readonly count: number;
  /** Ports that have no cable and are not marked as connected, in port order. */
  readonly free: readonly Port[];
  /** Names of ports that are divided into channels. */
  readonly divided: readonly string[];
}
