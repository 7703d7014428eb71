import { expect, test } from "bun:test";
import { COLOR_TOKENS, computeContrastRatio, findHatch, resolveColor } from "#dc/render/palette.ts";
import { getColorName } from "#words/color_name.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

const PLACE = { site_id: "S1", floor_number: 1 };

async function svgOf({ call }: TestService, rpc: string, request: object): Promise<string> {
  const { render } = await call(rpc, { ...request, render: { format: "RENDER_FORMAT_SVG" } });
  return render.text;
}

const widthOf = (svg: string) => Number(/viewBox="0 0 ([\d.]+) /.exec(svg)?.[1]);
const wordsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words);

test("one rack far from the floor's corner is drawn as large as any, and the picture names its place", async () => {
  const site = await testService();
  const placement = { x_mm: 95_000, y_mm: 64_000, width_mm: 600, depth_mm: 1200 };
  await site.call("UpsertRack", { rack: { code: "FAR", location: PLACE, placement } });

  const svg = await svgOf(site, "FloorPlan", { floor_ref: "floor:S1/1" });

  expect(widthOf(svg)).toBeLessThan(900);
  expect(wordsOf(svg)).toContain("FAR");
  expect(wordsOf(svg)).toContain("The plan begins 93 m east and 62 m south of the floor&#39;s corner");
});

test("a floor near its corner is drawn from the corner", async () => {
  const site = await testService();
  const placement = { x_mm: 6000, y_mm: 1000, width_mm: 600, depth_mm: 1200 };
  await site.call("UpsertRack", { rack: { code: "NEAR", location: PLACE, placement } });

  const words = wordsOf(await svgOf(site, "FloorPlan", { floor_ref: "floor:S1/1" }));

  expect(words.filter((text = "") => text.startsWith("The plan begins"))).toEqual([]);
});

test("a floor without racks says what is on it", async () => {
  const site = await testService();
  await site.call("UpsertDevice", { device: { code: "D1", kind: "DEVICE_KIND_SERVER", location: PLACE } });
  await site.call("UpsertRack", { rack: { code: "R1", location: { ...PLACE, floor_number: 2 } } });

  const [none, unplaced] = [
    wordsOf(await svgOf(site, "FloorPlan", { floor_ref: "floor:S1/1" })),
    wordsOf(await svgOf(site, "FloorPlan", { floor_ref: "floor:S1/2" })),
  ];

  expect(none).toEqual(["Floor S1/1", "No rack, cooling unit or floor-standing supply is recorded here"]);
  expect(unplaced).toContain("No rack on the plan · 0 cooling units");
});

test("a place without a fabric is a title and a sentence", async () => {
  const site = await testService();
  await site.call("UpsertRack", { rack: { code: "R1", location: PLACE } });

  const svg = await svgOf(site, "FabricTopology", { scope_ref: "site:S1" });

  expect(wordsOf(svg).slice(1)).toEqual(["No fabric link is recorded here"]);
});

test("blades stand in their chassis, in the order of its bays, and not beside the rack", async () => {
  const site = await testService();
  await site.call("UpsertRack", { rack: { code: "R1", location: PLACE } });
  const chassis = { code: "CH", kind: "DEVICE_KIND_CHASSIS", rack_code: "R1", position_u: 5, u_height: 6 };
  await site.call("UpsertDevice", { device: { ...chassis, face: "FACE_FRONT" } });
  for (const bay of ["10", "2", "1"]) {
    const blade = { code: `BL-${bay}`, kind: "DEVICE_KIND_BLADE", rack_code: "R1", parent_device_code: "CH", bay };
    await site.call("UpsertDevice", { device: blade });
  }

  const svg = await svgOf(site, "GetRack", { code: "R1" });

  const boxOf = (code: string) => {
    const [, x = "", y = "", width = "", height = ""] =
      new RegExp(
        `data-ref="device:${code}"[^>]*><title>[^<]*</title><rect x="([\\d.]+)" y="([\\d.]+)" width="([\\d.]+)" height="([\\d.]+)"`,
      ).exec(svg) ?? [];
    return { west: Number(x), north: Number(y), east: Number(x) + Number(width), south: Number(y) + Number(height) };
  };
  const [outer, ...blades] = ["CH", "BL-1", "BL-2", "BL-10"].map(boxOf);
  for (const [index, { west, north, east, south }] of blades.entries()) {
    expect(west).toBeGreaterThanOrEqual(outer?.west ?? 0);
    expect(north).toBeGreaterThan(outer?.north ?? 0);
    expect(east).toBeLessThanOrEqual(outer?.east ?? 0);
    expect(south).toBeLessThanOrEqual(outer?.south ?? 0);
    expect(west).toBeGreaterThan(blades[index - 1]?.west ?? 0);
  }
  expect(wordsOf(svg)).not.toContain("Without a unit");
});

test("a cable is drawn in its recorded colour and named by it", async () => {
  const site = await testService();
  for (const code of ["A", "B"]) {
    const ports = [{ name: "e0", kind: "PORT_KIND_NETWORK" }];
    await site.call("UpsertDevice", { device: { code, kind: "DEVICE_KIND_SERVER", location: PLACE, ports } });
  }
  const end = (device_code: string) => ({ device_code, port_name: "e0" });
  await site.call("UpsertCable", { cable: { a: end("A"), b: end("B"), type: "CABLE_TYPE_CAT6A", color: "FFEB3B" } });

  const svg = await svgOf(site, "TraceCablePath", { port_ref: "port:A/e0" });

  expect(svg.toLowerCase()).toContain('stroke="#ffeb3b" stroke-width="6"');
  expect(wordsOf(svg)).toContain("yellow cable");
  expect(wordsOf(svg).some((words = "") => words.endsWith("· yellow"))).toBe(true);
});

test.each([
  ["FF0000", "red"],
  ["00bcd4", "aqua"],
  ["2196f3", "blue"],
  ["ffffff", "white"],
  ["9e9e9e", "grey"],
  ["4caf50", "green"],
  ["ff9800", "orange"],
  ["9c27b0", "violet"],
  ["795548", "brown"],
  ["111111", "black"],
  ["f48fb1", "rose"],
])("%s is called %s", (color, name) => {
  expect(getColorName(color)).toBe(name);
});

test("no two roles look alike on paper, and hatches can be seen on their grounds", () => {
  const roles = COLOR_TOKENS.filter((token) => token.startsWith("role"));

  const looks = roles.map(
    (role) => `${resolveColor("PRINT", role)} ${JSON.stringify(findHatch("PRINT", role)?.pattern)}`,
  );

  expect(new Set(looks).size).toBe(roles.length);
  const greys = [...new Set(roles.map((role) => resolveColor("PRINT", role)))].toSorted();
  for (const [index, grey] of greys.entries()) {
    const next = greys[index + 1];
    if (next !== undefined) expect(computeContrastRatio(grey, next)).toBeGreaterThan(1.35);
  }
  for (const role of roles) {
    const hatch = findHatch("PRINT", role);
    if (hatch !== undefined)
      expect(computeContrastRatio(hatch.paint, resolveColor("PRINT", role))).toBeGreaterThan(1.8);
  }
});

test("a rack of devices without a draw does not say that they draw 0 W", async () => {
  const site = await testService();
  await site.call("UpsertRack", { rack: { code: "R1", location: PLACE } });
  await site.call("UpsertDevice", { device: { code: "D1", kind: "DEVICE_KIND_SERVER", rack_code: "R1" } });

  const svg = await svgOf(site, "GetRack", { code: "R1" });

  expect(wordsOf(svg)[1]).toBe("S1 · floor 1 · 1 device · draw not recorded");
  expect(svg).toContain("planned draw not recorded");
  expect(svg).not.toMatch(/\b0 W planned|· 0 W/);
});
