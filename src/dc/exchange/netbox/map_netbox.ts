import type { MappedSource } from "../item.ts";
import { mapCables, recordBreakoutChannels } from "./cables.ts";
import { listCircuitNames, mapCircuits } from "./circuits.ts";
import { mapCooling } from "./cooling.ts";
import type { NetboxDataset } from "./dataset.ts";
import { assignDeviceCodes, mapDevices } from "./devices.ts";
import { noteDanglingReferences, noteMisreadValues } from "./left_out.ts";
import { NetboxMapping } from "./mapping.ts";
import { listPanelNames, mapPowerPanels } from "./power.ts";
import { assignRackCodes, mapRacks } from "./racks.ts";
import type { NetboxOptions } from "./where.ts";

/** The versions of NetBox that are read. */
export const OLDEST_NETBOX = "3.0";
export const NEWEST_NETBOX = "4.7";

/** Compares versions such as 4.7 and 4.10. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** Result of the mapping for each kind of NetBox object, as documents state it. */
export const NETBOX_MAPPINGS: Readonly<Record<string, string>> = {
  Site: "`site_id`: its slug",
  Location:
    "`Floor 2`, `Level -1`, `Basement`: the floor (0 without one). `Row 3`, `Aisle 3`: the row. Others: the room; nested rooms join with `-`",
  Rack: "Rack, with the measures of its rack type, weight in kg, lengths in mm. A rack group is its row",
  "Rack reservation": "Reservation, without units that a device occupies",
  Device: "Device, with manufacturer, model, height, depth, weight and airflow of its type",
  "Device role":
    "Role. The kind comes from words in it (`Access Switch`: SWITCH), else from the ports, else from the model",
  "Device bay": "A blade is in the `bay` of its chassis",
  "Module, inventory item": "A line in the comments; ports of modules are the device's",
  "Virtual chassis, platform": "Labels `virtual_chassis`, `virtual_chassis_position`, `platform`",
  "Interface, console ports, power port, power outlet":
    "Port. Outlets keep `power_port` as `inlet_name`, and `feed_leg`",
  "Front and rear port": "Ports with mappings and positions",
  "Power panel": "Device of kind RPP",
  "Power feed":
    "Outlet of its panel, with feed id `<panel>.<feed>`, phase, voltage, amperes and maximum utilization. A feed that is not active supplies nothing. Its type, primary or redundant, is the label `feed_type` of the panel, and the panel's side where the panels of a site have both types and no rack has two panels of one",
  Cable: "Cable. Lengths in metres",
  "Cable with several ends": "One cable per position. One interface to several: a channel of the interface for each",
  "Circuit with a cable":
    "A device with role `circuit`: one port if it leads to a provider network, else a pair of joined ports A and Z",
  "Cooling source (4.7) of type CRAC or CRAH":
    "Cooling unit with its fluid. It serves the racks that its cooling feeds name, else its room",
  "Cooling method, cooling capability and capacity (4.7)": "The same of devices and racks",
  "Interface with a parent and a channel (4.7)": "Channel of the parent, which takes the lane of a breakout cable",
  "Tenant, tags": "Tenant, tags",
  "Custom field `x`": "Label `cf.x`",
  "Region, site group, site name, rack type, outer width and depth": "Labels of the rack",
};

/**
 * Maps all rows of a NetBox to resources: racks, devices, cooling units and cables, each with its origin. The omissions
 * list what the inventory cannot store. Equal rows give equal output, regardless of the order in which they were read.
 * Cost: linear in the rows, and their sorting.
 */
export function mapNetbox(data: NetboxDataset, options: NetboxOptions): MappedSource {
  data.sort();
  const mapping = new NetboxMapping(data, options);
  for (const [table, id] of data.duplicateIds)
    mapping.omissions.addObject("An object whose id came before", `${table}/${id}`, id);
  for (const [kind, count] of data.unreadCounts)
    mapping.omissions.addTable("Not part of a datacenter's inventory", kind, count);
  if (data.version !== undefined && compareVersions(data.version, NEWEST_NETBOX) > 0)
    mapping.omissions.addObject(
      `A NetBox newer than ${NEWEST_NETBOX}: what it adds is not read`,
      `NetBox ${data.version}`,
      `NetBox ${data.version}`,
    );
  for (const [field, { count, near }] of data.unreadFields) {
    if (near === undefined) mapping.omissions.addTable("A field that is not read", field, count);
    else mapping.omissions.addObject("A field that is not read, but is near to one that is", field, field, near);
  }
  recordBreakoutChannels(mapping);
  assignRackCodes(mapping);
  assignDeviceCodes(mapping, [...listPanelNames(mapping), ...listCircuitNames(mapping)]);
  mapRacks(mapping);
  mapDevices(mapping);
  mapPowerPanels(mapping);
  mapCircuits(mapping);
  mapCooling(mapping);
  mapCables(mapping);
  noteMisreadValues(mapping);
  noteDanglingReferences(mapping);
  return { items: mapping.items, omissions: mapping.omissions.omissions };
}
