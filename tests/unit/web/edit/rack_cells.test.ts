import { expect, test } from "bun:test";
import type { Occupant } from "#gen/datacenter/v1/json.ts";
import {
  computeDevicePosition,
  findFreeBlock,
  findTemplateDevice,
  listDeviceBoxes,
  listFreeRows,
} from "#web/console/edit/rack_cells.ts";

const unit = (u: number, front: readonly string[], rear = front, reserved = "") => ({ u, front, rear, reserved });
const UNITS = [unit(6, []), unit(5, ["B"]), unit(4, ["B"]), unit(3, [], [], "acme"), unit(2, []), unit(1, ["A"], [])];

const device = (device_code: string, position_u: number, rest: object = {}): Occupant => ({
  device_code,
  position_u,
  u_height: 1,
  name: "",
  role: "",
  kind: "DEVICE_KIND_SERVER",
  face: "FACE_FRONT",
  slot: "SLOT_WIDTH_FULL",
  status: "DEVICE_STATUS_ACTIVE",
  draw_source: "DRAW_SOURCE_ALLOCATED",
  draw_w: 0,
  color: "",
  depth: "DEPTH_FULL",
  mount: "MOUNT_RAIL",
  parent_device_code: "",
  bay: "",
  ...rest,
});

const DEVICES = [device("B", 4, { u_height: 2 }), device("A", 1), device("PDU", 0)];

test("listDeviceBoxes places devices by the rows that they take, on the face where they are seen", () => {
  const rows = listDeviceBoxes(UNITS, DEVICES, "front").map((box) => [box.device.device_code, box.top, box.bottom]);
  expect(rows).toEqual([
    ["B", 1, 2],
    ["A", 5, 5],
  ]);
  expect(listDeviceBoxes(UNITS, DEVICES, "rear").map(({ isMounted }) => isMounted)).toEqual([false]);
});

test("free rows and blocks leave out what is taken or reserved", () => {
  expect(listFreeRows(UNITS, "front")).toEqual([0, 3, 4]);
  expect(listFreeRows(UNITS, "rear")).toEqual([0, 3, 4, 5]);
  expect(findFreeBlock(UNITS, 4)).toEqual({ top: 4, bottom: 4 });
});

test("computeDevicePosition counts units as the rack does, from the bottom or from the top", () => {
  const [two] = listDeviceBoxes(UNITS, DEVICES, "front");
  if (two === undefined) throw new Error("There is no device");
  expect([
    computeDevicePosition(UNITS, two, 4),
    computeDevicePosition(UNITS, two, 1),
    computeDevicePosition(UNITS, two, 0),
  ]).toEqual([2, 5, undefined]);
  const fromTop = UNITS.map((one, row) => ({ ...one, u: row + 1 }));
  expect(computeDevicePosition(fromTop, two, 4)).toBe(4);
  expect(computeDevicePosition(UNITS, { ...two, device: device("B", 4.5) }, 4)).toBe(2.5);
});

test("findTemplateDevice is the nearest device below, else above", () => {
  const boxes = listDeviceBoxes(UNITS, DEVICES, "front");
  expect([findTemplateDevice(boxes, 3)?.device_code, findTemplateDevice(boxes, 0)?.device_code]).toEqual(["A", "B"]);
  expect(findTemplateDevice(boxes.slice(0, 1), 4)?.device_code).toBe("B");
});
