import type { PortKind } from "#dc/model/enum_values.ts";

const COMPONENT_FIELDS = {
  device: "ref",
  name: "text",
  label: "text",
  description: "text",
  type: "choice",
  marked: "flag",
} as const;

/** Query parameter that limits a list to a site. */
export const SITE_FILTER = { siteParameter: "site" } as const;

export const COMPONENT_TABLES = {
  interface: {
    path: "dcim/interfaces",
    ...SITE_FILTER,
    fields: {
      ...COMPONENT_FIELDS,
      "marked|mark_connected": "flag",
      enabled: "flag",
      mgmt_only: "flag",
      speed: "number",
      mac_address: "text",
      "mac|primary_mac_address": "ref",
      lag: "ref",
      parent: "ref",
      channel_id: "number",
    },
  },
  macaddress: { path: "dcim/mac-addresses", fields: { mac_address: "text" } },
  frontport: {
    path: "dcim/front-ports",
    ...SITE_FILTER,
    fields: {
      ...COMPONENT_FIELDS,
      "marked|mark_connected": "flag",
      rear_port: "ref",
      rear_port_position: "number",
      positions: "number",
      "lanes|rear_ports": "lanes",
    },
  },
  portmapping: {
    path: "dcim/port-mappings",
    fields: { front_port: "ref", front_port_position: "number", rear_port: "ref", rear_port_position: "number" },
  },
  rearport: {
    path: "dcim/rear-ports",
    ...SITE_FILTER,
    fields: { ...COMPONENT_FIELDS, "marked|mark_connected": "flag", positions: "number" },
  },
  consoleport: {
    path: "dcim/console-ports",
    ...SITE_FILTER,
    fields: { ...COMPONENT_FIELDS, "marked|mark_connected": "flag", speed: "number" },
  },
  consoleserverport: {
    path: "dcim/console-server-ports",
    ...SITE_FILTER,
    fields: { ...COMPONENT_FIELDS, "marked|mark_connected": "flag", speed: "number" },
  },
  powerport: {
    path: "dcim/power-ports",
    ...SITE_FILTER,
    fields: { ...COMPONENT_FIELDS, "marked|mark_connected": "flag", maximum_draw: "number", allocated_draw: "number" },
  },
  poweroutlet: {
    path: "dcim/power-outlets",
    ...SITE_FILTER,
    fields: {
      ...COMPONENT_FIELDS,
      "marked|mark_connected": "flag",
      power_port: "ref",
      feed_leg: "choice",
      status: "choice",
    },
  },
} as const satisfies Readonly<Record<string, TableSchema>>;

/** Tables of ports in the order of naming, with their lists in files and the words that distinguish equal names. */
export const PORT_TABLES = [
  { table: "interface", list: "interfaces", kind: "NETWORK", word: "interface" },
  { table: "frontport", list: "front-ports", kind: "FRONT", word: "front" },
  { table: "rearport", list: "rear-ports", kind: "REAR", word: "rear" },
  { table: "consoleport", list: "console-ports", kind: "CONSOLE", word: "console" },
  { table: "consoleserverport", list: "console-server-ports", kind: "CONSOLE_SERVER", word: "console server" },
  { table: "powerport", list: "power-ports", kind: "POWER_IN", word: "power in" },
  { table: "poweroutlet", list: "power-outlets", kind: "POWER_OUT", word: "power out" },
] as const satisfies readonly {
  readonly table: keyof typeof COMPONENT_TABLES;
  readonly list: string;
  readonly kind: PortKind;
  readonly word: string;
}[];

export function isPortTable(name: string): boolean {
  return PORT_TABLES.some(({ table }) => table === name);
}

/** Type of a field of a NetBox object, which selects its reader. */
export type FieldKind = "text" | "number" | "flag" | "ref" | "choice" | "tags" | "map" | "numbers" | "ends" | "lanes";

/** One kind of NetBox object: its REST list, and the fields that the mapping reads. */
export interface TableSchema {
  /** Path of the REST list below `/api/`. */
  readonly path: string;
  /** Parameter that limits the REST list to sites; absent if the list has no such parameter. */
  readonly siteParameter?: string;
  /** Kind of each field by its name. A bar separates this name from names that some NetBox versions use instead. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}
