import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Resvg } from "@resvg/resvg-wasm";
import { formatDotGraph } from "#dc/render/dot.ts";
import { formatSvg } from "#dc/render/render_screen.ts";
import type { Item, Scene } from "#dc/render/scene.ts";
import { loadRasterizer } from "../../../support/dc/rasterizer.ts";
import { textsOf } from "../../../support/dc/scene_checks.ts";
import { SCREEN_CASES, usualDrawing } from "../../../support/dc/screen_cases.ts";
import { HAS_GRAPHVIZ, layOut } from "../../../support/graphviz.ts";

let fonts: Uint8Array[] = [];
beforeAll(async () => {
  fonts = [...(await loadRasterizer()).fonts];
});
afterAll(() => {
  fonts = [];
});

/** Pixels of a scene at its own size, four bytes each. Reads the SVG as strict XML. */
function pixels(scene: Scene): { readonly width: number; readonly bytes: Uint8Array } {
  const drawn = new Resvg(formatSvg(scene, { theme: "LIGHT" }), {
    font: { fontBuffers: fonts, defaultFontFamily: "DejaVu Sans" },
  });
  const image = drawn.render();
  const copy = { width: image.width, bytes: image.pixels };
  image.free();
  drawn.free();
  return copy;
}

function withoutTexts(items: readonly Item[]): readonly Item[] {
  return items.flatMap((item): readonly Item[] => {
    if (item.kind === "group") return [{ ...item, items: withoutTexts(item.items) }];
    return item.kind === "text" ? [] : [item];
  });
}

describe.each(SCREEN_CASES)("$screen of $ref", (asked) => {
  test("shows every text in PNG", async () => {
    const { scene } = await usualDrawing(asked);
    const [written, bare] = [pixels(scene), pixels({ ...scene, items: withoutTexts(scene.items) })];
    const differ = (x: number, y: number) => {
      const at = 4 * (y * written.width + x);
      return [0, 1, 2].some((part) => written.bytes[at + part] !== bare.bytes[at + part]);
    };
    const unseen = textsOf(scene.items).filter(({ box }) => {
      for (let y = Math.floor(box.north); y < box.south; y += 1) {
        for (let x = Math.floor(box.west); x < box.east; x += 1) if (differ(x, y)) return false;
      }
      return true;
    });

    expect(unseen.map(({ text }) => text).filter((text) => text.trim() !== "")).toEqual([]);
  });

  // Graphviz takes seconds for a whole fabric; the laws of graphs draw smaller ones.
  test.skipIf(!HAS_GRAPHVIZ || (asked.site === "AMS1" && asked.screen === "FABRIC"))("passes Graphviz", async () => {
    const { graph } = await usualDrawing(asked);
    const { status, complaints, svg } = layOut(formatDotGraph(graph, { theme: "LIGHT" }));

    expect(complaints.replace(/.*(?:font|Pango|couldn't load).*\n?/gi, "")).toBe("");
    expect(status).toBe(0);
    expect(svg.match(/class="node"/g)?.length ?? 0).toBe(graph.nodes.length);
  });
});
