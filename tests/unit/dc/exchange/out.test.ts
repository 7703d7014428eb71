import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { findTableByFileName } from "#cli/dc/exchange/netbox_files.ts";
import type { SourceItem } from "#dc/exchange/items.ts";
import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import {
  type ExportInventory,
  writeAnsibleInventory,
  writeGraphviz,
  writeNetboxCsv,
  writePrometheusSd,
} from "#dc/exchange/out/netbox_csv.ts";
import type { Cable, Device, Rack } from "#dc/model/resources.ts";
import { datasetOf } from "../../../support/dc/netbox/forms.ts";
import { netboxInventory } from "../../../support/dc/netbox/inventory.ts";
import { netboxOptions } from "../../../support/dc/netbox/options.ts";

function inventoryOf(items: readonly SourceItem[]): ExportInventory {
  const of = (kind: string) => items.filter((item) => item.kind === kind).map(({ resource }) => resource);
  const devices = (of("device") as Device[]).map((device) => ({
    status: "ACTIVE" as const,
    // What the database derives from racks and chassis.
    ...(device.location === undefined && { location: { siteId: "muc-south", floorNumber: 0 } }),
    ...device,
  }));
  return { racks: of("rack") as Rack[], devices, cables: of("cable") as Cable[] };
}

const inventory = inventoryOf(mapNetbox(datasetOf(netboxInventory().lists), netboxOptions()).items);
const textOf = (files: readonly { readonly text: string }[]) => files[0]?.text ?? "";

/** What an import of the files that netboxCsv writes makes of them, and which references it could not resolve. */
function readBack(written: ExportInventory): { readonly back: ExportInventory; readonly unclear: readonly string[] } {
  const data = new NetboxDataset();
  const unclear: string[] = [];
  const rows = new CsvRowReader(data, (table, id, reason) => unclear.push(`${table}/${id} ${reason}`));
  for (const { name, text } of writeNetboxCsv(written)) {
    const [headers = [], ...records] = parse(text) as string[][];
    const table = findTableByFileName(name);
    if (table === undefined) throw new Error(`No table ${name}`);
    for (const record of records) rows.addRecord(table, headers, record);
  }
  rows.addRowsToDataset();
  return { back: inventoryOf(mapNetbox(data, netboxOptions()).items), unclear };
}

test("netboxCsv writes what an import of NetBox's CSV reads back: the same racks, devices, ports and cables", () => {
  const { back, unclear } = readBack(inventory);
  const shape = ({ racks, devices, cables }: ExportInventory) => ({
    racks: racks.map(({ code, uHeight }) => [code, uHeight]).toSorted(),
    devices: devices
      .map(({ code, positionU, ports = [] }) => [
        code,
        positionU,
        ports.map(({ name, kind }) => `${kind} ${name}`).toSorted(),
      ])
      .toSorted(),
    cables: cables.map(({ a, b, type, lengthM }) => JSON.stringify([a, b, type, lengthM])).toSorted(),
  });

  expect(unclear).toEqual([]);
  expect(shape(back).racks).toEqual(shape(inventory).racks);
  expect(shape(back).devices).toEqual(shape(inventory).devices);
  expect(shape(back).cables).toEqual(shape(inventory).cables);
});

test("netboxCsv keeps the build of devices that share a model or have none, and of makers whose slugs are equal", () => {
  const location = { siteId: "S", floorNumber: 0 };
  const device = (code: string, build: Partial<Device>): Device =>
    ({
      code,
      kind: "SERVER",
      status: "ACTIVE",
      location,
      rackCode: "R",
      face: "FRONT",
      depth: "FULL",
      ...build,
    }) as Device;
  const devices = [
    device("a", { uHeight: 1, positionU: 1 }),
    device("b", { uHeight: 4, positionU: 2 }),
    device("c", { uHeight: 4, positionU: 6, depth: "HALF" }),
    device("d", { uHeight: 2, positionU: 10, manufacturer: "A B", model: "X" }),
    device("e", { uHeight: 3, positionU: 13, manufacturer: "A-B", model: "X" }),
  ];
  const written = { racks: [{ code: "R", location, uHeight: 42 } as Rack], devices, cables: [] };
  const { back, unclear } = readBack(written);
  const build = (one: ExportInventory) =>
    one.devices.map(({ code, uHeight, positionU, depth }) => [code, uHeight, positionU, depth]);
  const slugs = writeNetboxCsv(written).flatMap(({ name, text }) =>
    /manufacturers|types/.test(name)
      ? (parse(text, { columns: true }) as { slug: string }[]).map(({ slug }) => slug)
      : [],
  );

  expect(unclear).toEqual([]);
  expect(build(back)).toEqual(build(written));
  expect(back.devices.map(({ manufacturer, model }) => [manufacturer, model])).toEqual([
    ["Unknown", "SERVER"],
    ["Unknown", "SERVER (4U)"],
    ["Unknown", "SERVER (4U, half depth)"],
    ["A B", "X"],
    ["A-B", "X"],
  ]);
  expect(slugs).toEqual(
    "a-b a-b-2 unknown unknown-server unknown-server-4u unknown-server-4u-half-depth a-b-x a-b-x-2".split(" "),
  );
});

test("graphviz writes a node for each cabled device, racks as clusters, and an edge for each cable", () => {
  const text = textOf(writeGraphviz(inventory));

  expect(text.match(/ -- /g)).toHaveLength(inventory.cables.length);
  expect(text).toContain('subgraph "cluster_A-1" {');
  expect(text).toContain('"pdu-a1-a" -- "PP-1" [taillabel="Input", headlabel="A1-A", color="#AA1409"];');
});

test("prometheusSd and ansibleInventory write what can be asked, with its facts", () => {
  const targets = JSON.parse(textOf(writePrometheusSd(inventory))) as {
    targets: string[];
    labels: Record<string, string>;
  }[];
  const ansible = JSON.parse(textOf(writeAnsibleInventory(inventory)));

  expect(targets.map(({ targets: [name] }) => name)).not.toContain("panel 1");
  expect(targets.find(({ targets: [name] }) => name === "srv:01")?.labels).toMatchObject({
    planner_code: "srv-01",
    planner_rack: "A-1",
    planner_kind: "SERVER",
  });
  expect(ansible.rack_A_1.hosts).toContain("srv-01");
  expect(ansible._meta.hostvars["srv-01"]).toMatchObject({
    planner_role: "application-server",
    ansible_host: "srv:01",
  });
  expect(ansible.all.children).toContain("role_tor_switch");
});
