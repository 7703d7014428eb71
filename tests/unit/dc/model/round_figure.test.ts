import { expect, test } from "bun:test";
import { roundFigure } from "#dc/model/figure.ts";

test.each([
  [1427.7 + 842 + 0.1 + 268.7, 2538.5],
  [(1427.7 + 842 + 0.1 + 268.7) / 1000, 2.539],
  [(268.7 + 0.1 + 842 + 1427.7) / 1000, 2.539],
  [0.1 + 0.2, 0.3],
  [1.0005, 1.001],
  [1.0004999, 1],
  [2.0005, 2.001],
  [-0.0001, 0],
  [0, 0],
  [1, 1],
  [0.001, 0.001],
  [123456789.123, 123456789.123],
  [-3.25, -3.25],
])("roundFigure(%p) is %p, in whatever order its parts were added", (figure, rounded) => {
  expect(Object.is(roundFigure(figure), rounded)).toBe(true);
});
