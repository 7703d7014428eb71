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

/** Zones, each with heat, headroom and devices of which no heat is recorded. */
type ZoneFigures = readonly (readonly [heatKw: number, headroomKw: number, devicesWithoutHeat: number])[];

test.each<[name: string, zones: ZoneFigures, headroomKw: number, expected: readonly string[]]>([
  ["one zone", [[10, 20, 0]], 20, ["Headroom 20 kW (50 %)"]],
  ["one zone at its limit", [[30, 0, 0]], 0, ["Headroom 0 W (50 %)"]],
  ["one zone that is short", [[40, -5, 0]], -5, ["Headroom -5 kW (50 %)"]],
  ["no zone", [], 0, ["Headroom 0 W (50 %)"]],
  ["a zone without any heat, all of it recorded", [[0, 30, 0]], 30, ["Headroom 30 kW (50 %)"]],
  ["a zone with heat and an unknown device", [[10, 20, 3]], 20, ["Headroom 20 kW (50 %)"]],
  [
    "two zones",
    [
      [10, 20, 0],
      [5, 25, 0],
    ],
    45,
    ["Headroom, all zones together 45 kW (50 %)", "Most in room Z1, floor 1 of S 25 kW"],
  ],
  [
    "two zones, the first with more",
    [
      [5, 25, 0],
      [10, 20, 0],
    ],
    45,
    ["Headroom, all zones together 45 kW (50 %)", "Most in room Z0, floor 1 of S 25 kW"],
  ],
  [
    "two zones that are short",
    [
      [40, -5, 0],
      [42, -7, 0],
    ],
    -12,
    ["Headroom, all zones together -12 kW (50 %)", "Most in room Z0, floor 1 of S -5 kW"],
  ],
  [
    "two zones, nothing known of the one with more",
    [
      [0, 30, 4],
      [10, 20, 0],
    ],
    50,
    ["Headroom, all zones together 50 kW (50 %)", "Most in room Z1, floor 1 of S 20 kW"],
  ],
  [
    "two zones of which nothing is known",
    [
      [0, 30, 4],
      [0, 30, 2],
    ],
    60,
    ["Headroom, all zones together heat not recorded"],
  ],
  ["one zone of which nothing is known", [[0, 30, 4]], 30, ["Headroom heat not recorded"]],
])("a headroom of several zones is named as a total beside the best zone: %s", (_, zones, headroomKw, expected) => {
  const airHeatKw = zones.reduce((sum, [heatKw]) => sum + heatKw, 0);
  const reply = create(ThermalHeadroomResponseSchema, {
    scopeRef: "floor:S/1",
    airHeatKw,
    headroomKw,
    headroomPct: 50,
    usableKw: airHeatKw + headroomKw,
    devicesWithoutHeat: zones.reduce((sum, [, , without]) => sum + without, 0),
    cracs: [{ code: "C1", status: CracStatus.ACTIVE, effectiveKw: 90 }],
    zones: zones.map(([heatKw, zoneKw, devicesWithoutHeat], at) => ({
      ref: `room:S/1/Z${at}`,
      heatKw,
      headroomKw: zoneKw,
      usableKw: heatKw + zoneKw,
      redundancyOk: zoneKw >= 0,
      devicesWithoutHeat,
    })),
  });
  const { scene } = drawThermal({ reply, places: new Map(), unitPlaces: new Map() }, drawOptions());
  const words = wordsOf(scene.items);

  const figures = words.flatMap((word, at) => (/^(Headroom|Most in)/.test(word) ? [`${word} ${words[at + 1]}`] : []));
  expect(figures).toEqual([...expected]);
  const unknown = zones.filter(([heatKw, , without]) => heatKw === 0 && without > 0);
  expect(words.filter((word) => word.startsWith("heat not recorded, "))).toHaveLength(unknown.length);
  expect([cutTexts(scene), overlappingTexts(scene)]).toEqual([[], []]);
});
