import { expect, test } from "bun:test";
import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import { addDumpedObject, NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import { type FieldKind, NETBOX_TABLES, type TableName, type TableSchema } from "#dc/exchange/netbox/tables.ts";
import { netboxOptions } from "../../../support/dc/netbox/options.ts";

type Rows = Readonly<Partial<Record<TableName, readonly Readonly<Record<string, unknown>>[]>>>;

const SITE = { id: 1, name: "S", slug: "s" };

function mapRows(rows: Rows) {
  const data = new NetboxDataset();
  for (const [table, list] of Object.entries({ site: [SITE], ...rows })) {
    for (const row of list)
      data.addRow(table as TableName, readRow(table as TableName, row["id"], row) ?? { id: "", cells: {} });
  }
  return mapNetbox(data, netboxOptions());
}

/** What is said of the rows: reason, object and value. */
const leftOut = (rows: Rows) => mapRows(rows).omissions.map(({ reason, id, detail }) => [reason, id, detail]);

test("mapNetbox names the references that lead nowhere, with the object and the id that it names", () => {
  const told = leftOut({
    device: [{ id: 1, name: "a", site: 1, device_type: 7, tenant: 8, role: null }],
    powerport: [{ id: 1, device: 1, name: "in" }],
    poweroutlet: [
      { id: 1, device: 1, name: "1", power_port: 1 },
      { id: 2, device: 1, name: "2", power_port: { id: 9, name: "gone" } },
      { id: 3, device: 5, name: "3" },
      { id: 4, name: "4" },
    ],
  });

  expect(told).toEqual([
    ["It names a device_type that is not there", "device/1", "7"],
    ["It names a tenant that is not there", "device/1", "8"],
    ["A port of a device that is not there", "poweroutlet/3", "5"],
    ["A port of a device that is not there", "poweroutlet/4", undefined],
    ["It names a power_port that is not there", "poweroutlet/2", "9"],
  ]);
});

test("mapNetbox names values that it cannot read and words that it does not know, and takes empty ones as absent", () => {
  const told = leftOut({
    rack: [
      { id: 1, name: "R1", site: 1, status: { value: "sold" }, airflow: "sideways", u_height: "tall" },
      { id: 2, name: "R2", site: 1, status: "", airflow: "", u_height: "", serial: null, desc_units: null },
    ],
    device: [{ id: 1, name: "a", site: 1, rack: 1, position: "twelve", face: "front" }],
    poweroutlet: [{ id: 1, device: 1, name: "1", feed_leg: "Q", status: { value: "enabled", label: "Enabled" } }],
    powerpanel: [{ id: 1, name: "P", site: 1 }],
    powerfeed: [{ id: 1, name: "F", power_panel: 1, status: "sold", amperage: 0, max_utilization: 101 }],
  });

  expect(told).toEqual([
    ["A word for status that is none of ours is left out", "rack/1", "sold"],
    ["A word for airflow that is none of ours is left out", "rack/1", "sideways"],
    ["A word for feed_leg that is none of ours is left out", "poweroutlet/1", "Q"],
    ["A feed's amperage is out of range", "powerfeed/1", "0"],
    ["A feed's max_utilization is out of range", "powerfeed/1", "101"],
    ["A status is none of ours: the feed supplies nothing", "powerfeed/1", "sold"],
    ["A value of u_height that cannot be read", "rack/1", undefined],
    ["A value of position that cannot be read", "device/1", undefined],
  ]);
});

const NAMED = { id: 1, name: "One", slug: "one" };
const MEASURES = {
  ...{ form_factor: "4-post-cabinet", width: 19, u_height: 45, starting_unit: 2, desc_units: true, weight: 90 },
  ...{ mounting_depth: 900, outer_height: 2100, outer_unit: "mm", max_weight: 900, weight_unit: "kg" },
  ...{ cooling_capability: "hybrid", cooling_capacity: 10 },
};
const REMARKS = { description: "d", comments: "c", tags: ["t"], custom_fields: { a: "b" } };
const PORT = { id: 1, device: 1, name: "p", label: "l", mark_connected: true };
const BLADE = { name: "blade", device_type: 2, role: 1, site: 1, status: "active" };
/** At least one row of each table, with all fields that the table reads. */
const EVERYTHING = {
  ...{ region: [NAMED], sitegroup: [NAMED], rackrole: [NAMED], manufacturer: [NAMED], tenant: [NAMED] },
  ...{ devicerole: [NAMED], platform: [NAMED], virtualchassis: [NAMED], provider: [NAMED] },
  site: [{ ...SITE, region: 1, group: 1, status: "active" }],
  location: [
    { ...NAMED, id: 2, site: 1 },
    { ...NAMED, site: 1, parent: 2 },
  ],
  rackgroup: [{ ...NAMED, site: 1 }],
  racktype: [{ id: 1, manufacturer: 1, model: "Tall", ...MEASURES }],
  rack: [
    { id: 1, name: "R2", site: 1, status: "active", rack_type: 1, weight_unit: "lb", outer_unit: "in" },
    {
      ...{ id: 2, name: "R1", site: 1, location: 1, group: 1, tenant: 1, role: 1, rack_type: 1, serial: "s" },
      ...{ facility_id: "f", status: "active", asset_tag: "a", airflow: "front-to-rear", ...MEASURES, ...REMARKS },
      ...{ outer_width: 600, outer_depth: 1200 },
    },
  ],
  rackreservation: [
    { id: 1, rack: 2, units: [30], tenant: 1, status: "active", description: "d" },
    { id: 2, rack: 2, units: [32], user: "u" },
  ],
  devicetype: [
    {
      ...{ id: 1, manufacturer: 1, model: "M", slug: "m", part_number: "p", u_height: 2, is_full_depth: false },
      ...{ airflow: "front-to-rear", cooling_method: "liquid", weight: 9, weight_unit: "kg" },
    },
    { id: 2, manufacturer: 1, model: "B", slug: "b", u_height: 0, subdevice_role: "child" },
  ],
  device: [
    { id: 3, device_type: 1, role: 1, site: 1, location: 1, status: "active" },
    { ...BLADE, id: 2 },
    {
      ...{ id: 1, name: "d", device_type: 1, role: 1, tenant: 1, platform: 1, serial: "s", asset_tag: "a", site: 1 },
      ...{ location: 1, rack: 2, position: 3, face: "front", status: "active", airflow: "rear-to-front" },
      ...{ cooling_method: "immersion", virtual_chassis: 1, vc_position: 1, ...REMARKS },
    },
  ],
  moduletype: [{ id: 1, manufacturer: 1, model: "Card" }],
  modulebay: [{ id: 1, device: 1, name: "Slot" }],
  module: [{ id: 1, device: 1, module_bay: 1, module_type: 1, serial: "s", asset_tag: "a", status: "active" }],
  devicebay: [{ id: 1, device: 3, name: "Bay", installed_device: 2 }],
  inventoryitem: [{ id: 1, device: 1, name: "fan", manufacturer: 1, part_id: "p", serial: "s", asset_tag: "a" }],
  macaddress: [{ id: 1, mac_address: "00:00:00:00:00:01" }],
  interface: [
    { id: 2, device: 1, name: "lag", type: "lag" },
    {
      ...{ ...PORT, type: "1000base-t", enabled: false, mgmt_only: true, speed: 1000000, primary_mac_address: 1 },
      ...{ lag: 2, parent: 4, channel_id: 1 },
    },
    { id: 3, device: 1, name: "old", mac_address: "00:00:00:00:00:02" },
    { id: 4, device: 1, name: "whole" },
    { id: 5, device: 2, name: "far" },
  ],
  rearport: [{ ...PORT, type: "lc", positions: 4 }],
  frontport: [
    { ...PORT, type: "lc", positions: 2, rear_ports: [{ position: 1, rear_port: 1, rear_port_position: 2 }] },
    { id: 2, device: 1, name: "f2", rear_port: 1, rear_port_position: 3 },
    { id: 3, device: 1, name: "f3" },
  ],
  portmapping: [{ id: 1, front_port: 3, front_port_position: 1, rear_port: 1, rear_port_position: 4 }],
  consoleport: [
    { ...PORT, type: "rj-45" },
    { id: 2, device: 1, name: "second" },
  ],
  consoleserverport: [
    { ...PORT, type: "rj-45" },
    { id: 2, device: 1, name: "second" },
  ],
  powerport: [{ ...PORT, type: "iec-60320-c14", maximum_draw: 500, allocated_draw: 300 }],
  poweroutlet: [{ ...PORT, type: "iec-60320-c13", power_port: 1, feed_leg: "A", status: "enabled" }],
  powerpanel: [
    { id: 1, name: "P", site: 1, location: 1, ...REMARKS },
    { id: 2, name: "Q", site: 1 },
  ],
  powerfeed: [
    {
      ...{ id: 1, name: "F", power_panel: 1, rack: 2, status: "active", type: "primary", supply: "ac", amperage: 16 },
      ...{ phase: "single-phase", voltage: 230, max_utilization: 80, description: "d", mark_connected: true },
    },
  ],
  providernetwork: [{ id: 1, name: "Cloud", provider: 1 }],
  circuit: [
    { id: 1, cid: "C1", provider: 1, status: "active", description: "d" },
    { id: 2, cid: "C2", provider: 1, status: "active" },
  ],
  circuittermination: [
    { id: 1, circuit: 1, term_side: "A", site: 1 },
    { id: 2, circuit: 1, term_side: "Z", provider_network: 1 },
    { id: 3, circuit: 2, term_side: "A", termination_type: "dcim.site", termination_id: "1" },
  ],
  cable: [
    {
      ...{
        id: 1,
        type: "cat6",
        status: "connected",
        tenant: 1,
        label: "l",
        color: "ff0000",
        length: 3,
        length_unit: "m",
      },
      ...{ a_terminations: [{ object_type: "dcim.interface", object_id: 4 }], ...REMARKS },
      b_terminations: [{ object_type: "dcim.interface", object_id: 5 }],
    },
    ...[
      ["circuits.circuittermination", 1, "dcim.frontport", 1],
      ["circuits.circuittermination", 3, "dcim.frontport", 2],
    ].map(([termination_a_type, termination_a_id, termination_b_type, termination_b_id], index) => ({
      ...{ id: index + 2, termination_a_type, termination_a_id, termination_b_type, termination_b_id },
    })),
    { id: 4 },
  ],
  cabletermination: ["A", "A", "B", "B"].map((cable_end, index) => ({
    ...{ id: index + 1, cable: 4, cable_end, connector: index === 0 ? 2 : 1, termination_id: (index % 2) + 1 },
    termination_type: cable_end === "A" ? "dcim.consoleport" : "dcim.consoleserverport",
  })),
  coolingsource: [
    {
      ...{ id: 1, name: "C", site: 1, location: 1, type: "crac", status: "active", cooling_capacity: 90 },
      ...{ fluid_type: "water-glycol", ...REMARKS },
    },
  ],
  coolingfeed: [{ id: 1, cooling_source: 1, rack: 2, status: "active" }],
} satisfies Rows;

test("mapNetbox says nothing of what it carries whole, and nothing of values that say nothing", () => {
  expect(leftOut(EVERYTHING)).toEqual([]);
  expect(
    leftOut({
      devicetype: [{ id: 1, model: "M", weight: 0, subdevice_role: "" }],
      device: [{ id: 1, name: "a", site: 1, device_type: 1, face: null }],
      interface: [{ id: 1, device: 1, name: "i", speed: 0, channel_id: null, parent: null, mark_connected: false }],
      rearport: [{ id: 1, device: 1, name: "r", positions: 1 }],
      powerport: [{ id: 1, device: 1, name: "in", maximum_draw: 0 }],
      modulebay: [{ id: 1, device: 1, name: "Slot" }],
      module: [{ id: 1, device: 1, module_bay: 1, status: "" }],
    }),
  ).toEqual([]);
});

test("mapNetbox counts the bays in which nothing is", () => {
  const bays = [1, 2, 3].map((id) => ({ id, device: 1, name: `Slot ${id}` }));
  const rows = { device: [{ id: 1, name: "a", site: 1 }], modulebay: bays, devicebay: bays.slice(1) };
  const { omissions } = mapRows({ ...rows, module: [{ id: 1, device: 1, module_bay: 2, status: "active" }] });
  expect(omissions.map(({ reason, id, count }) => [reason, id, count])).toEqual([
    ["An empty bay", "module-bays", 2],
    ["An empty bay", "device-bays", 2],
  ]);
});

const OTHER_VALUES: Readonly<Record<FieldKind, unknown>> = {
  ...{ text: "Other", number: 7.5, ref: 99, choice: "other", tags: ["u"], map: { e: "f" } },
  ...{ numbers: [31], ends: [], lanes: [], flag: undefined },
};
/** Fields whose value another field of the same object makes meaningless: a slug, a name beside it. */
const DECIDED_BY_OTHERS = ["slug", "name"];

test.each(Object.keys(EVERYTHING) as (keyof typeof EVERYTHING)[])(
  "whatever the table %s reads is in the inventory or in the report",
  (table) => {
    const before = JSON.stringify(mapRows(EVERYTHING));
    const { fields }: TableSchema = NETBOX_TABLES[table];
    const lost = Object.entries(fields).flatMap(([spelled, kind]) => {
      const isNoticed = EVERYTHING[table].some((row: Readonly<Record<string, unknown>>, at) => {
        const name = spelled.split("|").find((one) => row[one] !== undefined);
        if (name === undefined) return false;
        const value = kind === "flag" ? !row[name] : OTHER_VALUES[kind];
        const rows = EVERYTHING[table].with(at, { ...row, [name]: value } as never);
        return JSON.stringify(mapRows({ ...EVERYTHING, [table]: rows })) !== before;
      });
      return isNoticed || DECIDED_BY_OTHERS.includes(spelled) ? [] : [spelled];
    });
    expect(lost).toEqual([]);
  },
);

/** Reads files of CSV, by table. */
function readSheets(sheets: Readonly<Partial<Record<TableName, string>>>) {
  const data = new NetboxDataset();
  const unclear: string[] = [];
  const rows = new CsvRowReader(data, (table, id, reason) => unclear.push(`${table}/${id} ${reason}`));
  for (const [table, text] of Object.entries(sheets)) {
    const [headers = [], ...records] = text.split("\n").map((line) => line.split(";"));
    rows.noteHeaders(table as TableName, headers);
    for (const record of records) rows.addRecord(table as TableName, headers, record);
  }
  rows.addRowsToDataset();
  const { items, omissions } = mapNetbox(data, netboxOptions());
  return { items, omissions, unclear };
}

test("NetBox's CSV is identified by names, puts devices into bays, reads figures and names columns that nobody takes", () => {
  const sheets = {
    site: "name;slug\nS;s",
    devicetype: "manufacturer;model;u_height;weight\nAcme;Box;4U;12.5 kg\nAcme;Blade;0;1,5",
    devicerole: "name;slug\nServer;server",
    device:
      "name;site;device_type;role;parent;device_bay;Seriel\nbox;S;Box;Server;;;1\nb1;S;Blade;Server;box;Bay 1;2\nb2;S;Blade;Server;box;;3",
    powerport: "device;name;Maximum draw (W);Allocated draw (W)\nbox;psu;1,200 W;0.8 kW\nb1;psu;300;x",
    cable:
      "side_a_device;side_a_type;side_a_name;side_b_device;side_b_type;side_b_name;length\nbox;dcim.interface;a;b1;dcim.interface;a;3 m",
    interface: "device;name;type\nbox;a;1000base-t\nb1;a;1000base-t",
  };
  const { items, omissions, unclear } = readSheets(sheets);
  const later = readSheets({ ...sheets, device: sheets.device.replace("\nbox", "\nnew;S;Box;Server;;;0\nbox") });

  const devices = items.flatMap((item) => (item.kind === "device" ? [item.resource] : []));
  expect(devices).toMatchObject([
    {
      code: "box",
      kind: "CHASSIS",
      uHeight: 4,
      weightKg: 12.5,
      ports: [{}, { powerIn: { maxDrawW: 1200, allocatedDrawW: 800 } }],
    },
    { code: "b1", parentDeviceCode: "box", bay: "Bay 1" },
    { code: "b2" },
  ]);
  expect(items.find(({ kind }) => kind === "cable")?.resource).toMatchObject({ lengthM: 3 });
  expect(unclear).toEqual([
    'devicetype/Acme Blade weight: "1,5" is not a number with "." as the decimal sign',
    'powerport/b1 psu allocated_draw: "x" is not a number in W',
    "device/S b2 a device in a bay needs both: expected parent and device_bay",
  ]);
  expect(omissions).toMatchObject([
    { reason: "A field that is not read, but is near to one that is", id: "devices: Seriel", detail: "serial" },
  ]);
  const ids = (all: typeof items) => all.map(({ id }) => id);
  expect(ids(items).filter((id) => !ids(later.items).includes(id))).toEqual([]);
});

test("mapNetbox names keys of objects that hold something and that nothing takes, once for each list", () => {
  const data = new NetboxDataset();
  const add = (pk: number, fields: object) => addDumpedObject(data, { model: "dcim.site", pk, fields });
  add(1, { name: "S", slug: "s", latitude: 48.1, asns: [], last_updated: "2026", facility: "" });
  add(2, { name: "T", slug: "t", latitude: 50.1 });
  expect(mapNetbox(data, netboxOptions()).omissions).toEqual([
    { reason: "A field that is not read", id: "sites: latitude", name: "sites: latitude", count: 2 },
  ]);
});
