import type { LegendLine } from "./frame.ts";
import { scaleStep } from "./palette.ts";

/** The steps of the scale of shares. */
export function scaleLegend(): readonly LegendLine[] {
  return [
    [0, "below 20 %"],
    [20, "from 20 %"],
    [50, "from 50 %"],
    [80, "from 80 %"],
    [90, "from 90 %"],
    [100, "100 % and more"],
  ].map(([pct, label]) => ({
    label: String(label),
    sample: [
      { kind: "rect", x: 4, y: 1, width: 18, height: 12, radius: 2, fill: scaleStep(Number(pct)), stroke: "line" },
    ],
  }));
}
