import { NETBOX_TABLES, type TableName } from "./tables.ts";

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
  region: { parent: "region" },
  sitegroup: { parent: "sitegroup" },
  site: { group: "sitegroup" },
  interface: { parent: "interface" },
  coolingfeed: { source: "coolingsource" },
};

/** Returns the table to which a reference field refers; undefined if an import does not read the table. */
export function findTargetTable(table: TableName, field: string): TableName | undefined {
  const target = TARGETS_BY_TABLE[table]?.[field] ?? TABLE_BY_REFERENCE[field] ?? field;
  return target in NETBOX_TABLES ? (target as TableName) : undefined;
}
