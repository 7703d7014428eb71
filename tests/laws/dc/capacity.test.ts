import { expect, test } from "bun:test";
import { AreaCooling, countFreePortsByType } from "#dc/analysis/capacity/area_capacity.ts";
import { computeFreePower, findSuppliedRacks } from "#dc/analysis/capacity/free_power.ts";
import { computeThermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import { listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device, Port, Rack } from "#dc/model/resources.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { placementWorld, roomySite } from "../../support/dc/placement_world.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { NOTHING_FAILED, PowerModel } from "../../support/dc/power_model/model.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// What is left in areas against plain models: power by filling racks watt by watt until a finding of health comes, cooling and
// ports by failing every element of a slow model of power.

const FIRST_SEED = Number(process.env["PLANNER_LAW_SEED"] ?? 1);
const seeds = (count: number) => Array.from({ length: Math.ceil(count) }, (_, at) => FIRST_SEED + at);
const NOW = "2026-01-01T00:00:00.000Z";

type When = "NOW" | "AFTER_FAILURE";

/** A device that draws so much in a rack, half from each PDU. */
function drawing({ code }: Rack, watts: number): Device {
  const at = code.slice(1);
  const inlet = (side: string): Port => ({
    name: `psu${side}`,
    kind: "POWER_IN",
    powerIn: { sourceRef: `device:P${at}${side}` },
  });
  return {
    code: `X${at}`,
    kind: "SERVER",
    status: "ACTIVE",
    rackCode: code,
    allocatedDrawW: watts,
    ports: [inlet("A"), inlet("B")],
  };
}

/** Elements above a limit, by the findings of health: now above the long-term limit, after one failure above 100 %. */
function exceeded(inventory: Inventory, when: When): number {
  const topology = Topology.createFromInventory(inventory);
  const carried = topology.computeCarriedLoads("ALLOCATED");
  return [...topology.power.nodes.keys()].filter((index) =>
    listNodeLoadReasons(carried, index).some(
      ({ code, limit = 0 }) => code === "POWER_NORMAL" || (when === "AFTER_FAILURE" && limit >= 100),
    ),
  ).length;
}

/** Watts that racks take when all grow alike, found by trying. */
function filled(inventory: Inventory, racks: readonly Rack[], when: When): number {
  const levels = new Map(racks.map((rack) => [rack, 0]));
  const isFine = (): boolean => {
    const added = [...levels].map(([rack, watts]) => drawing(rack, watts));
    const isOver = [...levels].some(([{ powerCapacityW = Number.POSITIVE_INFINITY }, watts]) => watts > powerCapacityW);
    return !isOver && exceeded({ ...inventory, devices: [...inventory.devices, ...added] }, when) === 0;
  };
  const grow = (growing: readonly Rack[], by: number) => {
    for (const rack of growing) levels.set(rack, (levels.get(rack) ?? 0) + by);
  };
  const fits = (growing: readonly Rack[], by: number): boolean => {
    grow(growing, by);
    const fine = isFine();
    grow(growing, -by);
    return fine;
  };
  for (let growing = racks; growing.length > 0; ) {
    let step = 0;
    for (let bit = 2 ** 12; bit >= 1; bit /= 2) if (fits(growing, step + bit)) step += bit;
    grow(growing, step);
    const open = growing.filter((rack) => fits([rack], 2 * racks.length));
    growing = step === 0 && open.length === growing.length ? [] : open;
  }
  return [...levels.values()].reduce((sum, watts) => sum + watts, 0);
}

async function found(inventory: Inventory, racks: readonly Rack[], when: When) {
  const supplied = await findSuppliedRacks(
    Topology.createFromInventory(inventory),
    racks,
    { basis: "ALLOCATED", now: NOW },
    new CooperativeScheduler(),
  );
  return runAllSteps(computeFreePower(supplied.racks, when)).watts;
}

test("free power is what racks take together before a finding comes, now and after one failure", async () => {
  let differs = 0;
  for (const seed of seeds(LAW_RUNS / 10)) {
    const random = new SeededRandom(seed);
    const inventory = roomySite(random, seed % 2 === 0);
    const areas = [inventory.racks, inventory.racks.slice(0, 2), ...inventory.racks.map((rack) => [rack])];
    for (const racks of areas) {
      const watts = { NOW: 0, AFTER_FAILURE: 0 };
      for (const when of ["NOW", "AFTER_FAILURE"] as const) {
        const wanted = filled(inventory, racks, when);
        watts[when] = wanted;
        const answer = (await found(inventory, racks, when)) ?? -1;
        // Every stop of a rack is found to the watt.
        const isNear = Math.abs(answer - wanted) <= 2 * racks.length ** 2;
        expect({ seed, racks: racks.map(({ code }) => code), when, answer, wanted, isNear }).toMatchObject({
          isNear: true,
        });
      }
      if (watts.NOW > watts.AFTER_FAILURE + 10) differs += 1;
    }
  }
  expect(differs).toBeGreaterThan(0);
}, 300_000);

test("free power of a rack can be added on top of what is there without a further finding", async () => {
  let [added, blocked] = [0, 0];
  for (const seed of seeds(LAW_RUNS / 2)) {
    const inventory = placementWorld(new SeededRandom(seed));
    for (const rack of inventory.racks) {
      const pdus = inventory.devices.filter(({ kind, rackCode }) => kind === "RACK_PDU" && rackCode === rack.code);
      const answer = (await found(inventory, [rack], "AFTER_FAILURE")) ?? 0;
      // What is added has one cord where both PDUs are on one side.
      const sides = new Set(pdus.map(({ ports = [] }) => ports[0]?.powerIn?.sourceRef));
      if (sides.size < 2 || answer < 1) {
        blocked += 1;
        continue;
      }
      const next = { ...inventory, devices: [...inventory.devices, drawing(rack, Math.floor(answer))] };
      const counts = [exceeded(inventory, "AFTER_FAILURE"), exceeded(next, "AFTER_FAILURE")];
      expect({ seed, rack: rack.code, answer, isFine: (counts[1] ?? 0) <= (counts[0] ?? 0) }).toMatchObject({
        isFine: true,
      });
      added += 1;
    }
  }
  expect([added > LAW_RUNS / 10, blocked > 0]).toEqual([true, true]);
}, 300_000);

/** A drawn inventory whose cooling units serve something. */
function cooledInventory(seed: number): Inventory {
  const random = new SeededRandom(seed);
  const inventory = drawnInventory(seed);
  const serves = () => random.pick(["floor:S/1", "rack:R1", "rack:R2", "site:S"]);
  const cracs = inventory.cracs.map(
    (crac): Crac => ({
      ...crac,
      location: { siteId: "S", floorNumber: 1 },
      serves: [serves(), serves()],
      sensibleCapacityKw: 1 + random.below(5),
      ...(random.below(4) === 0 && { medium: "LIQUID" }),
      ...(random.below(4) === 0 && { heatRejection: "AIR" }),
    }),
  );
  const devices = inventory.devices.map(
    (device): Device => (random.below(3) === 0 ? { ...device, coolingMethod: "LIQUID" } : device),
  );
  return { ...inventory, devices, cracs };
}

/** Every element of a model that may fail, with what is live afterwards. */
function failures(model: PowerModel): readonly (readonly [element: string, live: ReadonlySet<string>])[] {
  return model.elements.map((element) => [element, model.live({ ...NOTHING_FAILED, failed: new Set([element]) })]);
}

type Headroom = (failedCracCodes: readonly string[]) => number;

function headroomOf(topology: Topology, area: Ref, medium: "AIR" | "LIQUID"): Headroom {
  return (failedCracCodes) => {
    const answer = computeThermalHeadroom(topology, area, { basis: "ALLOCATED", reserveUnits: 0, failedCracCodes });
    return medium === "AIR" ? answer.headroomKw : answer.liquidHeadroomKw;
  };
}

/** Cooling units that each failure of an element takes. */
function lostUnits(model: PowerModel): readonly (readonly string[])[] {
  const before = model.live(NOTHING_FAILED);
  return failures(model).map(([element, live]) =>
    [...model.cracs].flatMap(([key, { code }]) => {
      return key === element || (before.has(key) && !live.has(key)) ? [code] : [];
    }),
  );
}

test("free cooling is the least headroom after the failure of any element, by the answers of ThermalHeadroom", () => {
  let lower = 0;
  for (const seed of seeds(LAW_RUNS / 2)) {
    const inventory = cooledInventory(seed);
    const topology = Topology.createFromInventory(inventory);
    const lost = lostUnits(new PowerModel(inventory));
    const cooling = new AreaCooling(topology, "ALLOCATED");
    for (const text of ["site:S", "floor:S/1", "rack:R1", "rack:R3"]) {
      for (const medium of ["AIR", "LIQUID"] as const) {
        const area = parseRef(text) as Ref;
        const answer = runAllSteps(cooling.computeFreeCooling(area, medium));
        if (answer === undefined) continue;
        const headroom = headroomOf(topology, area, medium);
        const [now, least] = [headroom([]), Math.min(headroom([]), ...lost.map(headroom))];
        const told = {
          kw: answer.freeKw.toFixed(6),
          after: answer.failoverFreeKw.toFixed(6),
          isWorse: answer.failureRef !== "",
        };
        const wanted = { kw: now.toFixed(6), after: least.toFixed(6), isWorse: least < now };
        expect({ seed, text, medium, ...told }).toEqual({ seed, text, medium, ...wanted });
        if (least < now) lower += 1;
      }
    }
  }
  expect(lower).toBeGreaterThan(10);
}, 300_000);

test("free ports are those that the failure of any element leaves on devices with power", () => {
  let lost = 0;
  for (const seed of seeds(LAW_RUNS / 2)) {
    const inventory = drawnInventory(seed);
    const [topology, model] = [Topology.createFromInventory(inventory), new PowerModel(inventory)];
    const ports = inventory.devices.map((device, at) => ({
      device,
      port: { name: "e1", kind: "NETWORK", type: at % 3 === 0 ? "sfp" : "qsfp" } as Port,
    }));
    const before = model.live(NOTHING_FAILED);
    for (const { type, free, failoverFree, failureRef } of runAllSteps(countFreePortsByType(topology, ports))) {
      const own = ports.filter(({ port }) => port.type === type).map(({ device }) => `d:${device.code}`);
      const live = own.filter((element) => before.has(element));
      const rest = failures(model).map(([, after]) => live.filter((element) => after.has(element)).length);
      expect({ seed, type, free, failoverFree }).toEqual({
        seed,
        type,
        free: live.length,
        failoverFree: Math.min(...rest),
      });
      expect([seed, failureRef === ""]).toEqual([seed, failoverFree === free]);
      if (free - failoverFree > 1) lost += 1;
    }
  }
  expect(lost).toBeGreaterThan(10);
}, 300_000);
