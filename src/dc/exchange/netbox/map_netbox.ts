import type { Mapped } from "../item.ts";
import { divideBreakouts, mapCables } from "./cables.ts";
import { circuitNames, mapCircuits } from "./circuits.ts";
import { mapCooling } from "./cooling.ts";
import type { Dataset } from "./dataset.ts";
import { mapDevices, nameDevices } from "./devices.ts";
import { noteDangling, noteMisread } from "./left_out.ts";
import { Mapping } from "./mapping.ts";
import { mapPanels, panelNames } from "./power.ts";
import { mapRacks, nameRacks } from "./racks.ts";
import type { NetboxOptions } from "./where.ts";

/**
 * Maps everything that was read from a NetBox to resources: racks, devices, cooling units and cables, each with its
 * origin. What has no place in the inventory is among the omissions. Equal rows give equal output, in whatever order they
 * were read. Cost: linear in the rows, and their sorting.
 */
export function mapNetbox(data: Dataset, options: NetboxOptions): Mapped {
  data.sort();
  const mapping = new Mapping(data, options);
  for (const [table, id] of data.doubles) mapping.omissions.add("An object whose id came before", `${table}/${id}`, id);
  for (const [kind, count] of data.unread)
    mapping.omissions.addTable("Not part of a datacenter's inventory", kind, count);
  divideBreakouts(mapping);
  nameRacks(mapping);
  nameDevices(mapping, [...panelNames(mapping), ...circuitNames(mapping)]);
  mapRacks(mapping);
  mapDevices(mapping);
  mapPanels(mapping);
  mapCircuits(mapping);
  mapCooling(mapping);
  mapCables(mapping);
  noteMisread(mapping);
  noteDangling(mapping);
  return { items: mapping.items, omissions: mapping.omissions.list };
}
