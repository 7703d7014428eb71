import { expect, test } from "bun:test";
import fc from "fast-check";
import { completeCablePath, type PathHop, type PathSegment } from "#dc/analysis/cabling/supply_trace.ts";
import { CABLE_TYPES, COLORINGS, DEVICE_KINDS, PATH_STATUSES, RENDER_VIEWS, THEMES } from "#dc/model/enum_values.ts";
import { codeKey } from "#dc/model/ref.ts";
import type { Cable, Device, FabricLink } from "#dc/model/resources.ts";
import { drawCablePath } from "#dc/render/cable/draw.ts";
import { formatDotGraph } from "#dc/render/dot.ts";
import { drawFabric } from "#dc/render/fabric/draw.ts";
import { drawPower } from "#dc/render/power/draw.ts";
import type { Drawing } from "#dc/render/scene.ts";
import { failureOf } from "../../../support/dc/pictures.ts";
import { inventory, load, panel, source } from "../../../support/dc/power.ts";
import { cutTexts, overlappingTexts } from "../../../support/dc/scene_checks.ts";
import { wholeFabric } from "../../../support/dc/whole_fabric.ts";
import { HAS_GRAPHVIZ, layOut } from "../../../support/graphviz.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

/** Whatever a person may type: markup, control letters, halves of pairs, emoji, scripts of both directions. */
const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 128 }),
  fc.constantFrom(
    "<script>alert(1)</script>",
    '"]; rm',
    "\\",
    'ends in a backslash \\"',
    "<<b>bold</b>>",
    "line\nbreak\r\nand \\N \\G",
    "مرحبا بالعالم",
    "家族👩‍👩‍👧‍👦",
    "\u0000\u0007\ud800",
    "x".repeat(128),
  ),
);
const code = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
const options = fc.record({
  coloring: fc.constantFrom(undefined, ...COLORINGS),
  view: fc.constantFrom(undefined, ...RENDER_VIEWS),
  highlight: fc.constant(new Set<string>()),
  maxNodes: fc.integer({ min: 1, max: 60 }),
});
const codes = fc.uniqueArray(code, { minLength: 2, maxLength: 24, selector: codeKey });

const power: fc.Arbitrary<Drawing> = fc
  .tuple(codes, fc.array(words, { minLength: 1 }), fc.array(code), options)
  .map(([[first = "U", second = "P", ...rest], names, racks, asked]) => {
    const feeds = ["F1", "F2"];
    const loads = rest.map((one, index) =>
      load(one, index % 3 === 0 ? ["feed:F1", "feed:F2"] : ["feed:F1"], {
        name: names[index % names.length] ?? "",
        allocatedDrawW: 200,
        ...(racks[index % 3] !== undefined && { rackCode: racks[index % 3] }),
      }),
    );
    const supply = { ...panel(second, [`device:${first}`], feeds), name: names[0] ?? "", power: { capacityW: 900 } };
    return drawPower(failureOf(inventory(source(first), supply, ...loads), [`device:${first}`]), asked);
  });

const fabric: fc.Arbitrary<Drawing> = fc
  .tuple(codes, words, fc.array(fc.nat({ max: 130 }), { minLength: 1 }), options)
  .map(([[spine = "S", ...leaves], name, loads, asked]) => {
    const devices = [spine, ...leaves].map((one): Device => ({ code: one, kind: "SWITCH", name }));
    const links = leaves.map(
      (leaf, index): FabricLink => ({
        a: { deviceCode: leaf, portName: "" },
        b: { deviceCode: index % 5 === 4 ? (leaves[0] ?? spine) : spine, portName: "" },
        capacityMbps: 100,
        aToBMbps: loads[index % loads.length] ?? 0,
        status: index % 7 === 6 ? "DOWN" : "UP",
      }),
    );
    const settings = { congestionPct: 80, watchPct: 60, failedDeviceCodes: [] };
    const answer = wholeFabric(links, devices, settings);
    return drawFabric({ name, answer, ...settings, cableMatches: new Map() }, asked);
  });

const cable: fc.Arbitrary<Drawing> = fc
  .record({
    codes,
    texts: fc.array(words, { minLength: 1 }),
    kind: fc.constantFrom(...DEVICE_KINDS),
    type: fc.constantFrom(...CABLE_TYPES, undefined),
    status: fc.constantFrom(...PATH_STATUSES),
    cabled: fc.boolean(),
    asked: options,
  })
  .map(({ codes: all, texts, kind, type, status, cabled, asked }) => {
    const text = (index: number) => texts[index % texts.length] ?? "";
    const hops = all.map((one, index): PathHop => {
      const device: Device = { code: one, kind, name: text(index) };
      return { device, inPort: index === 0 ? "" : text(index + 1), outPort: text(index + 2) };
    });
    const segments = all.slice(1).map((one, index): PathSegment => {
      const from = { deviceCode: all[index] ?? "", portName: text(index + 2) };
      const to = { deviceCode: one, portName: text(index + 1) };
      const found: Cable = { a: from, b: to, label: text(index), ...(type !== undefined && { type }) };
      return { from, to, ...(cabled && { cable: found }) };
    });
    const start = { deviceCode: all[0] ?? "", portName: text(2) };
    const branches = texts.map((portName, position) => ({ from: start, to: { ...start, portName }, position }));
    return drawCablePath(
      { start, paths: [completeCablePath({ origin: start, status, hops, segments, branches })] },
      asked,
    );
  });

const drawings = { power, fabric, cable };

test.each(Object.entries(drawings))("no text of a %s picture is cut off or lies on another", (_, drawing) => {
  fc.assert(
    fc.property(drawing, ({ scene }) => {
      expect(cutTexts(scene)).toEqual([]);
      expect(overlappingTexts(scene)).toEqual([]);
    }),
    { numRuns: LAW_RUNS },
  );
});

test.each(Object.entries(drawings))("nodes of a %s graph have one name each, and edges join nodes", (_, drawing) => {
  fc.assert(
    fc.property(drawing, ({ graph, elements }) => {
      const ids = graph.nodes.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { from, to } of graph.edges) expect(ids).toEqual(expect.arrayContaining([from, to]));
      const refs = elements.map(({ ref }) => ref);
      expect(new Set(refs).size).toBe(refs.length);
    }),
    { numRuns: LAW_RUNS },
  );
});

test.skipIf(!HAS_GRAPHVIZ).each(Object.entries(drawings))("Graphviz draws every node of a %s graph", (_, drawing) => {
  fc.assert(
    fc.property(drawing, fc.constantFrom(...THEMES), ({ graph }, theme) => {
      const { status, complaints, svg } = layOut(formatDotGraph(graph, { theme }));
      expect(complaints.replace(/.*(?:font|Pango|couldn't load).*\n?/gi, "")).toBe("");
      expect(status).toBe(0);
      expect(svg.match(/class="node"/g)?.length ?? 0).toBe(graph.nodes.length);
      expect(svg.match(/class="edge"/g)?.length ?? 0).toBe(graph.edges.length);
    }),
    { numRuns: Math.min(15, LAW_RUNS) },
  );
});
