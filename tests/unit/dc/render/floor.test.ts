import { expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { drawFloorPlan } from "#dc/render/floor/floor_plan.ts";
import { drawTileText } from "#dc/render/floor/ground.ts";
import { type FloorTile, styleFloor } from "#dc/render/floor/tiles.ts";
import { resolveColor } from "#dc/render/palette.ts";
import { formatSvg } from "#dc/render/render_screen.ts";
import type { Group, Item } from "#dc/render/scene.ts";
import {
  CracStatus,
  type FloorPlanResponse,
  FloorPlanResponseSchema,
  Health,
  LoadBasis,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { drawOptions, refsOf, wordsOf } from "../../../support/dc/pictures.ts";
import { cutTexts, overlappingTexts, textsOf } from "../../../support/dc/scene_checks.ts";

const ROWS = 20;
const RACKS = 25;

test("names the frame of highlighted racks in the legend, and no frame that is not there", () => {
  const legend = (...refs: readonly string[]) =>
    wordsOf(drawFloorPlan(hall(), drawOptions({ highlight: new Set(refs), highlightLabel: "new place" })).scene.items);

  expect(legend("rack:a01")).toContain("new place");
  expect(legend("rack:nowhere")).not.toContain("new place");
  expect(legend()).not.toContain("new place");
});

test("colours by readings hatch racks of which meters say nothing, and give them no figure", () => {
  const reply = create(FloorPlanResponseSchema, {
    floorRef: "floor:S/1",
    extents: { widthMm: 3000, depthMm: 2000 },
    loadBasis: LoadBasis.MEASURED,
    racks: [
      {
        code: "R1",
        powerPct: 41,
        measuredW: 900,
        inletTempC: 28,
        placement: { xMm: 0, yMm: 0, widthMm: 600, depthMm: 1200 },
      },
      { code: "R2", powerPct: 52, placement: { xMm: 900, yMm: 0, widthMm: 600, depthMm: 1200 } },
    ],
  });
  const drawn = (coloring: "POWER" | "THERMAL") => {
    const { scene } = drawFloorPlan(reply, drawOptions({ coloring }));
    const hatched = scene.items.flatMap(groupsOf).filter(({ items }) => items.some((item) => "hatch" in item));
    return { words: wordsOf(scene.items).join(" "), hatched: hatched.flatMap(({ ref }) => ref ?? []) };
  };

  expect(drawn("POWER").hatched).toEqual(["rack:R2"]);
  expect(drawn("POWER").words).toContain("R1 41 %");
  expect(drawn("POWER").words).toContain("draw not measured");
  expect(drawn("POWER").words).not.toContain("52 %");
  expect(drawn("THERMAL").hatched).toEqual(["rack:R2"]);
  expect(drawn("THERMAL").words).toContain("R1 28 °C");
});

function groupsOf(item: Item): readonly Group[] {
  return item.kind === "group" ? [item, ...item.items.flatMap(groupsOf)] : [];
}

/** A hall of 500 racks with a power panel at both ends of every row; the racks of row D are faulty. */
function hall(): FloorPlanResponse {
  const rows = Array.from({ length: ROWS }, (_, index) => String.fromCharCode(65 + index));
  return create(FloorPlanResponseSchema, {
    floorRef: "floor:BIG/1",
    extents: { widthMm: 19_000, depthMm: 50_000 },
    racks: rows.flatMap((row, index) =>
      Array.from({ length: RACKS }, (_rack, number) => ({
        code: `${row}${String(number + 1).padStart(2, "0")}`,
        row,
        health: row === "D" ? Health.FAULT : Health.OK,
        powerPct: 60 + number,
        placement: { xMm: 2400 + number * 600, yMm: 2400 * (index + 1), widthMm: 600, depthMm: 1200 },
      })),
    ),
    devices: rows.flatMap((row, index) =>
      ["A", "B"].map((side) => ({
        code: `RPP-${row}-${side}`,
        powerPct: 40,
        placement: { xMm: side === "A" ? 600 : 18_000, yMm: 2400 * (index + 1), widthMm: 600, depthMm: 600 },
      })),
    ),
  });
}

test("a wide floor names every rack and panel in full", () => {
  const { scene } = drawFloorPlan(hall(), drawOptions({ maxNodes: 1000 }));
  const words = wordsOf(scene.items).join(" ");

  expect(words).toContain("RPP- A-A 40 %");
  expect(words).toContain("T25 84 %");
  expect(formatSvg(scene, { theme: "LIGHT" })).not.toContain("…");
  expect([cutTexts(scene), overlappingTexts(scene)]).toEqual([[], []]);
});

test("rows without a fault fold first, and the others keep their names", () => {
  const { scene, omittedNodes } = drawFloorPlan(hall(), drawOptions({ maxNodes: 100 }));
  const words = wordsOf(scene.items);

  expect(omittedNodes).toBe((ROWS - 1) * RACKS);
  expect(words).toContain("Row A: 25 racks");
  expect(words).toContain("Row D");
  expect(words).toContain("D25");
});

test("racks without a place stand beside the plan with their health, the worst first", () => {
  const unplaced = ["crac:CRAH-9", "rack:X1", "rack:X2"];
  const unplacedRacks = [
    { code: "X1", health: Health.OK },
    { code: "X2", health: Health.FAULT, reasons: [{ code: "U_CONFLICT", ref: "device:S1" }] },
  ];
  const reply = create(FloorPlanResponseSchema, { floorRef: "floor:BIG/1", unplaced, unplacedRacks });
  const { scene, elements } = drawFloorPlan(reply, drawOptions());
  const svg = formatSvg(scene, { theme: "LIGHT" });

  expect(refsOf(scene.items)).toEqual(["rack:X2", "rack:X1", "crac:CRAH-9"]);
  expect(svg).toMatch(/X2\nHealth: Fault[^<]*U conflict: S1\nno placement recorded/);
  expect(svg).toContain(resolveColor("LIGHT", "faultSoft"));
  expect(elements.map(({ ref }) => ref)).toEqual(["rack:X1", "rack:X2"]);
});

test.each([0, 180])(
  "a code written along its rack keeps off the bar of its front, which faces %p degrees",
  (facing) => {
    const height = 66;
    const area = { west: 0, north: 0, east: 600, south: 1200 };
    const names = { ref: "rack:H02-B01", kind: "rack", code: "H02-B01-0", title: "", row: "", figure: "" } as const;
    const tile: FloorTile = { ...names, area, facing, fill: "panel", state: undefined, facts: [] };
    const [code] = textsOf(drawTileText(tile, { x: 0, y: 0, width: 33, height }));

    expect(code?.text).toBe("H02-B01-0");
    const edge = facing === 0 ? code?.box.north : height - (code?.box.south ?? height);
    // The bar ends 4 pixels from the edge.
    expect(edge).toBeGreaterThanOrEqual(5);
  },
);

test("heat without measured inlets is coloured by each rack's own cooling, whatever the others take", () => {
  const colours = (coolingPct: readonly (number | undefined)[]) => {
    const racks = coolingPct.map((pct, index) => ({ code: `R${index}`, heatW: 4000 * (index + 1), coolingPct: pct }));
    const style = styleFloor(create(FloorPlanResponseSchema, { racks }), "THERMAL");
    return create(FloorPlanResponseSchema, { racks }).racks.map((rack) => [
      style.findFill(rack),
      style.formatFigure(rack),
    ]);
  };

  expect(colours([10, 30, undefined])).toEqual([
    ["scale0", "10 %"],
    ["scale1", "30 %"],
    ["panel", "12 kW"],
  ]);
  expect(colours([10, 130])[0]).toEqual(["scale0", "10 %"]);
});

test("a cooling unit that does not run shows its status instead of a load", () => {
  const placement = { xMm: 0, yMm: 0, widthMm: 1200, depthMm: 1200 };
  const reply = create(FloorPlanResponseSchema, {
    floorRef: "floor:S/1",
    extents: { widthMm: 5000, depthMm: 5000 },
    cracs: [
      { code: "C1", status: CracStatus.STANDBY, placement },
      { code: "C2", status: CracStatus.ACTIVE, placement: { ...placement, xMm: 2000 } },
    ],
  });
  const { scene, elements } = drawFloorPlan(reply, drawOptions({}));

  expect(elements.map(({ facts }) => facts)).toEqual([
    [["Status", "Standby"]],
    [
      ["Status", "Active"],
      ["Load", "0 %"],
    ],
  ]);
  expect(wordsOf(scene.items).filter((word) => word.includes("%"))).toEqual(["0 %"]);
});
