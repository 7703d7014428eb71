import { expect, test } from "bun:test";
import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import { addDumpedObject, NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import type { TableName } from "#dc/exchange/netbox/tables.ts";
import { netboxOptions } from "../../../support/dc/netbox/options.ts";

type Rows = Readonly<Partial<Record<TableName, readonly Readonly<Record<string, unknown>>[]>>>;

const SITE = { id: 1, name: "S", slug: "s" };

/** What is said of the rows: reason, object and value. */
function leftOut(rows: Rows) {
  const data = new NetboxDataset();
  for (const [table, list] of Object.entries({ site: [SITE], ...rows })) {
    for (const row of list)
      data.addRow(table as TableName, readRow(table as TableName, row["id"], row) ?? { id: "", cells: {} });
  }
  return mapNetbox(data, netboxOptions()).omissions.map(({ reason, id, detail }) => [reason, id, detail]);
}

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

test("mapNetbox names the status and color of a cable that are none", () => {
  const end = (id: number) => [{ object_type: "dcim.interface", object_id: id }];
  const told = leftOut({
    device: [{ id: 1, name: "a", site: 1 }],
    interface: [
      { id: 1, device: 1, name: "1" },
      { id: 2, device: 1, name: "2" },
    ],
    cable: [{ id: 1, a_terminations: end(1), b_terminations: end(2), status: "cut", color: "red" }],
  });

  expect(told).toEqual([
    ["A color that is not written as six hexadecimal digits", "cable/1", "red"],
    ["A status is none of ours: CONNECTED is taken", "cable/1", "cut"],
  ]);
});

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
