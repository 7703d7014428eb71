import { expect, test } from "bun:test";
import fc from "fast-check";
import { layered } from "#dc/render/layout/layered.ts";
import type { Point } from "#dc/render/scene.ts";
import { LAW_RUNS } from "../../../support/law_runs.ts";

const graph = fc.integer({ min: 1, max: 25 }).chain((count) =>
  fc.record({
    boxes: fc.array(fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.integer({ min: 16, max: 200 }) }), {
      minLength: count,
      maxLength: count,
    }),
    edges: fc.array(
      fc.record({ from: fc.nat({ max: count - 1 }), to: fc.nat({ max: count - 1 }), labelWidth: fc.nat({ max: 90 }) }),
      { maxLength: 60 },
    ),
  }),
);

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function areas(boxes: readonly { width: number; height: number }[], corners: readonly Point[]): readonly Area[] {
  return boxes.map(({ width, height }, index) => {
    const [left, top] = corners[index] ?? [0, 0];
    return { left, top, right: left + width, bottom: top + height };
  });
}

/** Whether the insides of two areas have a point in common; a line is an area without inside. */
function meet(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

test("boxes of any graph, circles included, never overlap and stay inside the picture", () => {
  fc.assert(
    fc.property(graph, ({ boxes, edges }) => {
      const { corners, width, height } = layered(boxes, edges);
      const placed = areas(boxes, corners);
      for (const [index, area] of placed.entries()) {
        expect(area.left).toBeGreaterThanOrEqual(0);
        expect(area.top).toBeGreaterThanOrEqual(0);
        expect(area.right).toBeLessThanOrEqual(width);
        expect(area.bottom).toBeLessThanOrEqual(height);
        for (const other of placed.slice(index + 1)) expect(meet(area, other)).toBe(false);
      }
    }),
    { numRuns: LAW_RUNS },
  );
});

test("every edge runs at right angles from its source to its consumer and through no box", () => {
  fc.assert(
    fc.property(graph, ({ boxes, edges }) => {
      const { corners, routes } = layered(boxes, edges);
      const placed = areas(boxes, corners);
      for (const [index, { from, to }] of edges.entries()) {
        const route = routes[index] ?? [];
        if (from === to) {
          expect(route).toEqual([]);
          continue;
        }
        const [start, end] = [route[0], route.at(-1)];
        for (const [[x, y] = [-1, -1], area] of [[start, placed[from]], [end, placed[to]]] as const) {
          expect([area?.left, area?.right]).toContain(x);
          expect(y).toBeGreaterThanOrEqual(area?.top ?? Number.NaN);
          expect(y).toBeLessThanOrEqual(area?.bottom ?? Number.NaN);
        }
        for (const [at, [x, y]] of route.entries()) {
          const [nextX, nextY] = route[at + 1] ?? [x, y];
          expect(x === nextX || y === nextY).toBe(true);
          const line = {
            left: Math.min(x, nextX) - 0.01,
            right: Math.max(x, nextX) + 0.01,
            top: Math.min(y, nextY) - 0.01,
            bottom: Math.max(y, nextY) + 0.01,
          };
          // Ends touch their own boxes; nothing touches another's.
          for (const [box, area] of placed.entries()) if (box !== from && box !== to) expect(meet(line, area)).toBe(false);
        }
      }
    }),
    { numRuns: LAW_RUNS },
  );
});

test("the same graph is laid out alike", () => {
  fc.assert(
    fc.property(graph, ({ boxes, edges }) => {
      expect(layered(boxes, edges)).toEqual(layered(structuredClone(boxes), structuredClone(edges)));
    }),
    { numRuns: LAW_RUNS },
  );
});
