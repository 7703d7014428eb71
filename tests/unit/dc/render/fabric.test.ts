import { describe, expect, test } from "bun:test";
import type { Device, FabricLink } from "#dc/model/resources.ts";
import type { FabricPicture } from "#dc/render/fabric/bundles.ts";
import { drawFabric } from "#dc/render/fabric/draw.ts";
import { drawOptions, nodeOf, refsOf, wordsOf } from "../../../support/dc/pictures.ts";
import { wholeFabric } from "../../../support/dc/whole_fabric.ts";

const spines = ["SP-2", "SP-1"];

/** Leaves with one link to each spine, four to a row. */
function picture(
  leaves: number,
  links: (link: FabricLink, index: number) => FabricLink = (link) => link,
  failed: string[] = [],
) {
  const codes = Array.from({ length: leaves }, (_, index) => `L-${String(index + 1).padStart(3, "0")}`);
  const all = codes.flatMap((leaf) =>
    spines.map(
      (spine): FabricLink => ({
        a: { deviceCode: leaf, portName: "" },
        b: { deviceCode: spine, portName: "" },
        capacityMbps: 100_000,
        aToBMbps: 30_000,
      }),
    ),
  );
  const devices = [
    ...spines.map((code): Device => ({ code, kind: "SWITCH" })),
    ...codes.map(
      (code, index): Device => ({
        code,
        kind: "SWITCH",
        location: { siteId: "S", floorNumber: 1, room: "H", row: `R${Math.floor(index / 4)}` },
        ports: [{ name: "h", kind: "NETWORK", netRole: "HOST", speedMbps: 300_000 }],
      }),
    ),
  ];
  const settings = { congestionPct: 80, watchPct: 60, failedDeviceCodes: failed };
  const answer = wholeFabric(all.map(links), devices, settings);
  return { name: "FAB", answer, ...settings, cableMatches: new Map() } satisfies FabricPicture;
}

describe("drawFabric", () => {
  test("sets spines above leaves, both in the order of codes, with the worst loss of a spine", () => {
    const { scene, graph } = drawFabric(picture(3), drawOptions({ view: "FULL" }));
    expect(graph.nodes.map(({ id }) => id)).toEqual(
      ["SP-1", "SP-2", "L-001", "L-002", "L-003"].map((one) => `device:${one}`),
    );
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(["1.5:1 at L-001", "3:1 at L-001", "3/3 links up"]));
  });

  test("writes every link's utilisation and marks congested, dead and missing ones by line and word", () => {
    const { scene, graph } = drawFabric(
      picture(3, (link, index) => {
        if (index === 0) return { ...link, aToBMbps: 95_000 };
        if (index === 1) return { ...link, status: "DOWN" };
        return index === 2 ? { ...link, b: { deviceCode: "SP-1", portName: "" } } : link;
      }),
      drawOptions(),
    );
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(["95", "down", "none", "30"]));
    const edge = (from: string, to: string) =>
      graph.edges.find((one) => one.from === `device:${from}` && one.to === `device:${to}`);
    expect(edge("SP-2", "L-001")).toMatchObject({ label: "95 %", stroke: "watchText", style: "bold" });
    expect(edge("SP-1", "L-001")).toMatchObject({ label: "down", style: "dashed" });
    expect(edge("SP-2", "L-002")).toMatchObject({ label: "missing", style: "dotted" });
  });

  test("draws parallel links as one line that tells how many they are", () => {
    const twice = picture(2, (link) => ({ ...link, b: { deviceCode: "SP-1", portName: "" } }));
    const { elements, graph } = drawFabric(twice, drawOptions());
    expect(graph.edges.length).toBe(2);
    expect(elements.find(({ kind }) => kind === "Link")?.facts).toContainEqual(["Links up", "2"]);
  });

  test.each([
    ["FULL" as const, "0/2 links up · failed"],
    [undefined, "SP-1, failed"],
  ])("marks a switch that is taken as failed in view %s", (view, words) => {
    const drawing = drawFabric(picture(2, undefined, ["SP-1"]), drawOptions({ view }));
    expect(nodeOf(drawing, "device:SP-1")).toMatchObject({ style: "dashed" });
    expect(wordsOf(drawing.scene.items)).toContain(words);
  });

  test("is a matrix with a cell for every pair of switches, without lines that cross", () => {
    const { items } = drawFabric(picture(60), drawOptions()).scene;
    const pairs = refsOf(items).filter((ref) => ref.includes("~"));
    expect(new Set(pairs).size).toBe(120);
    expect(pairs.length).toBe(120);
    expect(refsOf(items)).toEqual(expect.arrayContaining(["device:SP-1", "device:L-060"]));
  });

  test("has a matrix for each tier below the top", () => {
    const known = picture(2);
    const up: FabricLink = {
      a: { deviceCode: "SP-1", portName: "" },
      b: { deviceCode: "TOP", portName: "" },
      capacityMbps: 100_000,
      aToBMbps: 77_000,
    };
    const links = [...known.answer.links.map(({ link }) => link), up];
    const devices = [...known.answer.nodes.map(({ device }) => device), { code: "TOP", kind: "SWITCH" } as Device];
    const answer = wholeFabric(links, devices, { congestionPct: 80, watchPct: 60, failedDeviceCodes: [] });
    const words = wordsOf(drawFabric({ ...known, answer }, drawOptions()).scene.items);
    expect(words.filter((word) => word === "30")).toHaveLength(4);
    expect(words).toEqual(expect.arrayContaining(["77", "TOP %", "SP-1 %"]));
  });

  test("draws the links between two rows of racks as one ribbon that says how busy its busiest is", () => {
    const busy = picture(8, (link, index) => (index === 0 ? { ...link, aToBMbps: 91_000 } : link));
    const { scene } = drawFabric(busy, drawOptions({ view: "COMPACT" }));
    const pairs = refsOf(scene.items).filter((ref) => ref.includes("~"));
    expect(pairs.length).toBe(4);
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(["Leaves of row R0", "91 %"]));
  });

  test("folds leaves by row, then by wider places, and keeps what is highlighted", () => {
    const rows = drawFabric(picture(40), drawOptions({ maxNodes: 14, highlight: new Set(["device:l-005"]) }));
    expect(refsOf(rows.scene.items)).toEqual(
      expect.arrayContaining(["leaves of row:S/1/R0", "device:L-005", "device:SP-1"]),
    );
    expect(rows.omittedNodes).toBe(39);
    const rooms = drawFabric(picture(40), drawOptions({ maxNodes: 5 }));
    expect(nodeOf(rooms, "leaves of room:S/1/H")?.label).toContain("40 switches");
    const one = drawFabric(picture(40), drawOptions({ maxNodes: 1 }));
    expect(one.graph.nodes.map(({ id }) => id)).toEqual(["all switches"]);
    expect(one.omittedNodes).toBe(42);
  });
});
