import { expect, test } from "bun:test";
import { addDumpedObject, NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { mapNetbox } from "#dc/exchange/netbox/map_netbox.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";
import { datasetOf } from "../../../support/dc/netbox/forms.ts";
import { netboxInventory } from "../../../support/dc/netbox/inventory.ts";
import { choice, type Lists, NetboxLists, ref } from "../../../support/dc/netbox/lists.ts";
import { netboxOptions } from "../../../support/dc/netbox/options.ts";

/** The fields that NetBox 4.7 has for cooling and channels, on a small site. */
function newestNetbox() {
  const box = new NetboxLists();
  const site = box.named("dcim/sites", "Site");
  const rackType = box.add("dcim/rack-types", {
    model: "R",
    slug: "r",
    cooling_capability: choice("hybrid"),
    cooling_capacity: 40,
  });
  const rack = box.rack(site, "R1", { rack_type: ref(rackType) });
  const other = box.rack(site, "R2", { cooling_capability: choice("air-only"), cooling_capacity: 12.5 });
  const maker = box.named("dcim/manufacturers", "Acme");
  const cold = box.type(maker, "Cold plate", { cooling_method: choice("liquid") });
  const plain = box.type(maker, "Switch");
  const role = box.named("dcim/device-roles", "Switch");
  const server = box.device({ site, rack, position: 1, type: cold, role }, "server");
  const immersed = box.device({ site, rack, position: 3, type: cold, role }, "immersed", {
    cooling_method: choice("immersion"),
  });
  const leaf = box.device({ site, rack, position: 5, type: plain, role }, "leaf");
  const cooler = (name: string, type: string, more: Record<string, unknown> = {}) =>
    box.add("dcim/cooling-sources", {
      name,
      site: ref(site),
      location: null,
      type: choice(type),
      status: choice("active"),
      cooling_capacity: 90,
      fluid_type: choice("water-glycol"),
      ...more,
    });
  const crah = cooler("CRAH 1", "crah");
  const whole = cooler("CRAC 2", "crac", { fluid_type: null });
  const chiller = cooler("Chiller", "chiller");
  for (const one of [rack, other, rack]) {
    box.add("dcim/cooling-feeds", { name: "f", cooling_source: ref(crah), rack: ref(one), status: choice("active") });
  }
  return { box, ids: { rack, other, server, immersed, leaf, crah, whole, chiller } };
}

test("mapNetbox carries the cooling of NetBox 4.7: units, the racks that they feed, methods and limits of racks", () => {
  const { box, ids } = newestNetbox();
  const { items, omissions } = mapNetbox(datasetOf(box.lists), netboxOptions());
  const found = <Resource>(id: string) => items.find((item) => item.id === id)?.resource as Resource;

  expect(found<Crac>(`coolingsource/${ids.crah}`)).toMatchObject({
    kind: "CRAH",
    sensibleCapacityKw: 90,
    fluid: "WATER_GLYCOL",
    serves: ["rack:R1", "rack:R2"],
  });
  expect(found<Crac>(`coolingsource/${ids.whole}`).serves).toBeUndefined();
  expect(found<Crac>(`coolingsource/${ids.chiller}`)).toBeUndefined();
  expect(omissions.map(({ reason }) => reason)).toContain("A cooling source that is neither CRAC nor CRAH");
  expect(found<Rack>(`rack/${ids.rack}`)).toMatchObject({ coolingCapability: "HYBRID", coolingCapacityW: 40_000 });
  expect(found<Rack>(`rack/${ids.other}`)).toMatchObject({ coolingCapability: "AIR_ONLY", coolingCapacityW: 12_500 });
  expect(found<Device>(`device/${ids.server}`).coolingMethod).toBe("LIQUID");
  expect(found<Device>(`device/${ids.immersed}`).coolingMethod).toBe("IMMERSION");
  expect(found<Device>(`device/${ids.leaf}`).coolingMethod).toBeUndefined();
});

test("mapNetbox takes the channels that NetBox 4.7 records, and cables a breakout to them", () => {
  const { box, ids } = newestNetbox();
  const trunk = box.port("interfaces", ids.leaf, "Ethernet1", "100gbase-x-qsfp28", { enabled: true });
  const legs = [1, 2].map((channel) =>
    box.port("interfaces", ids.leaf, `Ethernet1/${channel}`, "virtual", { parent: ref(trunk), channel_id: channel }),
  );
  const nics = [1, 2, 3].map((nic) => box.port("interfaces", ids.server, `nic${nic}`, "25gbase-x-sfp28"));
  box.cable(
    [["dcim.interface", trunk]],
    nics.map((id) => ["dcim.interface", id] as const),
  );

  const { items } = mapNetbox(datasetOf(box.lists), netboxOptions());

  const leaf = items.find(({ id }) => id === `device/${ids.leaf}`)?.resource as Device;
  expect(leaf.ports?.filter(({ parentPort }) => parentPort !== undefined)).toMatchObject([
    { name: "Ethernet1:3", parentPort: "Ethernet1", channel: 3 },
    { name: "Ethernet1/1", parentPort: "Ethernet1", channel: 1 },
    { name: "Ethernet1/2", parentPort: "Ethernet1", channel: 2 },
  ]);
  const cables = items.filter(({ kind }) => kind === "cable").map(({ resource }) => resource);
  expect(cables).toHaveLength(3);
  expect(legs).toHaveLength(2);
  expect(JSON.stringify(cables)).toContain('"Ethernet1/2"');
});

test("mapNetbox gives the same whatever the order of the rows", () => {
  const { lists } = netboxInventory();
  const turned: Lists = new Map([...lists].map(([path, list]) => [path, list.toReversed()]));

  const [one, other] = [lists, turned].map((given) => mapNetbox(datasetOf(given), netboxOptions()).items);

  expect(other).toEqual(one);
});

test.each([
  ["4.7", (type: string, id: number) => [{ object_type: type, object_id: id }], {}],
  ["3.2 by REST", undefined, {}],
  [
    "3.2 by a dump with numbers of models",
    undefined,
    { "dcim.powerport": 47, "dcim.poweroutlet": 48, "dcim.powerfeed": 49 },
  ],
])("mapNetbox reads the ends of cables of NetBox %s", (_, side, numbers: Readonly<Record<string, number>>) => {
  const data = new NetboxDataset();
  for (const [name, pk] of Object.entries(numbers)) {
    const [app_label, model] = name.split(".");
    addDumpedObject(data, { model: "contenttypes.contenttype", pk, fields: { app_label, model } });
  }
  const add = (model: string, pk: number, fields: object) =>
    addDumpedObject(data, { model: `dcim.${model}`, pk, fields });
  const ends = (a: readonly [string, number], b: readonly [string, number]) =>
    side === undefined
      ? {
          ...{ termination_a_type: numbers[a[0]] ?? a[0], termination_a_id: a[1] },
          ...{ termination_b_type: numbers[b[0]] ?? b[0].split("."), termination_b_id: b[1] },
        }
      : { a_terminations: side(...a), b_terminations: side(...b) };
  add("site", 1, { name: "S", slug: "s" });
  add("devicerole", 1, { name: "PDU", slug: "pdu" });
  add("device", 1, { name: "pdu", site: 1, device_role: 1 });
  add("device", 2, { name: "srv", site: 1 });
  add("powerport", 1, { device: 1, name: "in" });
  add("powerport", 2, { device: 2, name: "psu", maximum_draw: 500, allocated_draw: 300 });
  add("poweroutlet", 1, { device: 1, name: "1", power_port: 1 });
  add("powerpanel", 1, { name: "P", site: 1 });
  add("powerfeed", 1, { name: "F", power_panel: 1, status: "active" });
  add("cable", 1, ends(["dcim.powerport", 2], ["dcim.poweroutlet", 1]));
  add("cable", 2, ends(["dcim.powerfeed", 1], ["dcim.powerport", 1]));

  const { items, omissions } = mapNetbox(data, netboxOptions());

  expect(items.flatMap((item) => (item.kind === "cable" ? [[item.resource.a, item.resource.b]] : []))).toEqual([
    [
      { deviceCode: "pdu", portName: "1" },
      { deviceCode: "srv", portName: "psu" },
    ],
    [
      { deviceCode: "P", portName: "F" },
      { deviceCode: "pdu", portName: "in" },
    ],
  ]);
  expect(omissions).toEqual([]);
});

test.each([
  [
    "types that differ",
    ["primary", "redundant"],
    1,
    [
      ["primary", "primary"],
      ["redundant", "redundant"],
    ],
  ],
  [
    "the type that NetBox gives without being asked",
    ["primary", "primary"],
    1,
    [
      ["primary", undefined],
      ["primary", undefined],
    ],
  ],
  [
    "two panels of one rack with one type",
    ["primary", "primary", "redundant"],
    1,
    [
      ["primary", undefined],
      ["primary", undefined],
      ["redundant", undefined],
    ],
  ],
  [
    "types that differ without racks",
    ["primary", "redundant", "primary"],
    undefined,
    [
      ["primary", "primary"],
      ["redundant", "redundant"],
      ["primary", "primary"],
    ],
  ],
] as const)(
  "mapNetbox keeps the type of feeds, and takes it as a side only where it tells sides apart: %s",
  (_, types, rack, expected) => {
    const data = new NetboxDataset();
    const add = (model: string, pk: number, fields: object) =>
      addDumpedObject(data, { model: `dcim.${model}`, pk, fields });
    add("site", 1, { name: "S", slug: "s" });
    add("rack", 1, { name: "R", site: 1 });
    for (const [at, type] of types.entries()) {
      add("powerpanel", at + 1, { name: `P${at}`, site: 1 });
      add("powerfeed", at + 1, { name: "F", power_panel: at + 1, rack, type });
    }

    const { items } = mapNetbox(data, netboxOptions());

    const panels = items.flatMap((item) => (item.kind === "device" ? [item.resource] : []));
    expect(panels.map(({ labels, power }) => [labels?.["feed_type"], power?.powerPath])).toEqual(expected as never);
  },
);

test.each([
  ["4.7", 0],
  ["3.0", 0],
  ["4.10", 1],
  ["5.0", 1],
])("mapNetbox names NetBox %s if it is newer than what is read", (version, notes) => {
  const data = new NetboxDataset();
  data.version = version;
  expect(mapNetbox(data, netboxOptions()).omissions).toHaveLength(notes);
});

// `manage.py dumpdata` writes a list of PostgreSQL as JSON text, a list of its API is one.
test.each([
  ["rackreservation", "units", '["1", "2", "10"]', [1, 2, 10]],
  ["rackreservation", "units", "[20, 21]", [20, 21]],
  ["rackreservation", "units", "[]", []],
  ["rackreservation", "units", '["40.5"]', [40.5]],
  ["rackreservation", "units", [20, 21], [20, 21]],
  ["rackreservation", "units", ["3"], [3]],
  ["site", "name", '["1", "2"]', '["1", "2"]'],
  ["device", "serial", "[1]", "[1]"],
  ["rack", "tags", '["core", "old"]', ["core", "old"]],
  ["rack", "tags", [{ id: 1, slug: "core" }], ["core"]],
  ["rackreservation", "units", "20, 21", undefined],
  ["rackreservation", "units", '["1", "2"', undefined],
  ["rackreservation", "units", 20, undefined],
] as const)("readRow reads %s.%s %j as %j", (table, field, value, expected) => {
  const row = readRow(table, 1, { [field]: value });

  expect(row?.cells[field]).toEqual(expected as never);
  expect(row?.misread).toEqual(expected === undefined ? [field] : undefined);
});
