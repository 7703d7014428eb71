import { describe, expect, test } from "bun:test";
import type { ThermalOptions } from "#dc/analysis/cooling/cooling_balance.ts";
import { computeThermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Rack } from "#dc/model/resources.ts";

const place = { siteId: "S", floorNumber: 1, row: "A" };

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
});

describe("computeThermalHeadroom of liquid", () => {
  const cdu = (parts: Partial<Crac> = {}): Crac => crac("cdu", 20, { kind: "CDU", ...parts });
  const wet = hot("w", 15_000, { coolingMethod: "LIQUID" });

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
});
