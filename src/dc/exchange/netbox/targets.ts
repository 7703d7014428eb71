import { TABLES, type TableName } from "./tables.ts";

/** Where a reference leads that is not named after its table; `own` is within the same device. */
const TARGETS: Readonly<Record<string, TableName>> = {
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
const TARGETS_OF: Readonly<Partial<Record<TableName, Readonly<Record<string, TableName>>>>> = {
  rack: { role: "rackrole" },
  device: { role: "devicerole" },
  region: { parent: "region" },
  sitegroup: { parent: "sitegroup" },
  site: { group: "sitegroup" },
  interface: { parent: "interface" },
  coolingfeed: { source: "coolingsource" },
};

/** The table that a reference of a row names, or undefined for one of a table that is not read. */
export function targetOf(table: TableName, field: string): TableName | undefined {
  const target = TARGETS_OF[table]?.[field] ?? TARGETS[field] ?? field;
  return target in TABLES ? (target as TableName) : undefined;
}
