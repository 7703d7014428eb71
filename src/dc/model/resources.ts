import type { Cable, Crac, Device, FabricLink, Location, Rack as StoredRack } from "#gen/datacenter/v1/models.ts";
import type { DeviceStatus } from "./enum_values.ts";

// Stored resources have the proto's fields in camelCase, with units in the names.
// Enumeration values are text, and times are ISO 8601 in UTC.
// Unknown, empty and false values are absent, so that equal resources are equal text.
// A cable has a < b in the order of `comparePortRefs`; end `a` of a fabric link is the leaf, `b` the spine.
// Both port names of a fabric link are empty if the link is not bound to ports.

export type {
  Cable,
  Crac,
  Device,
  FabricLink,
  Location,
  Placement,
  Port,
  PortMapping,
  PortRef,
  PowerIn,
  PowerOut,
  Reservation,
} from "#gen/datacenter/v1/models.ts";

/** A device without its ports, as lists, racks and floors read it. */
export type DeviceBody = Omit<Device, "ports">;

/** A rack. Its location is optional in this type, so that the rules can report a missing one. */
export interface Rack extends Omit<StoredRack, "location"> {
  readonly location?: Location;
}

/** Types of stored resources by their kind, as references and the change log write it. */
export interface ResourceByKind {
  readonly device: Device;
  readonly rack: Rack;
  readonly crac: Crac;
  readonly cable: Cable;
  readonly fabric_link: FabricLink;
}

export type ResourceKind = keyof ResourceByKind;

const IN_SERVICE_STATUSES: readonly (DeviceStatus | undefined)[] = ["ACTIVE", "DECOMMISSIONING", undefined];

/** Whether a device is in use: it supplies, draws, emits heat and is counted. Without a status, it is ACTIVE. */
export function isInService({ status }: { readonly status?: DeviceStatus }): boolean {
  return IN_SERVICE_STATUSES.includes(status);
}

const INSTALLED_STATUSES: readonly (DeviceStatus | undefined)[] = [...IN_SERVICE_STATUSES, "OFFLINE", "FAILED"];

/** Whether a device is part of the site as built: in service, or temporarily off or failed. */
export function isInstalled({ status }: { readonly status?: DeviceStatus }): boolean {
  return INSTALLED_STATUSES.includes(status);
}
