import { expect, test } from "bun:test";
import { addDumpedObject, NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import type { Cable, Device, Rack } from "#dc/model/resources.ts";
import { asDump, datasetOf } from "../../../support/dc/netbox/forms.ts";
import { netboxInventory } from "../../../support/dc/netbox/inventory.ts";
import { netboxOptions } from "../../../support/dc/netbox/options.ts";

const { lists, ids } = netboxInventory();
const { items, omissions } = mapNetbox(datasetOf(lists), netboxOptions());
const byId = new Map(items.map((item) => [item.id, item.resource]));
const rack = (id: number | undefined) => byId.get(`rack/${id}`) as Rack;
const device = (id: number | undefined) => byId.get(`device/${id}`) as Device;

test("mapNetbox gives racks of one name codes by their sites, and keeps the name", () => {
  expect(ids.closets.map((id) => [rack(id).code, rack(id).name])).toEqual([
    ["muc-south-Comms-closet", "Comms closet"],
    ["branch-Comms-closet", "Comms closet"],
  ]);
});

test("mapNetbox turns nested locations into floor, room and row", () => {
  expect(rack(ids.racks[0]).location).toEqual({ siteId: "muc-south", floorNumber: 2, room: "suite-a", row: "row-1" });
});

test("mapNetbox names each object's origin", () => {
  expect(rack(ids.racks[0]).labels).toMatchObject({
    origin: `netbox:rack/${ids.racks[0]}`,
    origin_url: `https://netbox.example/api/dcim/racks/${ids.racks[0]}/`,
    region: "Bayern",
  });
});

test("mapNetbox leaves reserved units out that a device occupies, and notes it", () => {
  expect(rack(ids.racks[0]).reservations).toEqual([
    { units: [1, 40], status: "ACTIVE", owner: "alice", reason: "later" },
  ]);
  expect(omissions.map(({ reason }) => reason)).toContain(
    "A reservation holds units that a device occupies or another reservation holds: these are left out",
  );
});

test("mapNetbox takes a device's measures from its type and its remarks from parts and custom fields", () => {
  expect(device(ids.servers[0])).toMatchObject({
    code: "srv-01",
    name: "srv:01",
    kind: "SERVER",
    role: "application-server",
    uHeight: 2,
    positionU: 2,
    face: "FRONT",
    depth: "FULL",
    airflow: "FRONT_TO_REAR",
    manufacturer: "Acme",
    comments: "Part DIMM 0: D4 serial 9",
    labels: { "cf.owner": "ops", "cf.cost": "12" },
  });
});

test("mapNetbox tells ports of one name apart by their kind", () => {
  const panel = items.find(({ resource }) => "name" in resource && resource.name === "panel 1")?.resource as Device;

  expect(panel.kind).toBe("PATCH_PANEL");
  expect(panel.ports?.map(({ name, kind }) => [name, kind])).toEqual([
    ["1", "FRONT"],
    ["2", "FRONT"],
    ["1 (rear)", "REAR"],
  ]);
  expect(panel.ports?.[1]?.mappings).toEqual([{ frontPosition: 1, rearPort: "1 (rear)", rearPosition: 2 }]);
});

test("mapNetbox makes a breaker of each feed of a power panel, and a cable of each connection", () => {
  const panel = byId.get(`powerpanel/${ids.panel}`) as Device;

  expect(panel.ports?.[0]).toEqual({
    name: "A1-A",
    kind: "POWER_OUT",
    label: "rack A-1",
    powerOut: {
      feedId: "PP-1.A1-A",
      supply: "AC",
      phase: "THREE",
      voltageV: 400,
      amperageA: 32,
      maxUtilizationPct: 80,
    },
  });
  const cable = items.find(({ resource }) => "a" in resource && resource.b.deviceCode === "PP-1")?.resource as Cable;
  expect(cable).toMatchObject({
    a: { deviceCode: "pdu-a1-a", portName: "Input" },
    type: "POWER",
    lengthM: 3.048,
    color: "AA1409",
  });
});

test("mapNetbox ties outlets to their inlet and leg", () => {
  expect(device(ids.pdus[0]).mount).toBe("ZERO_U_LEFT");
  expect(device(ids.pdus[0]).ports?.[1]?.powerOut).toEqual({ inletName: "Input", leg: "A" });
});

test("mapNetbox divides an interface that one cable joins to several", () => {
  const lanes = items.filter(({ id }) => id.startsWith(`cable/${ids.breakout}`));

  expect(
    lanes.map(({ id, resource }) => [
      id,
      "a" in resource ? [resource.a, resource.b].map(({ portName }) => portName) : [],
    ]),
  ).toEqual([
    [`cable/${ids.breakout}`, ["eth0", "1:1"]],
    [`cable/${ids.breakout}#2`, ["eth0", "1:2"]],
    [`cable/${ids.breakout}#3`, ["eth0", "1:3"]],
  ]);
});

test("mapNetbox puts a blade into its chassis", () => {
  expect(device(ids.chassis).kind).toBe("CHASSIS");
  expect(device(ids.blade)).toMatchObject({ kind: "BLADE", parentDeviceCode: "chassis-1", bay: "Bay 1", mount: "BAY" });
});

test("mapNetbox ends a circuit to a carrier's network at a port", () => {
  expect(byId.get(`circuit/${ids.circuit}`)).toMatchObject({
    code: "KKDG-49-23",
    name: "Carrier KKDG 49/23",
    role: "circuit",
    ports: [{ name: "A", kind: "NETWORK" }],
    labels: { provider: "Carrier", network: "MPLS" },
  });
});

test("mapNetbox cuts what is too long and notes it", () => {
  const unnamed = items.find(({ resource }) => "code" in resource && resource.code.startsWith("tor-48-"))
    ?.resource as Device;

  expect(unnamed.comments).toHaveLength(4096);
  expect(unnamed.tags).toEqual(["edge"]);
  expect(omissions.filter(({ reason }) => reason.startsWith("A comment is longer"))).toHaveLength(1);
});

test("mapNetbox makes the same of a dump as of the lists", () => {
  const data = new NetboxDataset();
  for (const one of asDump(lists)) expect(addDumpedObject(data, JSON.parse(JSON.stringify(one)))).toBe(true);
  const plain = (list: typeof items) =>
    JSON.parse(JSON.stringify(list, (key, value) => (key === "origin_url" ? undefined : value)));

  expect(plain(mapNetbox(data, netboxOptions()).items)).toEqual(plain(items));
});
