import type { Port } from "./resources.ts";

/** The network ports of a device as far as a new cable is concerned. */
export interface NetworkPorts {
  /** How many there are. */
  readonly count: number;
  /** Ports without a cable that are not marked as connected, in their order. */
  readonly free: readonly Port[];
  /** Names of ports that are divided into channels. */
  readonly divided: readonly string[];
}
