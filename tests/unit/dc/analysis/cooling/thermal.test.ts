import { describe, expect, test } from "bun:test";
import type { ThermalOptions } from "#dc/analysis/cooling/cooling_balance.ts";
import { computeThermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";

const place = { siteId: "S", floorNumber: 1, row: "A" };
const other = { siteId: "S", floorNumber: 1, row: "B" };

const crac = (code: string, sensibleCapacityKw: number, parts: Partial<Crac> = {}): Crac => ({
  code,
  kind: "CRAH",
  status: "ACTIVE",
  location: place,
  serves: ["row:S/1/A"],
  sensibleCapacityKw,
  ...parts,
});
const hot = (code: string, watts: number, parts: Partial<Device> = {}): Device => ({
  code,
  kind: "SERVER",
  location: place,
  rackCode: "R",
  allocatedDrawW: watts,
  ...parts,
});
const rack = (parts: Partial<Rack> = {}): Rack => ({ code: "R", location: place, ...parts });

function answer(parts: Partial<Inventory>, scope = "floor:S/1", options: Partial<ThermalOptions> = {}) {
  const inventory = { racks: [rack()], devices: [], cracs: [], cables: [], fabricLinks: [], ...parts };
  const all = { basis: "ALLOCATED" as const, reserveUnits: 1, failedCracCodes: [], ...options };
  return computeThermalHeadroom(Topology.createFromInventory(inventory), parseRef(scope) as Ref, all);
}

test.each([
  ["in its rack", { rackCode: "R" }],
  ["on the floor", { rackCode: undefined }],
  ["in a rack that is not recorded", { rackCode: "X" }],
])("a measured inlet %s is a hotspot while its device is in service or failed", (_, where) => {
  const statuses = ["ACTIVE", "DECOMMISSIONING", "FAILED", "OFFLINE", "PLANNED", "STAGED", "INVENTORY"] as const;
  const { rackCode, ...rest } = hot("d", 0, { inletTempC: 40 });
  const named = where.rackCode === undefined ? rest : { ...rest, rackCode: where.rackCode };
  const found = statuses.map((status) => {
    const { hotspots, racks, rciHiPct } = answer({ devices: [{ ...named, status }] });
    return { status, refs: hotspots.map(({ ref, code }) => `${ref} ${code}`), health: racks[0]?.health, rciHiPct };
  });

  for (const { status, refs, health, rciHiPct } of found) {
    const counts = ["ACTIVE", "DECOMMISSIONING", "FAILED"].includes(status);
    const isRack = where.rackCode === "R";
    expect({ status, refs }).toEqual({ status, refs: counts ? ["device:d INLET_ABOVE_ALLOWABLE"] : [] });
    expect({ status, health }).toEqual({ status, health: counts && isRack ? "FAULT" : "OK" });
    expect({ status, isMeasured: rciHiPct !== undefined }).toEqual({ status, isMeasured: counts });
  }
});

describe("computeThermalHeadroom", () => {
  test("keeps the largest unit in reserve and sets the rest against the heat", () => {
    const found = answer({ devices: [hot("d", 30_000)], cracs: [crac("a", 40, { deratePct: 50 }), crac("b", 30)] });

    expect(found).toMatchObject({
      heatKw: 30,
      airHeatKw: 30,
      ratedKw: 70,
      effectiveKw: 50,
      reserveKw: 30,
      usableKw: 20,
      headroomKw: -10,
      headroomPct: -50,
      redundancyOk: false,
    });
    expect(found.hotspots).toEqual([
      { ref: "row:S/1/A", severity: "WATCH", code: "ZONE_WITHOUT_RESERVE", value: 30, limit: 20 },
    ]);
  });

  test("shares the heat in proportion to the effective capacity", () => {
    const { cracs } = answer({
      devices: [hot("d", 30_000)],
      cracs: [crac("a", 40), crac("b", 20), crac("s", 9, { status: "STANDBY" })],
    });

    expect(cracs.map(({ crac: { code }, loadKw, utilizationPct }) => [code, loadKw, utilizationPct])).toEqual([
      ["a", 20, 50],
      ["b", 10, 50],
      ["s", 0, 0],
    ]);
  });

  test("lets standby units help out, but not failed ones", () => {
    const cracs = [crac("a", 20), crac("s", 15, { status: "STANDBY" }), crac("x", 50, { status: "FAILED" })];

    const whole = answer({ devices: [hot("d", 10_000)], cracs });
    const lost = answer({ devices: [hot("d", 10_000)], cracs }, "floor:S/1", { failedCracCodes: ["A"] });

    expect(whole).toMatchObject({ effectiveKw: 20, reserveKw: 20, usableKw: 15, redundancyOk: true });
    expect(lost).toMatchObject({ effectiveKw: 0, usableKw: 15 });
  });

  test("takes what liquid carries away out of the air, and adds the losses of power equipment", () => {
    const ports: Device["ports"] = [{ name: "in", kind: "POWER_IN", powerIn: { sourceRef: "device:u" } }];
    const gpu = hot("g", 10_000, { coolingMethod: "HYBRID", liquidFractionPct: 70, ports });
    const ups: Device = { code: "u", kind: "UPS", location: place, power: { efficiencyPct: 95 } };

    const found = answer({ devices: [gpu, ups] });

    expect(found.heatKw).toBeCloseTo(10.5, 9);
    expect(found.airHeatKw).toBeCloseTo(3.5, 9);
    expect(found.liquidHeatKw).toBeCloseTo(7, 9);
    expect(found.infrastructureHeatKw).toBeCloseTo(0.5, 9);
  });

  test("demands redundancy in every zone, not of the sum alone", () => {
    const cracs = [crac("a", 50), crac("b", 50), crac("c", 10, { serves: ["row:S/1/B"] })];
    const devices = [hot("d", 10_000), hot("e", 9_000, { rackCode: "Q", location: other })];

    const found = answer({ racks: [rack(), { code: "Q", location: other }], devices, cracs });

    expect(found.headroomKw).toBeGreaterThan(0);
    expect(found.redundancyOk).toBe(false);
    expect(found.zones.map(({ ref, redundancyOk }) => [ref, redundancyOk])).toEqual([
      ["row:S/1/A", true],
      ["row:S/1/B", false],
    ]);
  });

  test("sets all that a unit carries from anywhere against the headroom of one place", () => {
    const devices = [hot("d", 10_000), hot("e", 30_000, { rackCode: "Q", location: other })];

    const found = answer({ devices, cracs: [crac("a", 80, { serves: ["floor:S/1"] })] }, "rack:R", { reserveUnits: 0 });

    expect(found).toMatchObject({ airHeatKw: 10, effectiveKw: 80, headroomKw: 40 });
  });

  test("watches and faults inlets by class, and racks by their cooling capacity", () => {
    const devices = [
      hot("a", 850, { inletTempC: 28 }),
      hot("b", 100, { inletTempC: 23, thermalClass: "H1" }),
      hot("c", 100, { inletTempC: 36 }),
    ];

    const { hotspots, racks, rciHiPct, rciLoPct } = answer({ racks: [rack({ coolingCapacityW: 1000 })], devices });

    expect(hotspots.map(({ ref, severity, limit }) => [ref, severity, limit])).toEqual([
      ["device:a", "WATCH", 27],
      ["device:b", "WATCH", 22],
      ["device:c", "FAULT", 35],
      ["rack:R", "FAULT", 100],
      ["floor:S/1", "WATCH", 0],
    ]);
    expect(racks[0]).toMatchObject({ health: "FAULT", inletTempC: 36, utilizationPct: 105 });
    // (1/8 + 1/3 + 9/8) of three intakes
    expect(rciHiPct).toBeCloseTo((1 - (1 / 8 + 1 / 3 + 9 / 8) / 3) * 100, 9);
    expect(rciLoPct).toBe(100);
  });

  test("tells the air that a unit must move for its load", () => {
    const { cracs } = answer({
      devices: [hot("d", 12_000)],
      cracs: [crac("a", 40, { supplyTempC: 20, returnTempC: 32 })],
    });

    expect(cracs[0]).toMatchObject({ deltaTK: 12, requiredAirflowM3h: 2985 });
  });

  test("leaves the cooling indexes out where nothing was measured", () => {
    const found = answer({});

    expect([found.rciHiPct, found.rciLoPct, found.ccf, found.headroomPct]).toEqual([undefined, undefined, 0, 0]);
  });

  test("finds that row D of the sample depends on its reserve", async () => {
    const found = answer(await ams1Inventory(), "row:AMS1/1/D");

    expect(found.airHeatKw).toBeCloseTo(74.6, 9);
    expect(found).toMatchObject({ effectiveKw: 108, usableKw: 54, redundancyOk: false });
  }, 240_000);
});

describe("computeThermalHeadroom of liquid", () => {
  const cdu = (parts: Partial<Crac> = {}): Crac => crac("cdu", 20, { kind: "CDU", ...parts });
  const wet = hot("w", 15_000, { coolingMethod: "LIQUID" });

  test("balances liquid apart from air, and a coolant distribution unit takes liquid unless stated", () => {
    const found = answer({ devices: [wet, hot("d", 5_000)], cracs: [cdu(), crac("a", 9)] }, "floor:S/1", {
      reserveUnits: 0,
    });

    expect(found).toMatchObject({ airHeatKw: 5, headroomKw: 4, liquidHeatKw: 15, liquidHeadroomKw: 5 });
    expect(found).toMatchObject({ redundancyOk: true, liquidRatedKw: 20, hotspots: [] });
  });

  test("watches heat for which no unit is recorded, and faults units that are too small", () => {
    const none = answer({ devices: [wet], cracs: [crac("a", 9)] }, "floor:S/1", { reserveUnits: 0 });
    const small = answer({ devices: [wet], cracs: [cdu({ sensibleCapacityKw: 10 })] }, "floor:S/1", {
      reserveUnits: 0,
    });

    expect(none.hotspots).toMatchObject([{ ref: "floor:S/1", severity: "WATCH", code: "ZONE_WITHOUT_LIQUID_COOLING" }]);
    expect(none.racks).toMatchObject([{ code: "R", health: "WATCH" }]);
    expect(small.hotspots).toMatchObject([{ ref: "row:S/1/A", severity: "FAULT", code: "ZONE_LIQUID_DEFICIT" }]);
    expect([none.redundancyOk, small.redundancyOk]).toEqual([false, false]);
  });

  test("adds the liquid heat of a unit that rejects it into the air to the air of its room", () => {
    const found = answer({ devices: [wet], cracs: [cdu({ heatRejection: "AIR" }), crac("a", 30)] }, "row:S/1/A", {
      reserveUnits: 0,
    });

    expect(found).toMatchObject({ heatKw: 15, liquidHeatKw: 15, airHeatKw: 15, headroomKw: 15, liquidHeadroomKw: 5 });
  });

  test("counts only devices in service", () => {
    const devices = [hot("p", 1000, { status: "PLANNED" }), hot("f", 1000, { status: "FAILED" }), hot("d", 500)];

    expect(answer({ devices }).airHeatKw).toBe(0.5);
  });
});
