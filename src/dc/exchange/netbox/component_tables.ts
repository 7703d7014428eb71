const COMPONENT = {
  device: "ref",
  name: "text",
  label: "text",
  description: "text",
  type: "choice",
  marked: "flag",
} as const;

/** What lists take to be limited to a site. */
export const SITE = { siteParameter: "site" } as const;

export const COMPONENT_TABLES = {
  interface: {
    path: "dcim/interfaces",
    ...SITE,
    fields: {
      ...COMPONENT,
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
    ...SITE,
    fields: {
      ...COMPONENT,
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
    ...SITE,
    fields: { ...COMPONENT, "marked|mark_connected": "flag", positions: "number" },
  },
  consoleport: {
    path: "dcim/console-ports",
    ...SITE,
    fields: { ...COMPONENT, "marked|mark_connected": "flag", speed: "number" },
  },
  consoleserverport: {
    path: "dcim/console-server-ports",
    ...SITE,
    fields: { ...COMPONENT, "marked|mark_connected": "flag", speed: "number" },
  },
  powerport: {
    path: "dcim/power-ports",
    ...SITE,
    fields: { ...COMPONENT, "marked|mark_connected": "flag", maximum_draw: "number", allocated_draw: "number" },
  },
  poweroutlet: {
    path: "dcim/power-outlets",
    ...SITE,
    fields: { ...COMPONENT, "marked|mark_connected": "flag", power_port: "ref", feed_leg: "choice", status: "choice" },
  },
} as const satisfies Readonly<Record<string, Table>>;

/** How a field of a NetBox object is read. */
export type FieldKind =
  | "text"
  | "number"
  | "flag"
  | "ref"
  | "refs"
  | "choice"
  | "tags"
  | "map"
  | "numbers"
  | "ends"
  | "lanes";

/** One kind of NetBox object: where it is found in each form, and the fields that the mapping reads. */
export interface Table {
  /** Path of the REST list below `/api/`. */
  readonly path: string;
  /** Whether the REST list can be limited to sites, and by which parameter. */
  readonly siteParameter?: string;
  /** Field name here, with the names it had in other versions behind a bar, and how it is read. */
  readonly fields: Readonly<Record<string, FieldKind>>;
}
