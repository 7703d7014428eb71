import type { PortKind } from "../../model/enum_values.ts";

/** Target tables of reference fields whose name differs from that of the table. */
const TABLE_BY_REFERENCE: Readonly<Record<string, TableName>> = {
  parent: "location",
  group: "rackgroup",
  type: "moduletype",
  bay: "modulebay",
  installed: "device",
  device_type: "devicetype",
  rack_type: "racktype",
  panel: "powerpanel",
  power_port: "powerport",
  rear_port: "rearport",
  lag: "interface",
  virtual_chassis: "virtualchassis",
  provider_network: "providernetwork",
  mac: "macaddress",
};
const TARGETS_BY_TABLE: Readonly<Partial<Record<TableName, Readonly<Record<string, TableName>>>>> = {
  rack: { role: "rackrole" },
  device: { role: "devicerole" },
  site: { group: "sitegroup" },
  interface: { parent: "interface" },
  coolingfeed: { source: "coolingsource" },
};

/** Returns the table to which a reference field refers; undefined if an import does not read the table. */
export function findTargetTable(table: TableName, field: string): TableName | undefined {
  const target = TARGETS_BY_TABLE[table]?.[field] ?? TABLE_BY_REFERENCE[field] ?? field;
  return target in NETBOX_TABLES ? (target as TableName) : undefined;
}

const COMPONENT_FIELDS = {
  device: "ref",
  name: "text",
  label: "text",
  type: "choice",
  "marked|mark_connected": "flag",
} as const;

/** Query parameter that limits a list to a site. */
const SITE_FILTER = { siteParameter: "site" } as const;

const COMPONENT_TABLES = {
  interface: {
    path: "dcim/interfaces",
    ...SITE_FILTER,
    fields: {
      ...COMPONENT_FIELDS,
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
    fields: { ...COMPONENT_FIELDS, positions: "number" },
  },
  consoleport: {
    path: "dcim/console-ports",
    ...SITE_FILTER,
    fields: COMPONENT_FIELDS,
  },
  consoleserverport: {
    path: "dcim/console-server-ports",
    ...SITE_FILTER,
    fields: COMPONENT_FIELDS,
  },
  powerport: {
    path: "dcim/power-ports",
    ...SITE_FILTER,
    fields: { ...COMPONENT_FIELDS, maximum_draw: "number", allocated_draw: "number" },
  },
  poweroutlet: {
    path: "dcim/power-outlets",
    ...SITE_FILTER,
    fields: {
      ...COMPONENT_FIELDS,
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

const DESCRIPTION_FIELDS = {
  description: "text",
  comments: "text",
  tags: "tags",
  "custom|custom_fields|custom_field_data": "map",
} as const;
/** Fields of a rack and of a rack type. */
const RACK_BUILD_FIELDS = {
  "form_factor|type": "choice",
  width: "number",
  u_height: "number",
  starting_unit: "number",
  desc_units: "flag",
  mounting_depth: "number",
  outer_height: "number",
  outer_unit: "choice",
  weight: "number",
  max_weight: "number",
  weight_unit: "choice",
  cooling_capability: "choice",
  cooling_capacity: "number",
} as const;

/**
 * The tables of NetBox 3.0 to 4.7 that an import reads. A row has no cells for fields that its version lacks. Other
 * tables, such as addresses and virtual machines, are not part of a datacenter's inventory.
 */
export const NETBOX_TABLES = {
  region: { path: "dcim/regions", fields: { name: "text", slug: "text" } },
  sitegroup: { path: "dcim/site-groups", fields: { name: "text", slug: "text" } },
  site: {
    path: "dcim/sites",
    siteParameter: "slug",
    fields: { name: "text", slug: "text", region: "ref", group: "ref", status: "choice" },
  },
  location: {
    path: "dcim/locations",
    ...SITE_FILTER,
    fields: { name: "text", slug: "text", parent: "ref", site: "ref" },
  },
  rackrole: { path: "dcim/rack-roles", fields: { name: "text", slug: "text" } },
  rackgroup: {
    path: "dcim/rack-groups",
    ...SITE_FILTER,
    fields: { name: "text", slug: "text", site: "ref" },
  },
  racktype: {
    path: "dcim/rack-types",
    fields: { manufacturer: "ref", model: "text", ...RACK_BUILD_FIELDS },
  },
  rack: {
    path: "dcim/racks",
    ...SITE_FILTER,
    fields: {
      name: "text",
      facility_id: "text",
      site: "ref",
      location: "ref",
      "group|rack_group": "ref",
      tenant: "ref",
      status: "choice",
      role: "ref",
      serial: "text",
      asset_tag: "text",
      rack_type: "ref",
      ...RACK_BUILD_FIELDS,
      outer_width: "number",
      outer_depth: "number",
      airflow: "choice",
      ...DESCRIPTION_FIELDS,
    },
  },
  rackreservation: {
    path: "dcim/rack-reservations",
    ...SITE_FILTER,
    fields: { rack: "ref", units: "numbers", tenant: "ref", user: "text", status: "choice", description: "text" },
  },
  manufacturer: { path: "dcim/manufacturers", fields: { name: "text", slug: "text" } },
  devicetype: {
    path: "dcim/device-types",
    fields: {
      manufacturer: "ref",
      model: "text",
      slug: "text",
      part_number: "text",
      u_height: "number",
      is_full_depth: "flag",
      subdevice_role: "choice",
      airflow: "choice",
      cooling_method: "choice",
      weight: "number",
      weight_unit: "choice",
    },
  },
  devicerole: { path: "dcim/device-roles", fields: { name: "text", slug: "text" } },
  platform: { path: "dcim/platforms", fields: { name: "text" } },
  tenant: { path: "tenancy/tenants", fields: { name: "text", slug: "text" } },
  virtualchassis: { path: "dcim/virtual-chassis", fields: { name: "text" } },
  device: {
    path: "dcim/devices",
    ...SITE_FILTER,
    fields: {
      name: "text",
      device_type: "ref",
      "role|device_role": "ref",
      tenant: "ref",
      platform: "ref",
      serial: "text",
      asset_tag: "text",
      site: "ref",
      location: "ref",
      rack: "ref",
      position: "number",
      face: "choice",
      status: "choice",
      airflow: "choice",
      cooling_method: "choice",
      virtual_chassis: "ref",
      vc_position: "number",
      ...DESCRIPTION_FIELDS,
    },
  },
  moduletype: { path: "dcim/module-types", fields: { manufacturer: "ref", model: "text" } },
  modulebay: { path: "dcim/module-bays", ...SITE_FILTER, fields: { device: "ref", name: "text" } },
  module: {
    path: "dcim/modules",
    ...SITE_FILTER,
    fields: {
      device: "ref",
      "bay|module_bay": "ref",
      "type|module_type": "ref",
      serial: "text",
      asset_tag: "text",
      status: "choice",
    },
  },
  devicebay: {
    path: "dcim/device-bays",
    ...SITE_FILTER,
    fields: { device: "ref", name: "text", "installed|installed_device": "ref" },
  },
  inventoryitem: {
    path: "dcim/inventory-items",
    ...SITE_FILTER,
    fields: {
      device: "ref",
      name: "text",
      manufacturer: "ref",
      "part|part_id": "text",
      serial: "text",
      asset_tag: "text",
    },
  },
  ...COMPONENT_TABLES,
  powerpanel: {
    path: "dcim/power-panels",
    ...SITE_FILTER,
    fields: { name: "text", site: "ref", location: "ref", ...DESCRIPTION_FIELDS },
  },
  powerfeed: {
    path: "dcim/power-feeds",
    ...SITE_FILTER,
    fields: {
      name: "text",
      "panel|power_panel": "ref",
      rack: "ref",
      status: "choice",
      type: "choice",
      supply: "choice",
      phase: "choice",
      voltage: "number",
      amperage: "number",
      max_utilization: "number",
      description: "text",
      "marked|mark_connected": "flag",
    },
  },
  provider: { path: "circuits/providers", fields: { name: "text" } },
  providernetwork: { path: "circuits/provider-networks", fields: { name: "text", provider: "ref" } },
  circuit: {
    path: "circuits/circuits",
    fields: { cid: "text", provider: "ref", status: "choice", description: "text" },
  },
  circuittermination: {
    path: "circuits/circuit-terminations",
    fields: {
      circuit: "ref",
      "side|term_side": "text",
      site: "ref",
      provider_network: "ref",
      "termination|termination_id": "text",
      termination_type: "text",
    },
  },
  cable: {
    path: "dcim/cables",
    ...SITE_FILTER,
    fields: {
      type: "choice",
      status: "choice",
      tenant: "ref",
      label: "text",
      color: "text",
      length: "number",
      length_unit: "choice",
      "a|a_terminations": "ends",
      "b|b_terminations": "ends",
      // Up to NetBox 3.2 a cable has two ends.
      "a_type|termination_a_type": "text",
      "a_id|termination_a_id": "text",
      "b_type|termination_b_type": "text",
      "b_id|termination_b_id": "text",
      ...DESCRIPTION_FIELDS,
    },
  },
  coolingsource: {
    path: "dcim/cooling-sources",
    ...SITE_FILTER,
    fields: {
      name: "text",
      site: "ref",
      location: "ref",
      type: "choice",
      status: "choice",
      cooling_capacity: "number",
      fluid_type: "choice",
      ...DESCRIPTION_FIELDS,
    },
  },
  coolingfeed: {
    path: "dcim/cooling-feeds",
    ...SITE_FILTER,
    fields: { "source|cooling_source": "ref", rack: "ref", status: "choice" },
  },
  cabletermination: {
    path: "dcim/cable-terminations",
    fields: {
      cable: "ref",
      "end|cable_end": "text",
      "type|termination_type": "text",
      "object|termination_id": "text",
      connector: "number",
    },
  },
} as const satisfies Readonly<Record<string, TableSchema>>;

export type TableName = keyof typeof NETBOX_TABLES;
export const TABLE_NAMES = Object.keys(NETBOX_TABLES) as readonly TableName[];

/** Tables that only dumps contain, because REST lists nest their rows in other objects. */
export const DUMP_ONLY_TABLES: readonly TableName[] = ["cabletermination", "portmapping"];
/** Tables that only some versions have. A server may lack them without an error. */
export const OPTIONAL_TABLES: readonly TableName[] = [
  "rackgroup",
  "coolingsource",
  "coolingfeed",
  "racktype",
  "macaddress",
  "modulebay",
  "module",
  "moduletype",
  "sitegroup",
  "location",
];
