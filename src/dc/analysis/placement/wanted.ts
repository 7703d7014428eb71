import type { CoolingMethod, Face, LoadBasis, PlacementSpread, Redundancy } from "#dc/model/enum_values.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PlacementRefusal } from "#gen/datacenter/v1/messages.ts";

/** Network ports that each device needs, all of them on switches in its rack or row. */
export interface RequestedPorts {
  readonly count: number;
  readonly type?: string;
  readonly speedMbps?: number;
}

/** A power inlet of the devices to place. */
export interface RequestedInlet {
  readonly name: string;
  readonly type?: string;
}

/** Equal devices to place. Powers are in watts. */
export interface PlacementRequest {
  readonly count: number;
  /** Device record that is written for every position, with code, rack, position and sources filled in. */
  readonly template: Omit<Device, "code">;
  readonly uHeight: number;
  readonly face: Face;
  readonly drawW: number;
  readonly airW: number;
  readonly liquidW: number;
  /** Watts divided by volt-amperes, above 0 and at most 1. */
  readonly powerFactor: number;
  readonly inlets: readonly RequestedInlet[];
  /** Number of live inlets that a device requires to stay on. */
  readonly need: number;
  readonly redundancy: Redundancy;
  readonly ports: readonly RequestedPorts[];
  readonly coolingMethod: CoolingMethod;
  readonly tenant?: string;
  readonly basis: LoadBasis;
  readonly scope?: Ref;
  readonly spread: readonly PlacementSpread[];
  /** Share of power, cooling and weight limits to keep free, from 0 to below 1. */
  readonly keep: number;
  /** Whether supplies that already exceed a limit may be used. */
  readonly allowExisting: boolean;
  /** Time of the request, ISO 8601 in UTC. */
  readonly now: string;
}

/** Rules that a rack must satisfy, by refusal reason. Clients switch on the reasons, so they are never renamed. */
export const REFUSAL_RULES = {
  RACK_STATUS: "The rack is ACTIVE or AVAILABLE",
  RACK_TENANT: "The rack belongs to no other tenant",
  NO_SPACE: "Free adjacent units on the wanted side; units reserved for others are not free",
  WEIGHT_LIMIT: "Recorded weight below 90 % of what the rack may hold",
  RACK_POWER: "Draw within the rack's power capacity",
  RACK_COOLING: "Air heat within the rack's cooling capacity",
  AIRFLOW: "The rack's airflow suits the device",
  COOLING_METHOD: "The rack's cooling suits the device",
  NO_COOLING_UNIT: "Cooling units serve the rack",
  COOLING_CAPACITY: "The cooling units carry the heat",
  COOLING_RESERVE: "The cooling units keep the reserve of one unit if they have it",
  NO_SUPPLY: "The rack has PDUs",
  SUPPLY_DEAD: "The PDUs give power now",
  ONE_SIDE:
    "Two inlets or more are on two sides; with TWO_N no single failure takes both. The stricter demand of device and rack counts",
  SINGLE_CORDED: "Two inlets or more if device or rack demand redundancy",
  NO_OUTLET: "A free outlet for every inlet that takes its plug and carries it",
  SUPPLY_LIMIT: "Everything upstream stays within its long-term limit with all sides live",
  SUPPLY_FAILOVER: "Everything upstream stays within 100 % after the worst single failure",
  PHASE_LIMIT: "Each phase stays within both of these limits",
  NO_SWITCH: "The rack has switches, or its row if the rack has none",
  NO_SWITCH_PORT: "Free ports of the wanted kinds on these switches",
} as const;

export type RefusalReason = keyof typeof REFUSAL_RULES;

/** One reason why a rack accepts no device. `value` is the amount with one more device, in the unit of `limit`. */
export type PlacementObstacle = Pick<PlacementRefusal, "message" | "value" | "limit"> & {
  readonly reason: RefusalReason;
  readonly ref?: string;
};
