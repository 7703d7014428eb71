import type { CoolingMethod, Face, LoadBasis, PlacementSpread, Redundancy } from "#dc/model/enum_values.ts";
import type { Ref } from "#dc/model/ref.ts";
import type { Device } from "#dc/model/resources.ts";
import type { PlacementRefusal } from "#gen/datacenter/v1/messages.ts";

/** Network ports that each device needs, all on switches of its rack or row. */
export interface WantedPorts {
  readonly count: number;
  readonly type?: string;
  readonly speedMbps?: number;
}

/** A power inlet of the devices to place. */
export interface WantedInlet {
  readonly name: string;
  readonly type?: string;
}

/** Equal devices that are to be placed. Powers are watts. */
export interface Wanted {
  readonly count: number;
  /** Written for every position, with code, rack, position and sources filled in. */
  readonly template: Omit<Device, "code">;
  readonly uHeight: number;
  readonly face: Face;
  readonly drawW: number;
  readonly airW: number;
  readonly liquidW: number;
  /** Watts by volt-amperes, above 0 and at most 1. */
  readonly powerFactor: number;
  readonly inlets: readonly WantedInlet[];
  /** Live inlets that a device needs to stay on. */
  readonly need: number;
  readonly redundancy: Redundancy;
  readonly ports: readonly WantedPorts[];
  readonly coolingMethod: CoolingMethod;
  readonly tenant?: string;
  readonly basis: LoadBasis;
  readonly scope?: Ref;
  readonly spread: readonly PlacementSpread[];
  /** Share of power, cooling and weight limits that is kept free, 0 to below 1. */
  readonly keep: number;
  /** Whether supplies that are above a limit already may be used. */
  readonly allowExisting: boolean;
  /** ISO 8601 in UTC. */
  readonly now: string;
}

/** Why a rack accepts no device. Clients switch on these values, so they are never renamed. */
export type RefusalReason =
  | "RACK_STATUS"
  | "RACK_TENANT"
  | "NO_SPACE"
  | "WEIGHT_LIMIT"
  | "RACK_POWER"
  | "RACK_COOLING"
  | "AIRFLOW"
  | "COOLING_METHOD"
  | "NO_COOLING_UNIT"
  | "COOLING_CAPACITY"
  | "COOLING_RESERVE"
  | "NO_SUPPLY"
  | "SUPPLY_DEAD"
  | "ONE_SIDE"
  | "SINGLE_CORDED"
  | "NO_OUTLET"
  | "SUPPLY_LIMIT"
  | "SUPPLY_FAILOVER"
  | "PHASE_LIMIT"
  | "NO_SWITCH"
  | "NO_SWITCH_PORT";

/** One reason why a rack takes no device. The value is that with one more device, in the unit of the limit. */
export type Obstacle = Pick<PlacementRefusal, "message" | "value" | "limit"> & {
  readonly reason: RefusalReason;
  readonly ref?: string;
};
