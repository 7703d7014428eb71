import { expect, test } from "bun:test";
import { computeElevation } from "#dc/analysis/racks/rack_elevation.ts";
import type { DeviceBody, Rack } from "#dc/model/resources.ts";

const OPTIONS = { now: "2026-06-01T00:00:00.000Z", basis: "ALLOCATED" as const };
const rack = (parts: Partial<Rack> = {}): Rack => ({ code: "R", uHeight: 10, ...parts });
const at = (code: string, positionU: number, parts: Partial<DeviceBody> = {}): DeviceBody => ({
  code,
  kind: "SERVER",
  positionU,
  uHeight: 1,
  face: "FRONT",
  ...parts,
});

// 10 | . . |   9 | B |   5 | A A |   4 | A A |   1 | F | R |
test("computeElevation lists units from the top, with what stands on front and rear", () => {
  const devices = [
    at("A", 4, { uHeight: 2 }),
    at("F", 1, { depth: "HALF" }),
    at("K", 1, { depth: "HALF", face: "REAR" }),
    at("B", 9),
  ];

  const { units, occupants } = computeElevation(rack(), devices, OPTIONS);

  expect(units.map(({ u }) => u)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(units.filter(({ front, rear }) => front.length + rear.length > 0)).toEqual([
    { u: 9, front: ["B"], rear: ["B"], reserved: "" },
    { u: 5, front: ["A"], rear: ["A"], reserved: "" },
    { u: 4, front: ["A"], rear: ["A"], reserved: "" },
    { u: 1, front: ["F"], rear: ["K"], reserved: "" },
  ]);
  expect(occupants.map(({ code }) => code)).toEqual(["B", "A", "F", "K"]);
});

test("computeElevation turns a rack that counts from the top round", () => {
  const { units, occupants } = computeElevation(
    rack({ descUnits: true, startingUnit: 3 }),
    [at("A", 3), at("B", 12)],
    OPTIONS,
  );

  expect(units.map(({ u }) => u)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(occupants.map(({ code }) => code)).toEqual(["A", "B"]);
});

test("computeElevation counts used, reserved and free units, a half-used one as used", () => {
  const devices = [
    at("A", 4, { uHeight: 1.5, weightKg: 20, allocatedDrawW: 300 }),
    at("Z", 0, { uHeight: 0, weightKg: 5 }),
  ];
  const given = rack({
    reservations: [{ units: [7, 5] }],
    powerCapacityW: 1000,
    maxLoadKg: 100,
    coolingCapacityW: 600,
  });

  const { capacity } = computeElevation(given, devices, OPTIONS);

  expect(capacity).toEqual({
    totalU: 10,
    usedU: 2,
    reservedU: 1,
    freeU: 7,
    largestFreeBlockU: 3,
    spacePct: 30,
    allocatedW: 300,
    powerCapacityW: 1000,
    powerPct: 30,
    weightKg: 25,
    devices: 2,
    devicesWithoutDraw: 1,
    devicesWithoutWeight: 0,
    maxLoadKg: 100,
    coolingCapacityW: 600,
  });
});

test("computeElevation counts the devices whose weight is not recorded", () => {
  const { capacity } = computeElevation(rack(), [at("A", 4, { weightKg: 20 }), at("B", 5), at("C", 6)], OPTIONS);

  expect(capacity).toMatchObject({ weightKg: 20, devices: 3, devicesWithoutWeight: 2 });
});

test("computeElevation ignores reservations that are stale or over", () => {
  const reservations = [
    { units: [1], status: "STALE" as const },
    { units: [2], until: "2026-05-31T00:00:00.000Z" },
    { units: [3], until: "2026-06-02T00:00:00.000Z", owner: "acme" },
  ];

  const { units } = computeElevation(rack({ reservations }), [], OPTIONS);

  expect(units.filter(({ reserved }) => reserved !== "").map(({ u }) => u)).toEqual([3]);
});

test("computeElevation tells of every place that is taken twice", () => {
  const devices = [
    at("A", 1, { uHeight: 2 }),
    at("B", 2),
    at("L", 5, { slot: "LEFT" }),
    at("R", 5, { slot: "RIGHT" }),
    at("C", 7),
    at("D", 10, { uHeight: 2 }),
  ];

  const { conflicts } = computeElevation(rack({ reservations: [{ units: [7], owner: "acme" }] }), devices, OPTIONS);

  expect(conflicts).toEqual([
    { deviceCode: "A", otherCode: "B", positionU: 2, face: "FRONT", code: "U_SPACE_OCCUPIED" },
    { deviceCode: "C", otherCode: "acme", positionU: 7, face: "FRONT", code: "UNIT_RESERVED" },
    { deviceCode: "D", otherCode: "R", positionU: 10, face: "FRONT", code: "OUTSIDE_RACK" },
  ]);
});
