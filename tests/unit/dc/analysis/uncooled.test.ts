import { expect, test } from "bun:test";
import { thermalHeadroom } from "#dc/analysis/thermal.ts";
import { Topology } from "#dc/analysis/topology.ts";
import { uncooledIn, withUncooled } from "#dc/analysis/uncooled.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Crac, Device } from "#dc/model/resources.ts";

const OPTIONS = { basis: "ALLOCATED", reserveUnits: 0, failedCracCodes: [] } as const;
const cool = { siteId: "S", floorNumber: 1, room: "COOL" };
const warm = { siteId: "S", floorNumber: 1, room: "WARM" };
const racks = [
  { code: "C1", location: cool },
  { code: "W1", location: warm },
  { code: "W2", location: warm },
];
const unit: Crac = {
  code: "u",
  kind: "CRAH",
  location: cool,
  status: "ACTIVE",
  serves: ["room:S/1/cool"],
  sensibleCapacityKw: 50,
};

function server(rackCode: string, location: typeof cool): Device {
  return { code: `s-${rackCode}`, kind: "SERVER", rackCode, location, allocatedDrawW: 3000 };
}

function answer(ref: string, cracs: readonly Crac[], devices = [server("C1", cool), server("W1", warm)]) {
  const topology = Topology.of({ racks, devices, cracs, cables: [], fabricLinks: [] });
  const scope = parseRef(ref) as Ref;
  return withUncooled(thermalHeadroom(topology, scope, OPTIONS), scope, uncooledIn(topology, scope, "ALLOCATED"));
}

test("heat without any cooling unit is a fault of its scope and of its racks", () => {
  const found = answer("room:S/1/WARM", []);

  expect(found).toMatchObject({ headroomKw: -3, redundancyOk: false });
  expect(found.hotspots).toEqual([
    { ref: "room:S/1/WARM", severity: "FAULT", code: "ZONE_WITHOUT_COOLING", value: 3, limit: 0 },
  ]);
  expect(found.racks.map(({ code, health }) => [code, health])).toEqual([
    ["W1", "FAULT"],
    ["W2", "OK"],
  ]);
});

test("a cooled room beside it does not make up for it, however large its headroom", () => {
  const floor = answer("floor:S/1", [unit]);

  expect(floor.headroomKw).toBe(44);
  expect(floor.redundancyOk).toBe(false);
  expect(floor.hotspots).toMatchObject([{ ref: "floor:S/1", code: "ZONE_WITHOUT_COOLING", value: 3 }]);
  expect(answer("room:S/1/COOL", [unit])).toMatchObject({ redundancyOk: true, hotspots: [] });
});

test("a failed unit still is one, and what gives off no heat needs none", () => {
  const failed = answer("room:S/1/COOL", [{ ...unit, status: "FAILED" }]);

  expect(failed.hotspots.map(({ code }) => code)).toEqual(["ZONE_DEFICIT"]);
  expect(answer("room:S/1/WARM", [], [])).toMatchObject({ redundancyOk: true, hotspots: [] });
});
