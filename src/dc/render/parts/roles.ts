import { DEVICE_KINDS, type DeviceKind } from "#dc/model/enum_values.ts";
import { type ColorToken, type RoleToken, resolveColor } from "../palette.ts";
import { findEnumValue } from "./marks.ts";

/** Fills by device kind, for devices whose role has no fill. */
const FILL_BY_KIND: Readonly<Partial<Record<DeviceKind, RoleToken>>> = {
  SERVER: "role1",
  BLADE: "role1",
  CHASSIS: "role1",
  STORAGE: "role2",
  SWITCH: "role3",
  ROUTER: "role3",
  FIREWALL: "role4",
  LOAD_BALANCER: "role4",
  PATCH_PANEL: "role8",
  CONSOLE_SERVER: "role7",
  KVM: "role7",
  SENSOR: "role7",
  CDU: "role7",
  UTILITY: "role6",
  GENERATOR: "role6",
  SWITCHGEAR: "role8",
  TRANSFER_SWITCH: "role8",
  UPS: "role4",
  FLOOR_PDU: "role2",
  RPP: "role2",
  BUSWAY: "role2",
};

/** Fills of roles that differ from the fill of their device kind. */
const FILL_BY_ROLE: Readonly<Record<string, RoleToken>> = {
  gpu: "role5",
  storage: "role2",
  leaf: "role3",
  "border-leaf": "role4",
  spine: "role6",
  "super-spine": "role6",
  "mgmt-switch": "role7",
};

interface RoleAndKind {
  readonly role: string;
  /** Number of the DeviceKind. */
  readonly kind: number;
}

/** Returns the fill of a device's role or, if the role has no fill, of its kind. */
export function findRoleFill({ role, kind }: RoleAndKind): RoleToken {
  const word = findEnumValue(DEVICE_KINDS, kind);
  const special = Object.hasOwn(FILL_BY_ROLE, role) ? FILL_BY_ROLE[role] : undefined;
  return special ?? (word === undefined ? "roleOther" : (FILL_BY_KIND[word] ?? "roleOther"));
}

/** Returns the fill of a device's or a cooling unit's status. */
export function findStatusFill(status: string): ColorToken {
  if (status === "ACTIVE") return "okSoft";
  return status === "FAILED" || status === "OFFLINE" ? "faultSoft" : "infoSoft";
}

/** Returns the fill as RRGGBB in the light theme, for replies. */
export function findRoleColor(device: RoleAndKind): string {
  return resolveColor("LIGHT", findRoleFill(device)).slice(1).toUpperCase();
}
