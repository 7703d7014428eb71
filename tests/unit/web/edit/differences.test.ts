import { expect, test } from "bun:test";
import { listMessageFields } from "#web/console/edit/form_model.ts";
import { buildRemoveChange, buildUpdateChange, listStateChanges } from "#web/console/edit/proposal.ts";
import { listDifferences, mergeChanges, resolveConflict } from "#web/console/edit/states.ts";
import {
  describeValueError,
  parseTypedNumber,
  parseTypedValues,
  setValueAtPath,
  trimViolationPath,
} from "#web/console/edit/values.ts";

const port = (name: string, source: string, rest: object = {}) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref: source },
  ...rest,
});

const server = {
  code: "SRV-1",
  kind: "DEVICE_KIND_SERVER",
  status: "DEVICE_STATUS_ACTIVE",
  allocated_draw_w: 380,
  ports: [port("psu1", "device:PDU-A"), port("psu2", "device:PDU-A")],
  labels: { owner: "ada" },
  name: "",
  tags: [],
};

test("listDifferences names fields in words, ports by name, values with units", () => {
  const after = {
    ...server,
    allocated_draw_w: 410,
    ports: [port("psu1", "device:PDU-A"), port("psu2", "device:PDU-B")],
    labels: { owner: "grace" },
  };
  const rows = listDifferences(server, after, "Device").map(({ label, beforeText, afterText }) => [
    label,
    beforeText,
    afterText,
  ]);
  expect(rows).toEqual([
    ["Planned draw", "380 W", "410 W"],
    ["Port psu2, inlet, source", "PDU-A", "PDU-B"],
    ["Labels owner", "ada", "grace"],
  ]);
});

test("listDifferences finds none between what is unset and what is written as empty", () => {
  const { name: _name, tags: _tags, ...short } = server;
  expect(listDifferences(server, { ...short, comments: "", face: "FACE_UNSPECIFIED" }, "Device")).toEqual([]);
});

test("listDifferences tells a port added, removed and moved", () => {
  const added = { ...server, ports: [...server.ports, port("psu3", "feed:F")] };
  expect(listDifferences(server, added, "Device").map(({ label, beforeText }) => [label, beforeText])).toEqual([
    ["Port psu3", ""],
  ]);
  expect(listDifferences(added, server, "Device").map(({ label, afterText }) => [label, afterText])).toEqual([
    ["Port psu3", ""],
  ]);
  const turned = { ...server, ports: server.ports.toReversed() };
  expect(listDifferences(server, turned, "Device").map(({ label }) => label)).toEqual(["Ports"]);
});

test("mergeChanges keeps what one person changed, and names what both did", () => {
  const states = {
    base: server,
    mine: { ...server, allocated_draw_w: 410, name: "mine" },
    theirs: { ...server, allocated_draw_w: 420, serial: "theirs" },
  };
  const merge = mergeChanges(states, "Device");
  expect(merge.clashes.map(({ mine, theirs }) => [mine.label, mine.afterText, theirs.afterText])).toEqual([
    ["Planned draw", "410 W", "420 W"],
  ]);
  expect(resolveConflict(states.theirs, merge, () => true)).toEqual({
    ...server,
    allocated_draw_w: 410,
    name: "mine",
    serial: "theirs",
  });
  expect(resolveConflict(states.theirs, merge, () => false)["allocated_draw_w"]).toBe(420);
});

test("mergeChanges sees a clash between a port removed and a port changed", () => {
  const states = {
    base: server,
    mine: { ...server, ports: server.ports.slice(0, 1) },
    theirs: { ...server, ports: [port("psu1", "device:PDU-A"), port("psu2", "device:PDU-B")] },
  };
  expect(mergeChanges(states, "Device").clashes.map(({ mine, theirs }) => [mine.label, theirs.label])).toEqual([
    ["Port psu2", "Port psu2, inlet, source"],
  ]);
});

test("buildUpdateChange writes what changed and clears what is gone", () => {
  const { allocated_draw_w: _, ...after } = { ...server, status: "DEVICE_STATUS_FAILED" };
  expect(buildUpdateChange("device", { before: server, after }, "v1")).toEqual({
    device: { code: "SRV-1", status: "DEVICE_STATUS_FAILED" },
    update_mask: "status,allocatedDrawW",
    etag: "v1",
  });
});

test("changes name edges by their ends, and replace types as a whole", () => {
  const ends = { a: { device_code: "A", port_name: "1" }, b: { device_code: "B", port_name: "2" } };
  expect(buildRemoveChange("cable", ends, { etag: "v", cascade: false })).toEqual({
    delete_ref: "cable:A/1~B/2",
    etag: "v",
  });
  const [before, after] = [
    { code: "t", model: "a" },
    { code: "t", model: "b" },
  ];
  expect(buildUpdateChange("device_type", { before, after }, "v")).toEqual({ device_type: after, etag: "v" });
});

test("listStateChanges moves a cable with all that it has, and only changes one whose ends stay", () => {
  const end = (device_code: string) => ({ device_code, port_name: "1" });
  const values = { a: end("A"), b: end("B"), label: "C-1" };
  const moved = { ...values, b: end("C") };
  expect(listStateChanges("cable", { values, etag: "v" }, moved)).toEqual([
    { delete_ref: "cable:A/1~B/1", etag: "v" },
    { cable: moved, update_mask: "*", etag: "none" },
  ]);
  expect(listStateChanges("cable", { values, etag: "v" }, { ...values, label: "C-2" })).toEqual([
    { cable: { a: end("A"), b: end("B"), label: "C-2" }, update_mask: "label", etag: "v" },
  ]);
  expect(listStateChanges("cable", { values: {}, etag: "" }, values)).toEqual([
    { cable: values, update_mask: "*", etag: "none" },
  ]);
});

test("parseTypedValues keeps the stored references of codes that are left alone", () => {
  const serves = listMessageFields("Crac").find(({ name }) => name === "serves");
  if (serves === undefined) throw new Error("Crac has no field serves");
  const stored = ["room:S/1/A", "zone:S/1/A", "rack:R1"];
  expect(parseTypedValues("R1, S/1/A, S/1/A, S/1/B, S/1/A", serves, stored)).toEqual([
    "rack:R1",
    "room:S/1/A",
    "zone:S/1/A",
    "S/1/B",
    "S/1/A",
  ]);
});

test("setValueAtPath reaches into lists and removes what is unset", () => {
  const path = ["ports", 1, "power_in", "source_ref"] as const;
  expect(setValueAtPath(server, path, "device:PDU-B")["ports"]).toEqual([
    port("psu1", "device:PDU-A"),
    port("psu2", "device:PDU-B"),
  ]);
  expect(setValueAtPath({ ports: [{ name: "a" }, { name: "b" }] }, ["ports", { named: "a" }], undefined)).toEqual({
    ports: [{ name: "b" }],
  });
  expect(setValueAtPath({ labels: { a: "1" } }, ["labels", "a"], undefined)).toEqual({ labels: {} });
});

test.each([
  ["device.ports[3].speed_mbps", "device", "ports[3].speed_mbps"],
  ["changes[0].device.code", "device", "code"],
  ["device", "device", ""],
  ["etag", "device", "etag"],
])("violationPath of %p", (field, around, path) => {
  expect(trimViolationPath(field, around)).toBe(path);
});

test("parseTypedNumber keeps what is no number, and checkValue says so", () => {
  expect([
    parseTypedNumber("12"),
    parseTypedNumber(" "),
    parseTypedNumber("-3.5"),
    parseTypedNumber("1,5"),
    parseTypedNumber("1e3"),
  ]).toEqual([12, undefined, -3.5, "1,5", "1e3"]);
  const draw = listMessageFields("Device").find(({ name }) => name === "max_draw_w");
  expect(draw === undefined ? "" : describeValueError("1,5", draw)).toBe('"1,5" is not a number');
});
