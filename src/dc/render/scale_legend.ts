import type { LegendLine } from "./frame.ts";
import { findScaleToken, type ScaleToken } from "./palette.ts";
import { createRect } from "./scene.ts";

/** Lower bounds of the steps of a share of a capacity or limit, in percent, the same on every picture. */
export const SHARE_STEPS: readonly (readonly [pct: number, label: string])[] = [
  [0, "below 20 %"],
  [20, "from 20 %"],
  [50, "from 50 %"],
  [80, "from 80 %"],
  [90, "from 90 %"],
  [100, "100 % and more"],
];

/** Lower bounds of inlet temperature steps in °C. Source: ASHRAE TC 9.9, recommended 18 to 27, A1 to 32. */
const INLET_STEPS_C = [18, 21, 24, 27, 32];

/** Labels of the steps of inlet temperatures, from the coldest. */
export const INLET_STEP_LABELS: readonly string[] = [
  ...INLET_STEPS_C.map((from, index) =>
    index === 0 ? `below ${from} °C` : `${INLET_STEPS_C[index - 1]} – ${from} °C`,
  ),
  `${INLET_STEPS_C.at(-1)} °C and more`,
];

/** Returns the colour step for an inlet temperature in °C; the plain panel if it is not measured. */
export function findInletToken(inletTempC: number | undefined): ScaleToken | "panel" {
  return inletTempC === undefined
    ? "panel"
    : (`scale${INLET_STEPS_C.filter((from) => inletTempC >= from).length}` as ScaleToken);
}

export function createScaleLegend(): readonly LegendLine[] {
  return SHARE_STEPS.map(([pct, label]) => ({
    label,
    sample: [createRect([4, 1], [18, 12], { radius: 2, fill: findScaleToken(pct), stroke: "line" })],
  }));
}
