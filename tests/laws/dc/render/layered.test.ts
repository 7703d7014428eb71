import { expect } from "bun:test";
import fc from "fast-check";
import { layOutGraph } from "#dc/render/layout/layered.ts";
import type { Point } from "#dc/render/scene.ts";
import { law } from "../../../support/law.ts";

const graph = fc.integer({ min: 1, max: 25 }).chain((count) =>
  fc.record({
    boxes: fc.array(
      fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.integer({ min: 16, max: 200 }) }),
      {
        minLength: count,
        maxLength: count,
      },
    ),
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

law("boxes of any graph, circles included, never overlap and stay inside the picture", [graph], ({ boxes, edges }) => {
  const { corners, width, height } = layOutGraph(boxes, edges);
  const placed = areas(boxes, corners);
  for (const [index, area] of placed.entries()) {
    expect(area.left).toBeGreaterThanOrEqual(0);
    expect(area.top).toBeGreaterThanOrEqual(0);
    expect(area.right).toBeLessThanOrEqual(width);
    expect(area.bottom).toBeLessThanOrEqual(height);
    for (const other of placed.slice(index + 1)) expect(meet(area, other)).toBe(false);
  }
});

/** The straight parts of a way, as areas a little wider than nothing. */
function partsOf(route: readonly Point[]): readonly Area[] {
  return route.slice(1).map(([x, y], index) => {
    const [beforeX, beforeY] = route[index] ?? [x, y];
    expect(x === beforeX || y === beforeY).toBe(true);
    return {
      left: Math.min(x, beforeX) - 0.01,
      right: Math.max(x, beforeX) + 0.01,
      top: Math.min(y, beforeY) - 0.01,
      bottom: Math.max(y, beforeY) + 0.01,
    };
  });
}

function standsAtSide(area: Area | undefined, [x, y]: Point): boolean {
  return area !== undefined && (x === area.left || x === area.right) && y >= area.top && y <= area.bottom;
}

law(
  "every edge runs at right angles from its source to its consumer and through no other box",
  [graph],
  ({ boxes, edges }) => {
    const { corners, routes } = layOutGraph(boxes, edges);
    const placed = areas(boxes, corners);
    for (const [index, { from, to }] of edges.entries()) {
      const route = routes[index] ?? [];
      const others = placed.filter((_, box) => box !== from && box !== to);
      if (from === to) expect(route).toEqual([]);
      else {
        expect(standsAtSide(placed[from], route[0] ?? [-1, -1])).toBe(true);
        expect(standsAtSide(placed[to], route.at(-1) ?? [-1, -1])).toBe(true);
      }
      for (const part of partsOf(route)) expect(others.filter((area) => meet(part, area))).toEqual([]);
    }
  },
);

law("the same graph is laid out alike", [graph], ({ boxes, edges }) => {
  expect(layOutGraph(boxes, edges)).toEqual(layOutGraph(structuredClone(boxes), structuredClone(edges)));
});
