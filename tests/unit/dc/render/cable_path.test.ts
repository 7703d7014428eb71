import { describe, expect, test } from "bun:test";
import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import type { CablePath } from "#dc/analysis/cabling/supply_trace.ts";
import type { PortRef } from "#dc/model/resources.ts";
import { drawCablePath } from "#dc/render/cable/draw.ts";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { drawOptions, nodeOf, refsOf, wordsOf } from "../../../support/dc/pictures.ts";

const LEAF = { deviceCode: "LEAF-A01-1", portName: "Ethernet49" };
const SUPPLY = { deviceCode: "SRV-B03-07", portName: "psu1" };

async function traced(start: PortRef, { followSplits = false, maxHops = 128 } = {}) {
  const paths = await (await ams1Store()).read((reader) =>
    traceCable(start, reader, { stopAtPower: false, followSplits, maxHops }),
  );
  return { start, paths };
}

function changed(path: CablePath | undefined, parts: Partial<CablePath>): CablePath {
  if (path === undefined) throw new Error("no path was traced");
  return { ...path, ...parts };
}

describe("drawCablePath", () => {
  test("shows devices from left to right with ports, positions, cables and the total", async () => {
    const { scene, graph } = drawCablePath(await traced(LEAF), drawOptions());
    expect(graph.nodes.map(({ id }) => id)).toEqual(
      ["LEAF-A01-1", "PP-A01-1", "PP-D09-1", "SPINE-D09-1"].map((code) => `device:${code}`),
    );
    const words = [
      "Ethernet49",
      "position 1 of 4",
      "MMF OM4 · TRK-A01-D09",
      "20.1 m · aqua",
      "23.1 m",
      "Rack A01 U42 front",
    ];
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(words));
    expect(refsOf(scene.items)).toContain("cable:PP-A01-1/R1~PP-D09-1/R-A01");
  });

  test("follows a supply to its root by the names of feeds, and draws what branches share once", async () => {
    const drawing = drawCablePath(await traced(SUPPLY, { followSplits: true }), drawOptions());
    const words = wordsOf(drawing.scene.items);
    expect(words).toContain("Feed AMS1-B03-A");
    expect(words).toContain("parts here");
    expect(words.filter((word) => word === "SWGR-A").length).toBe(1);
    expect(nodeOf(drawing, "device:GEN-A")).toBeDefined();
    expect(nodeOf(drawing, "device:UTIL-A")).toBeDefined();
  });

  test("ends a supply at its root, and names the inlets that it could take instead", async () => {
    const { scene } = drawCablePath(await traced(SUPPLY), drawOptions());
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(["Ends at UTIL-A", "Also at ATS-A: ATS-A/source2"]));
  });

  test("names the ways that a split could take", async () => {
    const { scene } = drawCablePath(await traced({ deviceCode: "PP-A01-1", portName: "R1" }), drawOptions());
    expect(wordsOf(scene.items)).toEqual(expect.arrayContaining(["position 1: PP-A01-1/F1"]));
  });

  test("tells open ends, loops and unknown lengths in words", async () => {
    const { start, paths } = await traced(LEAF);
    const told = (parts: Partial<CablePath>) =>
      wordsOf(drawCablePath({ start, paths: [changed(paths[0], parts)] }, drawOptions()).scene.items);
    expect(told({ status: "OPEN" })).toContain("Open end: nothing follows SPINE-D09-1/Ethernet1");
    const problem = { code: "LOOP" as const, message: 'The path comes back to "cable:x"', ref: "cable:x" };
    expect(told({ status: "LOOP", problems: [problem] })).toEqual(
      expect.arrayContaining(["Loop: the path comes back to itself at SPINE-D09-1/Ethernet1", problem.message]),
    );
    expect(told({ lengthIsPartial: true })).toEqual(expect.arrayContaining(["at least 23.1 m", "yes"]));
    const planned = paths[0]?.segments.map(({ cable, ...rest }) =>
      cable === undefined ? rest : { ...rest, cable: { ...cable, status: "PLANNED" as const } },
    );
    expect(told({ segments: planned ?? [] })).toContain("no");
  });

  test("folds the middle of a long path and keeps what is highlighted", async () => {
    const picture = await traced(SUPPLY);
    const folded = drawCablePath(picture, drawOptions({ maxNodes: 4 }));
    expect(folded.omittedNodes).toBe(4);
    expect(wordsOf(folded.scene.items)).toContain("4 devices");
    const kept = drawCablePath(picture, drawOptions({ maxNodes: 4, highlight: new Set(["device:ups-a1"]) }));
    expect(nodeOf(kept, "device:UPS-A1")).toBeDefined();
    expect(drawCablePath(picture, drawOptions({ view: "COMPACT" })).graph.nodes.length).toBe(3);
    expect(drawCablePath(picture, drawOptions({ maxNodes: 1 })).omittedNodes).toBe(7);
  });

  test("draws a port without a cable", async () => {
    const start = { deviceCode: "nothing", portName: "here" };
    const { scene } = drawCablePath(await traced(start), drawOptions());
    expect(wordsOf(scene.items)).toContain("Not connected: nothing/here has no cable");
  });
});
