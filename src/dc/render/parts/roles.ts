import { DEVICE_KINDS, type DeviceKind } from "#dc/model/enum_values.ts";
import { colorOf, type RoleToken } from "../palette.ts";
import { wordAt } from "./marks.ts";

/** Kinds whose devices share one family of roles. */
const OF_KIND: Readonly<Partial<Record<DeviceKind, RoleToken>>> = {
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

/** Roles that differ from the default of their kind. */
const OF_ROLE: Readonly<Record<string, RoleToken>> = {
  gpu: "role5",
  storage: "role2",
  leaf: "role3",
  "border-leaf": "role4",
  spine: "role6",
  "super-spine": "role6",
  "mgmt-switch": "role7",
};

interface Typed {
  readonly role: string;
  /** Number of a DeviceKind. */
  readonly kind: number;
}

/** The fill that shows a device's role. */
export function roleToken({ role, kind }: Typed): RoleToken {
  const word = wordAt(DEVICE_KINDS, kind);
  const special = Object.hasOwn(OF_ROLE, role) ? OF_ROLE[role] : undefined;
  return special ?? (word === undefined ? "roleOther" : (OF_KIND[word] ?? "roleOther"));
}

/** The same as RRGGBB in the light theme, for answers. */
export function roleColor(typed: Typed): string {
  return colorOf("LIGHT", roleToken(typed)).slice(1).toUpperCase();
}
