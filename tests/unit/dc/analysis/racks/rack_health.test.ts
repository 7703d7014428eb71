import { describe, expect, test } from "bun:test";
import { computeFloorPlan, type FloorAnswer } from "#dc/analysis/racks/floor_plan.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Device, Rack } from "#dc/model/resources.ts";
import { ams1Inventory } from "../../../../support/dc/ams1_inventory.ts";
import { inventory, load, source } from "../../../../support/dc/power.ts";

const INPUT = { basis: "ALLOCATED" as const, now: "2026-06-01T00:00:00.000Z" };

/** The reasons of one rack with these devices, fed by sources A and B. */
function reasons(rack: Partial<Rack>, ...devices: readonly Device[]) {
  const whole = { code: "R", uHeight: 10, ...rack };
  const site = { ...inventory(source("A"), source("B"), ...devices), racks: [whole] };
  const standing = Topology.createFromInventory(site).computeRackStanding(whole, INPUT);
  const { health, reasons: found } = standing;
  return { health, found: found.map(({ code, ref, health: weight }) => [code, ref, weight]) };
}

const server = (code: string, sources: readonly string[], parts: Partial<Device> = {}) =>
  load(code, sources, { rackCode: "R", allocatedDrawW: 100, ...parts });

// tests/laws/dc/power_model.test.ts compares reasons of power and redundancy with a slow model.

describe("computeRackHealth", () => {
  test("is OK without a reason", () => {
    expect(reasons({}, server("s", ["device:A", "device:B"]))).toEqual({ health: "OK", found: [] });
  });

  test("only informs about a single-corded device of which nothing more is demanded", () => {
    const found = reasons({}, server("s", ["device:A", "device:B"]), server("t", ["device:A"], { allocatedDrawW: 60 }));

    expect(found).toEqual({ health: "OK", found: [["SINGLE_CORDED", "device:t", undefined]] });
  });

  test("reports power, weight, failed devices and units used twice", () => {
    const at = { positionU: 1, uHeight: 1, face: "FRONT" as const };
    const found = reasons(
      { powerCapacityW: 120, maxLoadKg: 100 },
      server("s", ["device:A", "device:B"], { ...at, weightKg: 90 }),
      server("t", ["device:A", "device:B"], { ...at, status: "FAILED" }),
    );

    expect(found).toEqual({
      health: "FAULT",
      found: [
        ["POWER_NORMAL", "rack:R", "WATCH"],
        ["DEVICE_FAILED", "device:t", "WATCH"],
        ["WEIGHT", "rack:R", "WATCH"],
        ["U_SPACE_OCCUPIED", "device:s", "FAULT"],
      ],
    });
  });

  test("only informs about old measurements", () => {
    const found = reasons({ measuredAt: "2026-05-30T00:00:00.000Z" });

    expect(found).toEqual({ health: "OK", found: [["STALE_TELEMETRY", "rack:R", undefined]] });
  });

  test("watches a full rack", () => {
    const full = reasons({}, server("s", ["device:A", "device:B"], { positionU: 1, uHeight: 10, face: "FRONT" }));

    expect(full).toEqual({ health: "WATCH", found: [["SPACE", "rack:R", "WATCH"]] });
  });
});

describe("computeFloorPlan", () => {
  async function plan(): Promise<FloorAnswer> {
    return computeFloorPlan(
      Topology.createFromInventory(await ams1Inventory()),
      parseRef("floor:AMS1/1") as Ref,
      INPUT,
    );
  }

  test("shows every rack, unit and floor-standing device of the sample inside its extents", async () => {
    const { racks, cracs, devices, counts, extents, unplaced } = await plan();

    expect([racks.length, cracs.length, devices.length, unplaced]).toEqual([40, 8, 20, []]);
    expect(counts.ok + counts.watch + counts.fault).toBe(40);
    expect(extents.widthMm).toBeGreaterThanOrEqual(10_150);
  }, 240_000);

  test("faults rack A08 of the sample, which hangs on one feed, and watches B03 for its server on one side", async () => {
    const { racks } = await plan();
    const of = (code: string) => racks.find(({ rack }) => rack.code === code);

    expect(of("A08")).toMatchObject({
      health: "FAULT",
      reasons: expect.arrayContaining([expect.objectContaining({ code: "ONE_POWER_PATH" })]),
    });
    expect(of("B03")?.reasons).toContainEqual(
      expect.objectContaining({ code: "REDUNDANCY_UNMET", ref: "device:SRV-B03-07", health: "WATCH" }),
    );
  }, 240_000);
});
