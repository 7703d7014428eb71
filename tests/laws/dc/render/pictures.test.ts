import { beforeAll, expect, test } from "bun:test";
import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { Resvg } from "@resvg/resvg-wasm";
import fc from "fast-check";
import { RENDER_VIEWS, THEMES } from "#dc/model/enum_values.ts";
import { drawElevation } from "#dc/render/elevation/elevation.ts";
import { drawFloorPlan } from "#dc/render/floor/floor_plan.ts";
import { formatHtmlPage } from "#dc/render/html.ts";
import { buildDataset, formatSvg } from "#dc/render/render_screen.ts";
import type { Drawing } from "#dc/render/scene.ts";
import { drawThermal } from "#dc/render/thermal/thermal.ts";
import {
  Face,
  FloorPlanResponseSchema,
  GetRackResponseSchema,
  SlotWidth,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { loadPage } from "#runtime/pages.ts";
import { loadRasterizer } from "../../../support/dc/rasterizer.ts";
import { cutTexts, overlappingTexts } from "../../../support/dc/scene_checks.ts";
import { law } from "../../../support/law.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

beforeAll(async () => void (await loadRasterizer()));

/** A message of generated numbers, unknown values of enumerations included. */
function made<Desc extends DescMessage>(schema: Desc, init: object) {
  return create(schema, init as MessageInitShape<Desc>);
}

const runs = { numRuns: Math.max(20, Math.floor(LAW_RUNS / 2)), includeErrorInReport: true };
const OPTIONS = { coloring: undefined, view: undefined, highlight: new Set<string>(), maxNodes: 500 };

/** Whatever a person may type: markup, control letters, halves of pairs, emoji, scripts of both directions. */
const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 128 }),
  fc.constantFrom(
    "",
    "<script>alert(1)</script>",
    "]]>",
    '"]; rm',
    "مرحبا بالعالم",
    "家族👩‍👩‍👧‍👦",
    "\u0007\ud800",
    "x".repeat(128),
  ),
);
const code = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const int = (most: number) => fc.integer({ min: 0, max: most });

/** A rack as the service may answer it, conflicts and things outside of the frame included. */
const rack = fc
  .record({
    code,
    name: words,
    total: fc.integer({ min: 1, max: 60 }),
    descUnits: fc.boolean(),
    startingUnit: fc.integer({ min: 1, max: 5 }),
    reserved: fc.array(words, { maxLength: 5 }),
    // Codes differ by more than the case of their letters.
    occupants: fc.uniqueArray(
      fc.record({
        deviceCode: code,
        name: words,
        role: fc.constantFrom("", "gpu", "leaf", "constructor", "anything"),
        kind: int(23),
        positionU: fc.option(
          int(130).map((half) => half / 2),
          { nil: undefined },
        ),
        uHeight: int(20).map((half) => half / 2),
        face: int(2),
        depth: int(2),
        slot: int(3),
        mount: int(7),
        status: int(7),
        drawW: int(30_000),
      }),
      { maxLength: 30, selector: ({ deviceCode }) => deviceCode.toLowerCase() },
    ),
    reasons: fc.array(
      fc.record({ code: fc.constantFrom("U_CONFLICT", "POWER_FAILOVER"), ref: words, health: int(3) }),
      { maxLength: 20 },
    ),
  })
  .map(({ total, reserved, occupants, reasons, ...rest }) => {
    const from = rest.startingUnit;
    const units = Array.from({ length: total }, (_, index) => {
      const u = rest.descUnits ? from + index : from + total - 1 - index;
      const front = occupants
        .filter(({ positionU, uHeight }) => positionU !== undefined && positionU < u + 1 && u < positionU + uHeight)
        .map(({ deviceCode }) => deviceCode);
      return { u, front, reserved: reserved[index] ?? "" };
    });
    return made(GetRackResponseSchema, {
      rack: { ...rest, location: { siteId: "S" }, healthReasons: reasons },
      occupants: occupants.map(({ positionU, ...one }) => ({ ...one, ...(positionU !== undefined && { positionU }) })),
      units,
      capacity: {
        totalU: total,
        usedU: 1,
        freeU: total - 1,
        failoverWByPath: [{ powerPath: rest.name, failoverW: 3 }],
      },
    });
  });

const floor = fc
  .record({
    unplaced: fc.uniqueArray(fc.record({ code, health: int(3), name: words }), {
      selector: ({ code: own }) => own,
      maxLength: 5,
    }),
    racks: fc.uniqueArray(
      fc.record({
        code,
        name: words,
        row: fc.constantFrom("", "A", "B"),
        health: int(3),
        turn: int(3),
        wide: fc.boolean(),
      }),
      {
        selector: ({ code: own }) => own,
        maxLength: 40,
      },
    ),
  })
  .map(({ racks, unplaced }) =>
    made(FloorPlanResponseSchema, {
      floorRef: "floor:S/1",
      extents: { widthMm: 12_000, depthMm: 12_000 },
      unplaced: unplaced.map(({ code: own }) => `rack:${own}`),
      unplacedRacks: unplaced,
      // Racks stand in a grid, so that none lies over another, as on a real floor.
      racks: racks.map(({ turn, wide, ...one }, index) => ({
        ...one,
        placement: {
          xMm: 500 + (index % 7) * 1500,
          yMm: 500 + Math.floor(index / 7) * 1800,
          widthMm: wide ? 1200 : 600,
          depthMm: 1200,
          rotationDeg: turn * 90,
        },
      })),
    }),
  );

const thermal = fc
  .record({
    zones: fc.array(
      fc.record({
        ref: words,
        heatKw: int(500),
        effectiveKw: int(500),
        reserveKw: int(90),
        usableKw: int(500),
        redundancyOk: fc.boolean(),
      }),
      { maxLength: 30 },
    ),
    racks: fc.uniqueArray(
      fc.record({ code, heatW: int(40_000), airHeatW: int(40_000), utilizationPct: int(150), health: int(3) }),
      { maxLength: 40, selector: ({ code: own }) => own.toLowerCase() },
    ),
    hotspots: fc.array(
      fc.record({
        ref: words,
        severity: int(3),
        code: fc.constant("INLET_ABOVE_ALLOWABLE"),
        value: int(60),
        limit: int(40),
      }),
      { maxLength: 30 },
    ),
    // So many of the racks have a place, in a grid like a floor's.
    placed: int(40),
    apartMm: fc.constantFrom(600, 1500, 12_000),
  })
  .map(({ placed, apartMm, ...init }) => ({
    reply: made(ThermalHeadroomResponseSchema, { scopeRef: "site:S", ...init }),
    unitPlaces: new Map(),
    places: new Map(
      init.racks.slice(0, placed).map(({ code: own }, index) => [
        own.toLowerCase(),
        {
          floor: "floor:S/1",
          placement: {
            xMm: 500 + (index % 7) * apartMm,
            yMm: 500 + Math.floor(index / 7) * 1800,
            widthMm: 600,
            depthMm: 1200,
            rotationDeg: (index % 4) * 90,
          },
        },
      ]),
    ),
  }));

const drawing: fc.Arbitrary<Drawing> = fc.oneof(
  fc
    .tuple(
      rack,
      fc.constantFrom(undefined, ...RENDER_VIEWS),
      fc.constantFrom(undefined, "POWER" as const, "HEALTH" as const),
      fc.constantFrom(5, 500),
    )
    .map(([reply, view, coloring, maxNodes]) => drawElevation(reply, { ...OPTIONS, view, coloring, maxNodes })),
  fc
    .tuple(floor, fc.constantFrom(4, 500), fc.constantFrom("HEALTH" as const, "RISK" as const))
    .map(([reply, maxNodes, coloring]) => drawFloorPlan(reply, { ...OPTIONS, maxNodes, coloring })),
  thermal.map((picture) => drawThermal(picture, OPTIONS)),
);

law(
  "no text leaves its picture and no two texts overlap, whatever the data",
  [drawing],
  ({ scene }) => {
    expect(cutTexts(scene)).toEqual([]);
    expect(overlappingTexts(scene)).toEqual([]);
  },
  runs,
);

test.each(["ABC", "BCA", "CAB", "BAC"])(
  "no device of a rack lies over another, beside one that contradicts two: %s",
  (order) => {
    const of = (deviceCode: string, positionU: number, uHeight: number, slot: SlotWidth) => ({
      deviceCode,
      name: deviceCode,
      positionU,
      uHeight,
      slot,
      face: Face.FRONT,
    });
    const all = [of("A", 1, 2, SlotWidth.FULL), of("B", 1, 6, SlotWidth.LEFT), of("C", 3, 2, SlotWidth.RIGHT)];
    const occupants = all.toSorted((a, b) => order.indexOf(a.deviceCode) - order.indexOf(b.deviceCode));
    const units = Array.from({ length: 8 }, (_, index) => ({ u: 8 - index }));
    const reply = made(GetRackResponseSchema, { rack: { code: "R" }, occupants, units, capacity: { totalU: 8 } });

    const { scene } = drawElevation(reply, { ...OPTIONS, view: "FRONT" });

    expect(overlappingTexts(scene)).toEqual([]);
  },
);

law(
  "SVG is valid XML whatever names hold, and the same scene gives the same text",
  [drawing, fc.constantFrom(...THEMES)],
  ({ scene }, theme) => {
    const svg = formatSvg(scene, { theme });
    // A strict parser of XML reads it.
    new Resvg(svg, { font: { fontBuffers: [] } }).free();
    expect(svg).not.toMatch(/<script|javascript:|NaN|undefined|Infinity/);
    expect(formatSvg(scene, { theme })).toBe(svg);
  },
  runs,
);

test("a dataset cannot leave its script element, and reads back as it was", async () => {
  const page = (await loadPage("picture_file")) ?? "";
  await fc.assert(
    fc.asyncProperty(drawing, async (drawn) => {
      const data = buildDataset("FLOOR", drawn);
      const html = formatHtmlPage(drawn.scene, {
        svg: formatSvg(drawn.scene, { theme: "LIGHT" }),
        theme: "LIGHT",
        data,
        page,
      });
      const scripts = html.match(/<script[\s>]/g) ?? [];
      const [, json = ""] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];

      expect(scripts).toHaveLength(2);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)));
    }),
    runs,
  );
});

law(
  "drawn and omitted devices are all there are",
  [rack, fc.integer({ min: 1, max: 40 })],
  (reply, maxNodes) => {
    const { omittedNodes, graph } = drawElevation(reply, { ...OPTIONS, maxNodes });
    expect(graph.nodes.length - 1 + omittedNodes).toBe(reply.occupants.length);
    expect(omittedNodes).toBe(Math.max(0, reply.occupants.length - maxNodes));
  },
  runs,
);
