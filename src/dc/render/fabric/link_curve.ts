import type { Item } from "../scene.ts";

type Curve = Pick<Extract<Item, { kind: "path" }>, "kind" | "points" | "curve">;

/** The line of a link from a box of an upper tier to one of a lower tier: it leaves and ends upright. */
export function linkCurve(x1: number, y1: number, x2: number, y2: number): Curve {
  const bend = (y2 - y1) / 2;
  return {
    kind: "path",
    points: [
      [x1, y1],
      [x1, y1 + bend],
      [x2, y2 - bend],
      [x2, y2],
    ],
    curve: "cubic",
  };
}
