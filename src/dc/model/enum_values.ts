import { POWER_KINDS } from "./power_kinds.ts";

/** Values of every enumeration in a stored resource or an analysis result: the proto values without their prefix. */

export const DEVICE_KINDS = [
  "SERVER",
  "STORAGE",
  "SWITCH",
  "ROUTER",
  "FIREWALL",
  "LOAD_BALANCER",
  "CHASSIS",
  "BLADE",
  "PATCH_PANEL",
  "CONSOLE_SERVER",
  "KVM",
  "SENSOR",
  "OTHER",
  ...POWER_KINDS,
  "CDU",
] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

export const DEVICE_STATUSES = [
  "ACTIVE",
  "PLANNED",
  "STAGED",
  "OFFLINE",
  "FAILED",
  "DECOMMISSIONING",
  "INVENTORY",
] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export const FACES = ["FRONT", "REAR"] as const;
export type Face = (typeof FACES)[number];

export const DEPTHS = ["FULL", "HALF"] as const;
export type Depth = (typeof DEPTHS)[number];

export const SLOT_WIDTHS = ["FULL", "LEFT", "RIGHT"] as const;
export type SlotWidth = (typeof SLOT_WIDTHS)[number];

export const MOUNTS = ["RAIL", "ZERO_U_LEFT", "ZERO_U_RIGHT", "SHELF", "BAY", "FLOOR", "UNRACKED"] as const;
export type Mount = (typeof MOUNTS)[number];

export const AIRFLOWS = [
  "FRONT_TO_REAR",
  "REAR_TO_FRONT",
  "LEFT_TO_RIGHT",
  "RIGHT_TO_LEFT",
  "SIDE_TO_REAR",
  "REAR_TO_SIDE",
  "BOTTOM_TO_TOP",
  "TOP_TO_BOTTOM",
  "PASSIVE",
  "MIXED",
] as const;
export type Airflow = (typeof AIRFLOWS)[number];

export const COOLING_METHODS = ["AIR", "LIQUID", "HYBRID", "IMMERSION"] as const;
export type CoolingMethod = (typeof COOLING_METHODS)[number];

export const THERMAL_CLASSES = ["A1", "A2", "A3", "A4", "H1"] as const;
export type ThermalClass = (typeof THERMAL_CLASSES)[number];

export const REDUNDANCIES = ["NONE", "N", "N_PLUS_1", "TWO_N"] as const;
export type Redundancy = (typeof REDUNDANCIES)[number];

export const PORT_KINDS = ["NETWORK", "CONSOLE", "CONSOLE_SERVER", "FRONT", "REAR", "POWER_IN", "POWER_OUT"] as const;
export type PortKind = (typeof PORT_KINDS)[number];

export const NET_ROLES = ["UPLINK", "DOWNLINK", "PEER", "HOST", "MGMT"] as const;
export type NetRole = (typeof NET_ROLES)[number];

export const SUPPLIES = ["AC", "DC"] as const;
export type Supply = (typeof SUPPLIES)[number];

export const PHASES = ["SINGLE", "THREE"] as const;
export type Phase = (typeof PHASES)[number];

export const PHASE_LEGS = ["A", "B", "C", "AB", "BC", "CA"] as const;
export type PhaseLeg = (typeof PHASE_LEGS)[number];

export const OUTLET_STATES = ["ENABLED", "DISABLED", "FAULTY"] as const;
export type OutletState = (typeof OUTLET_STATES)[number];

export const RACK_STATUSES = ["ACTIVE", "RESERVED", "AVAILABLE", "PLANNED", "DEPRECATED"] as const;
export type RackStatus = (typeof RACK_STATUSES)[number];

export const FORM_FACTORS = [
  "TWO_POST_FRAME",
  "FOUR_POST_FRAME",
  "FOUR_POST_CABINET",
  "WALL_FRAME",
  "WALL_FRAME_VERTICAL",
  "WALL_CABINET",
  "WALL_CABINET_VERTICAL",
  "OPEN_RACK",
] as const;
export type FormFactor = (typeof FORM_FACTORS)[number];

export const COOLING_CAPABILITIES = ["AIR_ONLY", "HYBRID", "LIQUID_ONLY"] as const;
export type CoolingCapability = (typeof COOLING_CAPABILITIES)[number];

export const RESERVATION_STATUSES = ["PENDING", "ACTIVE", "STALE"] as const;
export type ReservationStatus = (typeof RESERVATION_STATUSES)[number];

export const HEALTHS = ["OK", "WATCH", "FAULT"] as const;
export type Health = (typeof HEALTHS)[number];

export const CRAC_KINDS = ["CRAC", "CRAH", "IN_ROW", "REAR_DOOR", "FAN_WALL", "CDU"] as const;
export type CracKind = (typeof CRAC_KINDS)[number];

export const CRAC_STATUSES = ["ACTIVE", "STANDBY", "MAINTENANCE", "FAILED", "OFFLINE", "PLANNED"] as const;
export type CracStatus = (typeof CRAC_STATUSES)[number];

export const COOLING_MEDIUMS = ["AIR", "LIQUID"] as const;
export type CoolingMedium = (typeof COOLING_MEDIUMS)[number];

export const HEAT_REJECTIONS = ["FACILITY", "AIR"] as const;
export type HeatRejection = (typeof HEAT_REJECTIONS)[number];

export const FLUID_TYPES = ["WATER", "WATER_GLYCOL", "DIELECTRIC", "REFRIGERANT"] as const;
export type FluidType = (typeof FLUID_TYPES)[number];

export const CABLE_TYPES = [
  "CAT3",
  "CAT5",
  "CAT5E",
  "CAT6",
  "CAT6A",
  "CAT7",
  "CAT7A",
  "CAT8",
  "DAC_PASSIVE",
  "DAC_ACTIVE",
  "AOC",
  "COAXIAL",
  "MMF",
  "MMF_OM1",
  "MMF_OM2",
  "MMF_OM3",
  "MMF_OM4",
  "MMF_OM5",
  "SMF",
  "SMF_OS1",
  "SMF_OS2",
  "POWER",
  "CONSOLE",
  "USB",
  "OTHER",
] as const;
export type CableType = (typeof CABLE_TYPES)[number];

export const CABLE_STATUSES = ["CONNECTED", "PLANNED", "DECOMMISSIONING"] as const;
export type CableStatus = (typeof CABLE_STATUSES)[number];

export const LINK_STATUSES = ["UP", "DOWN", "ADMIN_DOWN", "DEGRADED", "PLANNED"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export const PHYSICAL_MATCHES = ["MATCHED", "MISSING", "MISMATCH", "UNKNOWN"] as const;
export type PhysicalMatch = (typeof PHYSICAL_MATCHES)[number];

export const PATH_STATUSES = ["COMPLETE", "OPEN", "SPLIT", "LOOP", "TRUNCATED", "UNCONNECTED"] as const;
export type PathStatus = (typeof PATH_STATUSES)[number];

export const DEVICE_VIEWS = ["BASIC", "FULL"] as const;

export const LOAD_BASES = ["ALLOCATED", "MEASURED", "MAX"] as const;
export type LoadBasis = (typeof LOAD_BASES)[number];

export const SUPPLY_STATES = ["LIVE", "NO_LIVE_SUPPLY", "UNDOCUMENTED"] as const;
export type SupplyState = (typeof SUPPLY_STATES)[number];

export const OUTCOMES = ["CREATED", "UPDATED", "UNCHANGED", "DELETED", "NOT_FOUND", "FAILED", "ABORTED"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const AUDIT_INTERFACES = ["GRPC", "REST", "GRAPHQL", "MCP", "WEBHOOK", "SYSTEM"] as const;
export type AuditInterface = (typeof AUDIT_INTERFACES)[number];

export const AUDIT_ACTIONS = ["CREATE", "UPDATE", "DELETE"] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_SOURCES = ["CORE", "CHANGEFEED", "OUT_OF_BAND"] as const;
export type AuditSource = (typeof AUDIT_SOURCES)[number];
