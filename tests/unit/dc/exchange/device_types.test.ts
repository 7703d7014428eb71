import { expect, test } from "bun:test";
import { parse } from "yaml";
import { readDeviceType } from "#dc/exchange/device_types/read_type.ts";

const read = (yaml: string) => readDeviceType(parse(yaml));

const PDU = `
manufacturer: Acme
model: PDU 24
slug: acme-pdu-24
u_height: 0
is_full_depth: false
weight: 11
weight_unit: lb
power-ports:
  - { name: Input, type: iec-60309-3p-n-e-6h, maximum_draw: 11000, allocated_draw: 12000 }
power-outlets:
  - { name: Outlet 1, type: iec-60320-c13, power_port: Input, feed_leg: A }
  - { name: Outlet 2, type: iec-60320-c13, power_port: Feed }
`;

test("readDeviceType reads measures, inlets and outlets, and notes an inlet that is not there", () => {
  expect(read(PDU)).toEqual({
    type: {
      code: "acme-pdu-24",
      manufacturer: "Acme",
      model: "PDU 24",
      kind: "RACK_PDU",
      uHeight: 0,
      depth: "HALF",
      weightKg: 4.99,
      ports: [
        {
          name: "Input",
          kind: "POWER_IN",
          type: "iec-60309-3p-n-e-6h",
          powerIn: { maxDrawW: 11000, allocatedDrawW: 11000 },
        },
        { name: "Outlet 1", kind: "POWER_OUT", type: "iec-60320-c13", powerOut: { inletName: "Input", leg: "A" } },
        { name: "Outlet 2", kind: "POWER_OUT", type: "iec-60320-c13" },
      ],
    },
    notes: [{ path: ["power-outlets", 1, "power_port"], message: 'there is no power port "Feed"' }],
  });
});

test("readDeviceType tells ports of one name apart, and maps front ports to rear positions", () => {
  const result = read(`
manufacturer: Acme
model: 12
front-ports:
  - { name: 1, type: lc, rear_port: 1, rear_port_position: 2 }
  - { name: 2, type: lc, rear_port: 1, rear_port_position: 3 }
rear-ports:
  - { name: 1, type: mpo, positions: 2 }
`);

  expect(result).toMatchObject({
    type: {
      code: "acme-12",
      model: "12",
      kind: "PATCH_PANEL",
      ports: [
        { name: "1", mappings: [{ frontPosition: 1, rearPort: "1 (rear)", rearPosition: 2 }] },
        { name: "2" },
        { name: "1 (rear)", positions: 2 },
      ],
    },
    notes: [{ path: ["front-ports", 1] }],
  });
});

test("readDeviceType takes a height that YAML reads as null as none, and bays as those of a chassis", () => {
  const chassis =
    "manufacturer: A\nmodel: B\nu_height:\nsubdevice_role: parent\ndevice-bays: [{ name: Bay 1 }, { nam: Bay 2 }]";

  expect(read(chassis)).toMatchObject({
    type: { kind: "CHASSIS", uHeight: 0, bays: ["Bay 1"] },
    notes: [{ path: ["device-bays", 1], message: "a bay without a name is left out" }],
  });
});

test("readDeviceType refuses what is no type, and says where", () => {
  expect(read("- 1")).toEqual({ problem: { path: [], message: "expected an object with manufacturer and model" } });
  expect(read("manufacturer: A")).toEqual({ problem: { path: ["model"], message: "expected a text, found nothing" } });
  expect(read("manufacturer: A\nmodel: B\nu_height: high")).toEqual({
    problem: { path: ["u_height"], message: 'expected 0 to 100 in steps of 0.5, found "high"' },
  });
  expect(read("manufacturer: A\nmodel: B\ninterfaces: [{ type: lag }]")).toEqual({
    problem: { path: ["interfaces", 0], message: 'expected a name, found {"type":"lag"}' },
  });
});

test("readDeviceType names each value that is left out, and refuses a depth that YAML reads as a text", () => {
  const head = "manufacturer: A\nmodel: B\n";
  const odd = `${head}weight: 12,5\nweight_unit: kg\nairflow: sideways\nsubdevice_role: sister
device-bays: [{name: 1}, {name: 1}]
power-ports: [{name: In, maximum_draw: -5, allocated_draw: ""}]
power-outlets: [{name: 1, feed_leg: D}]
rear-ports: [{name: R, type: lc, positions: 0}, {name: S, type: lc, positions: 1.5}]
interfaces: [{name: eth0, mgmt_only: "yes", enabled: false}]\n`;
  const result = read(odd);

  expect("notes" in result ? result.notes.map(({ path, message }) => [path.join("."), message]) : result).toEqual([
    ["interfaces.0.mgmt_only", 'expected true or false, found "yes": it is left out'],
    ["rear-ports.0.positions", "expected 1 to 1024, found 0: it is left out"],
    ["rear-ports.1.positions", "expected 1 to 1024, found 1.5: it is left out"],
    ["power-ports.0.maximum_draw", "expected watts of at least 0, found -5: it is left out"],
    ["power-outlets.0.feed_leg", 'expected A, B, C, found "D": it is left out'],
    ["device-bays.1", 'a bay "1" came before: it is left out'],
    ["subdevice_role", 'expected parent or child, found "sister": it is left out'],
    ["airflow", 'expected a direction, such as front-to-rear, found "sideways": it is left out'],
    ["weight", 'expected a number above 0 with a weight_unit of kg, g, lb or oz, found "12,5": it is left out'],
  ]);
  expect(result).toMatchObject({ type: { ports: [{ name: "eth0", enabled: false }, {}, {}, {}, {}] } });
  expect(read(`${head}is_full_depth: no\n`)).toEqual({
    problem: { path: ["is_full_depth"], message: 'expected true or false, found "no"' },
  });
  expect(read(`${head}weight: 0\nairflow: null\nrear-ports: [{name: R, type: lc, positions: 1}]\n`)).toMatchObject({
    notes: [],
  });
});

test("readDeviceType names every field that a type does not keep, once for each list", () => {
  const result = read(`
manufacturer: A
model: B
description: A switch
is_powered: false
front_image: true
comments: kept
interfaces:
  - { name: 1, type: 1000base-t, poe_mode: pse, poe_type: type2-ieee802.3at }
  - { name: 2, type: 1000base-t, poe_mode: pse, description: "" }
  - { name: 3, type: 1000base-t, description: Uplink }
console-ports: [{ name: con, type: rj-45, _is_power_source: false }]
device-bays: [{ name: Bay, description: Left }]
module-bays: [{ name: 1, position: "1" }]
`);

  expect("notes" in result ? result.notes.map(({ path, message }) => [path.join("."), message]) : result).toEqual([
    ["description", 'a type has no place for it: "A switch" is left out'],
    ["is_powered", "a type has no place for it: false is left out"],
    ["interfaces.0.poe_mode", "there is no place for it: it is left out of 2 of 3"],
    ["interfaces.0.poe_type", "there is no place for it: it is left out of 1 of 3"],
    ["interfaces.2.description", "there is no place for it: it is left out of 1 of 3"],
    ["console-ports.0._is_power_source", "there is no place for it: it is left out of 1 of 1"],
    ["device-bays.0.description", "there is no place for it: it is left out of 1 of 1"],
    ["module-bays", "a type has no place for it: 1 are left out"],
  ]);
});
