import { type CracStatus, FLUID_TYPES } from "../../model/enum_values.ts";
import type { Crac, Device, Location, Port } from "../../model/resources.ts";
import { assignCodes, convertToEnumValue } from "../codes.ts";
import { type MappedSource, removeEmptyFields } from "../items.ts";
import { METRES_BY_UNIT, mapCables, recordBreakoutChannels } from "./cables.ts";
import { type NetboxDataset, readNumberCell, readTextCell } from "./dataset.ts";
import { assignDeviceCodes, listPanelNames, mapDevices, mapPowerPanels } from "./devices.ts";
import { assignRackCodes, listKnownCodes, mapRacks } from "./racks.ts";
import type { NetboxRow } from "./read_row.ts";
import {
  type FieldKind,
  findTargetTable,
  isPortTable,
  NETBOX_TABLES,
  TABLE_NAMES,
  type TableName,
  type TableSchema,
} from "./tables.ts";
import { KILOGRAMS_BY_UNIT, MILLIMETRES_BY_UNIT, NetboxMapping, type NetboxOptions } from "./where.ts";

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
  noteUnstoredValues(mapping);
  noteEmptyBays(mapping);
  noteDanglingReferences(mapping);
  return { items: mapping.items, omissions: mapping.omissions.omissions };
}

/** References that are not reported here, because other mapping steps report them or other rows repeat them. */
const REPORTED_ELSEWHERE = [
  "rack.site",
  "powerpanel.site",
  "powerfeed.panel",
  "frontport.rear_port",
  "interface.lag",
  "interface.mac",
];

/** Notes values of a form that no version of NetBox writes. */
function noteMisreadValues(mapping: NetboxMapping): void {
  for (const table of TABLE_NAMES) {
    for (const row of mapping.data.rows(table).values()) {
      for (const field of row.misread ?? [])
        mapping.noteOmission(`A value of ${field} that cannot be read`, table, row);
    }
  }
}

const CRAC_STATUS_BY_NAME: Readonly<Record<string, CracStatus>> = {
  active: "ACTIVE",
  offline: "OFFLINE",
  planned: "PLANNED",
  failed: "FAILED",
};

/** Words that are stored, by table and field, where the inventory has no such field or a default for other words. */
const STORED_WORDS: Readonly<Partial<Record<TableName, Readonly<Record<string, readonly string[]>>>>> = {
  site: { status: ["active"] },
  module: { status: ["active"] },
  coolingfeed: { status: ["active"] },
  coolingsource: { status: Object.keys(CRAC_STATUS_BY_NAME) },
  rackreservation: { status: ["active", "pending", "stale"] },
  devicetype: { subdevice_role: ["parent", "child"] },
  device: { face: ["front", "rear"] },
  circuittermination: { side: ["A", "Z"] },
  powerfeed: { supply: ["ac", "dc"], phase: ["single-phase", "three-phase"] },
};
const WEIGHT_UNITS = ["weight_unit", KILOGRAMS_BY_UNIT] as const;
const OUTER_UNITS = ["outer_unit", MILLIMETRES_BY_UNIT] as const;
const RACK_UNITS = {
  ...{ weight: WEIGHT_UNITS, max_weight: WEIGHT_UNITS },
  ...{ outer_height: OUTER_UNITS, outer_width: OUTER_UNITS, outer_depth: OUTER_UNITS },
};
/** Fields of the units, and the units, by table and measure. A measure without one of them is not stored. */
const STORED_UNITS: Readonly<Partial<Record<TableName, Readonly<Record<string, readonly [string, object]>>>>> = {
  rack: RACK_UNITS,
  racktype: RACK_UNITS,
  devicetype: { weight: WEIGHT_UNITS },
  cable: { length: ["length_unit", METRES_BY_UNIT] },
};

/** Notes words and measures that the tables read and that are not stored. */
function noteUnstoredValues(mapping: NetboxMapping): void {
  for (const table of TABLE_NAMES) {
    for (const row of mapping.data.rows(table).values()) {
      for (const [field, words] of Object.entries(STORED_WORDS[table] ?? {})) {
        const word = readTextCell(row, field);
        if (!["", ...words].includes(word))
          mapping.noteOmission(`A word for ${field} that is none of ours is left out`, table, row, word);
      }
      for (const measure of Object.entries(STORED_UNITS[table] ?? {})) noteUnknownUnit(mapping, table, row, ...measure);
    }
  }
}

/** Notes a measure other than 0 without a known unit, of the row or of its type. */
function noteUnknownUnit(
  mapping: NetboxMapping,
  table: TableName,
  row: NetboxRow,
  field: string,
  [unitField, known]: readonly [string, object],
): void {
  const type = mapping.data.findReferencedRow("racktype", row, "rack_type");
  const unit = readTextCell(row, unitField) || readTextCell(type, unitField);
  const given = readNumberCell(row, field) ?? 0;
  if (given === 0 || Object.hasOwn(known, unit)) return;
  mapping.noteOmission(`The unit of ${field} is missing or none of ours`, table, row, `${given} ${unit}`.trim());
}

/** Counts the bays in which nothing is, for which the inventory has no field. */
function noteEmptyBays({ data, omissions }: NetboxMapping): void {
  const filled = new Set(data.all("module").map((row) => readTextCell(row, "bay")));
  const counts = {
    "module-bays": data.all("modulebay").filter(({ id }) => !filled.has(id)).length,
    "device-bays": data.all("devicebay").filter((row) => readTextCell(row, "installed") === "").length,
  };
  for (const [list, count] of Object.entries(counts)) if (count > 0) omissions.addTable("An empty bay", list, count);
}

/** Notes references to objects that are missing in the source. */
function noteDanglingReferences(mapping: NetboxMapping): void {
  for (const table of TABLE_NAMES)
    for (const reference of listTableReferences(table)) noteMissingTargets(mapping, table, reference);
}

interface TableReference {
  readonly field: string;
  readonly target: TableName;
  /** Whether a field names the owner of a component, without which the component cannot exist. */
  readonly isOwner: boolean;
}

function noteMissingTargets(
  mapping: NetboxMapping,
  table: TableName,
  { field, target, isOwner }: TableReference,
): void {
  const reason = isOwner ? "A port of a device that is not there" : `It names a ${field} that is not there`;
  const there = mapping.data.rows(target);
  for (const row of mapping.data.rows(table).values()) {
    const id = row.cells[field];
    const isNamed = typeof id === "string";
    if (isNamed ? !there.has(id) : isOwner) mapping.noteOmission(reason, table, row, isNamed ? id : undefined);
  }
}

function listTableReferences(table: TableName): readonly TableReference[] {
  const { fields }: TableSchema = NETBOX_TABLES[table];
  return Object.entries<FieldKind>(fields).flatMap(([spelled, kind]) => {
    const field = spelled.split("|")[0] ?? "";
    const target = findTargetTable(table, field);
    if (kind !== "ref" || target === undefined || REPORTED_ELSEWHERE.includes(`${table}.${field}`)) return [];
    return [{ field, target, isOwner: field === "device" && isPortTable(table) }];
  });
}

/**
 * Maps the CRACs and CRAHs among the cooling sources of NetBox 4.7, with the racks that their feeds name. The inventory
 * cannot store other sources.
 */
function mapCooling(mapping: NetboxMapping): void {
  const { data, options, where } = mapping;
  const named = data.all("coolingsource").map((one) => ({
    id: one.id,
    name: readTextCell(one, "name"),
    within: [where.getSiteCode(data.findReferencedRow("site", one, "site"))],
  }));
  const codes = assignCodes(named, listKnownCodes(options.known, "coolingsource/"), options.foreign.crac, "cooling");
  const feeds = data.groupRowsByField("coolingfeed", "source");
  for (const row of data.all("coolingsource")) {
    const kind = convertToEnumValue(["CRAC", "CRAH"], readTextCell(row, "type"));
    const capacity = readNumberCell(row, "cooling_capacity");
    const location = where.findLocation(row);
    const code = codes.get(row.id);
    if (kind === undefined)
      mapping.noteOmission(
        "A cooling source that is neither CRAC nor CRAH",
        "coolingsource",
        row,
        readTextCell(row, "type"),
      );
    else if (capacity === undefined || capacity <= 0)
      mapping.noteOmission("A cooling unit without a capacity", "coolingsource", row);
    else if (location === undefined || code === undefined)
      mapping.noteOmission("A cooling unit names no site that exists", "coolingsource", row);
    else {
      const resource = removeEmptyFields<Crac>({
        code,
        name: mapping.readShortText("coolingsource", row, "name"),
        kind,
        status: CRAC_STATUS_BY_NAME[readTextCell(row, "status")],
        location,
        sensibleCapacityKw: capacity,
        fluid: mapping.readEnumValue(FLUID_TYPES, "coolingsource", row, "fluid_type"),
        serves: listFeedRackRefs(mapping, feeds.get(row.id) ?? []),
        ...mapping.createRemarks("coolingsource", row),
      });
      mapping.items.push({ kind: "crac", id: `coolingsource/${row.id}`, resource });
    }
  }
}

/** Returns references of the racks that feeds name; undefined if none, because the unit then cools its room. */
function listFeedRackRefs({ racks }: NetboxMapping, feeds: readonly NetboxRow[]): readonly string[] | undefined {
  const codes = feeds.map((feed) => racks.get(readTextCell(feed, "rack"))).filter((code) => code !== undefined);
  return codes.length === 0 ? undefined : [...new Set(codes)].map((code) => `rack:${code}`);
}

interface CircuitSide {
  readonly row: NetboxRow;
  readonly name: "A" | "Z";
  /** Whether this side of a circuit ends in the carrier's network instead of at a site. */
  readonly isOutside: boolean;
}

/** Returns names of the circuits with cables, which become devices and need codes. */
function listCircuitNames(mapping: NetboxMapping) {
  return listCabledCircuits(mapping).map((circuit) => ({
    id: `circuit/${circuit.id}`,
    name: readTextCell(circuit, "cid"),
    within: ["circuit", readTextCell(mapping.data.findReferencedRow("provider", circuit, "provider"), "name")],
  }));
}

/**
 * Maps every cabled circuit to a device. A circuit between two sites becomes a pair of joined ports. A circuit to a
 * carrier's network has only the port at the site.
 */
function mapCircuits(mapping: NetboxMapping): void {
  const terminations = mapping.data.groupRowsByField("circuittermination", "circuit");
  const carried = new Set(listCabledCircuits(mapping));
  for (const circuit of mapping.data.all("circuit")) {
    const sides = (terminations.get(circuit.id) ?? []).map(readTerminationSide);
    const location = findCircuitLocation(mapping, sides);
    if (!carried.has(circuit)) mapping.noteOmission("A circuit without a cable", "circuit", circuit);
    else if (location === undefined) mapping.noteOmission("A circuit names no site that exists", "circuit", circuit);
    else mapCircuit(mapping, circuit, sides, location);
  }
}

function mapCircuit(
  mapping: NetboxMapping,
  circuit: NetboxRow,
  sides: readonly CircuitSide[],
  location: Location,
): void {
  const code = mapping.devices.get(`circuit/${circuit.id}`) ?? "";
  const leadsOut = sides.some(({ isOutside }) => isOutside);
  for (const { row, name } of sides) {
    const passive = name === "A" ? "FRONT" : "REAR";
    const place = { deviceCode: code, portName: name, kind: leadsOut ? "NETWORK" : passive } as const;
    mapping.ports.set(`circuittermination/${row.id}`, place);
  }
  const provider = readTextCell(mapping.data.findReferencedRow("provider", circuit, "provider"), "name");
  const status = readTextCell(circuit, "status");
  const ends = sides.filter(({ isOutside }) => !isOutside).map(({ name }): Port => ({ name, kind: "NETWORK" }));
  const resource = removeEmptyFields<Device>({
    code,
    name: mapping.shortenText(`${provider} ${readTextCell(circuit, "cid")}`.trim(), "circuit", circuit, "cid"),
    kind: leadsOut ? "OTHER" : "PATCH_PANEL",
    role: "circuit",
    status: status === "active" || status === "" ? "ACTIVE" : "OFFLINE",
    location,
    ports: leadsOut ? ends : createThroughPorts(),
    ...mapping.createRemarks("circuit", circuit, [
      ["provider", provider],
      ["network", findNetworkName(mapping, sides)],
    ]),
  });
  mapping.items.push({ kind: "device", id: `circuit/${circuit.id}`, resource });
}

function findCircuitLocation(mapping: NetboxMapping, sides: readonly CircuitSide[]): Location | undefined {
  const near = sides.find(({ isOutside }) => !isOutside)?.row;
  return near === undefined ? undefined : (mapping.where.findLocation(near) ?? findTerminationSite(mapping, near));
}

function createThroughPorts(): readonly Port[] {
  return [
    { name: "A", kind: "FRONT", mappings: [{ frontPosition: 1, rearPort: "Z", rearPosition: 1 }] },
    { name: "Z", kind: "REAR" },
  ];
}

/** Returns the circuits with a cable at an end. */
function listCabledCircuits({ data }: NetboxMapping): readonly NetboxRow[] {
  const ended = new Set<string>();
  for (const { a, b } of data.listCableEnds().values()) {
    for (const end of [...a, ...b]) {
      const [table, id = ""] = end.split("/");
      if (table === "circuittermination") ended.add(readTextCell(data.rows("circuittermination").get(id), "circuit"));
    }
  }
  return data.all("circuit").filter(({ id }) => ended.has(id));
}

function readTerminationSide(row: NetboxRow): CircuitSide {
  const type = readTextCell(row, "termination_type");
  const outside = readTextCell(row, "provider_network") !== "" || type.endsWith("providernetwork");
  return { row, name: readTextCell(row, "side").toUpperCase() === "Z" ? "Z" : "A", isOutside: outside };
}

/** Returns the site of a circuit's end. NetBox 4.2 and later identify the end by type and id. */
function findTerminationSite(mapping: NetboxMapping, row: NetboxRow) {
  const type = readTextCell(row, "termination_type");
  const id = readTextCell(row, "termination");
  const field = (["site", "location"] as const).find((table) => type.endsWith(table));
  if (field === undefined || !mapping.data.rows(field).has(id)) return undefined;
  return mapping.where.findLocation({ id: row.id, cells: { [field]: id } });
}

function findNetworkName({ data }: NetboxMapping, sides: readonly CircuitSide[]): string {
  const outside = sides.find((side) => side.isOutside)?.row;
  const named =
    data.findReferencedRow("providernetwork", outside, "provider_network") ??
    data.rows("providernetwork").get(readTextCell(outside, "termination"));
  return readTextCell(named, "name");
}
