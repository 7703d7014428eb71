import type { Coloring } from "#dc/model/enum_values.ts";
import type { RackThermal } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { type ColorToken, findScaleToken, type ScaleToken } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { findHealthState, STATE_LABELS } from "../parts/marks.ts";
import { findInletToken, INLET_STEP_LABELS } from "../scale_legend.ts";

export interface ThermalStyle {
  findFill(rack: RackThermal): ColorToken;
  formatFigure(rack: RackThermal): string;
  readonly legend: readonly LegendEntry[];
}

const SIGN_LEGEND = (["ok", "watch", "fault"] as const).map(
  (state): LegendEntry => ({ label: STATE_LABELS[state], state }),
);
const SHARE_LABELS = ["0 – 20 %", "20 – 50 %", "50 – 80 %", "80 – 90 %", "90 – 100 %", "100 % and more of its cooling"];

/**
 * Returns the style of racks for one colouring. THERMAL colours them by measured inlet temperatures if there are any,
 * otherwise by heat relative to cooling capacity.
 */
export function styleRacks(racks: readonly RackThermal[], coloring: Coloring): ThermalStyle {
  if (coloring === "HEALTH") {
    return {
      findFill: ({ health }) => `${findHealthState(health)}Soft`,
      formatFigure: formatAirHeat,
      legend: SIGN_LEGEND,
    };
  }
  if (coloring === "NONE") return { findFill: () => "panel", formatFigure: formatAirHeat, legend: SIGN_LEGEND };
  const measured = racks.some(({ inletTempC }) => inletTempC !== undefined);
  return coloring === "THERMAL" && measured ? createRackInletStyle() : createHeatShareStyle();
}

function formatAirHeat({ airHeatW }: RackThermal): string {
  return formatWatts(airHeatW);
}

function createHeatShareStyle(): ThermalStyle {
  return {
    findFill: ({ utilizationPct }) => (utilizationPct === undefined ? "panel" : findScaleToken(utilizationPct)),
    formatFigure: ({ utilizationPct, airHeatW }) =>
      utilizationPct === undefined ? formatWatts(airHeatW) : formatPercent(Math.round(utilizationPct)),
    legend: [...createStepLegend(SHARE_LABELS), { label: "no cooling limit recorded", fill: "panel" }, ...SIGN_LEGEND],
  };
}

function createRackInletStyle(): ThermalStyle {
  return {
    findFill: ({ inletTempC }) => findInletToken(inletTempC),
    formatFigure: ({ inletTempC, airHeatW }) =>
      inletTempC === undefined ? formatWatts(airHeatW) : `${formatPlainNumber(inletTempC)} °C`,
    legend: [...createStepLegend(INLET_STEP_LABELS), { label: "not measured", fill: "panel" }, ...SIGN_LEGEND],
  };
}

function createStepLegend(labels: readonly string[]): readonly LegendEntry[] {
  return labels.map((label, step) => ({ label, fill: `scale${step}` as ScaleToken }));
}
