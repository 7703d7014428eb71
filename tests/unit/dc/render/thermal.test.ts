import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { drawHeatMap, type FloorPositions, styleRacks } from "#dc/render/thermal/heat_map.ts";
import { drawThermal } from "#dc/render/thermal/thermal.ts";
import {
  CracShareSchema,
  CracStatus,
  RackThermalSchema,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { drawOptions, refsOf, wordsOf } from "../../../support/dc/pictures.ts";
import { cutTexts, overlappingTexts } from "../../../support/dc/scene_checks.ts";

const CODES = ["A01", "A02", "X1", "A03", "X2"];
const racks = CODES.map((code) => create(RackThermalSchema, { code, heatW: 4000, airHeatW: 4000, utilizationPct: 40 }));

/** Racks side by side from the west, in the order of their codes. */
function placesOf(codes: readonly string[], floor = (_code: string) => "floor:S/1"): FloorPositions {
  return new Map(
    codes.map((code, index) => [
      code.toLowerCase(),
      {
        floor: floor(code),
        placement: { xMm: 1000 + index * 600, yMm: 1000, widthMm: 600, depthMm: 1000, rotationDeg: 0 },
      },
    ]),
  );
}

const NO_UNITS = { shares: [], places: new Map() };
const mapOf = (places: FloorPositions, units: Parameters<typeof drawHeatMap>[1]["units"] = NO_UNITS) =>
  drawHeatMap(racks, { style: styleRacks(racks, "THERMAL"), places, width: 1040, units });
const titlesOf = (places: FloorPositions) => wordsOf(mapOf(places).items).filter((text) => text.startsWith("Racks"));

test("racks with a place stand to scale, and those without one in cells below", () => {
  const places = placesOf(["A01", "A02", "A03"]);
  const { scene } = drawThermal(
    { reply: create(ThermalHeadroomResponseSchema, { scopeRef: "floor:S/1", racks }), places, unitPlaces: new Map() },
    drawOptions(),
  );

  expect(titlesOf(places)).toEqual(["Racks on floor 1 of S", "Racks without a recorded place (side by side)"]);
  expect(refsOf(mapOf(places).items)).toEqual(["rack:A01", "rack:A02", "rack:A03", "rack:X1", "rack:X2"]);
  expect(wordsOf(mapOf(places).items)).toContain("1 m");
  expect([cutTexts(scene), overlappingTexts(scene)]).toEqual([[], []]);
  expect(scene.height).toBeGreaterThan(mapOf(places).height);
});

test("a cooling unit with a place on the floor of the racks stands beside them", () => {
  const shares = ["C1", "C2"].map((code) =>
    create(CracShareSchema, { code, status: CracStatus.ACTIVE, utilizationPct: 41 }),
  );
  const elsewhere = placesOf(["C2"], () => "floor:S/2");
  const { items } = mapOf(placesOf(CODES), { shares, places: new Map([...placesOf(["C1"]), ...elsewhere]) });

  expect(refsOf(items)).toEqual(["crac:C1", ...CODES.map((code) => `rack:${code}`)]);
});

test.each([
  ["all of them have a place", placesOf(CODES), ["Racks on floor 1 of S"]],
  ["none has one", placesOf([]), ["Racks (side by side, not where they stand)"]],
  [
    "they stand on several floors",
    placesOf(CODES, (code) => `floor:S/${code.length}`),
    ["Racks (side by side, not where they stand)"],
  ],
])("racks are drawn in one way where %s", (_case, places, titles) => {
  expect(titlesOf(places)).toEqual(titles);
  expect(refsOf(mapOf(places).items)).toEqual(CODES.map((code) => `rack:${code}`));
});

test("a wide floor is drawn so wide that its racks can be read", () => {
  const codes = Array.from({ length: 80 }, (_, index) => `R${index + 10}`);
  const { width, items } = drawHeatMap(
    codes.map((code) => create(RackThermalSchema, { code, utilizationPct: 40 })),
    { style: styleRacks([], "THERMAL"), places: placesOf(codes), width: 1040, units: NO_UNITS },
  );

  expect(width).toBeGreaterThan(2500);
  expect(wordsOf(items)).toEqual(expect.arrayContaining(codes));
});

test("racks too far apart for one picture stand in cells", () => {
  const places = new Map(placesOf(CODES));
  places.set("a01", {
    floor: "floor:S/1",
    placement: { xMm: 900_000, yMm: 0, widthMm: 600, depthMm: 1000, rotationDeg: 0 },
  });

  expect(titlesOf(places)).toEqual(["Racks (side by side, not where they stand)"]);
});
