import type { LegendLine } from "./frame.ts";
import { findScaleToken } from "./palette.ts";

/** Lower bounds of the steps of a share of a capacity or limit, in percent, the same on every picture. */
export const SHARE_STEPS: readonly (readonly [pct: number, label: string])[] = [
  [0, "below 20 %"],
  [20, "from 20 %"],
  [50, "from 50 %"],
  [80, "from 80 %"],
  [90, "from 90 %"],
  [100, "100 % and more"],
];

export function createScaleLegend(): readonly LegendLine[] {
  return SHARE_STEPS.map(([pct, label]) => ({
    label,
    sample: [{ kind: "rect", x: 4, y: 1, width: 18, height: 12, radius: 2, fill: findScaleToken(pct), stroke: "line" }],
  }));
}
