import { afterAll, expect, test } from "bun:test";
import { formatSvg } from "#dc/render/render_screen.ts";
import type { Item, Scene } from "#dc/render/scene.ts";
import { Rasterizer } from "#runtime/rasterizer.ts";

const rasterizer = new Rasterizer();
afterAll(() => rasterizer.close());

function scene(items: readonly Item[]): Scene {
  return { title: "T", description: "D", width: 120, height: 40, items };
}

const words: Item = { kind: "text", x: 10, y: 25, text: "SRV-1 \u0007 ]]> مرحبا", size: 14, fill: "ink" };
const png = (items: readonly Item[], width = 120) =>
  rasterizer.renderPng(formatSvg(scene(items), { theme: "LIGHT" }), width);

test("Rasterizer draws letters, and the same SVG twice to the same bytes", async () => {
  const [empty, written, again, bold] = await Promise.all([
    png([]),
    png([words]),
    png([words]),
    png([{ ...words, weight: "bold" } as Item]),
  ]);

  expect(Buffer.from(written).equals(Buffer.from(again))).toBe(true);
  expect(Buffer.from(written).equals(Buffer.from(empty))).toBe(false);
  expect(Buffer.from(written).equals(Buffer.from(bold))).toBe(false);
});

test("Rasterizer makes the width that is asked for", async () => {
  const view = Buffer.from(await png([words], 360));

  expect([view.readUInt32BE(16), view.readUInt32BE(20)]).toEqual([360, 120]);
});

test("Rasterizer tells of text that is no SVG, and goes on", async () => {
  expect(rasterizer.renderPng("<svg", 100)).rejects.toThrow("SVG");
  expect((await png([words])).length).toBeGreaterThan(100);
});

test("Rasterizer starts again after it was closed", async () => {
  await rasterizer.close();

  expect((await png([])).length).toBeGreaterThan(50);
});
