import type { Coloring } from "#dc/model/enum_values.ts";
import type { RackThermal } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { type ColorToken, type ScaleToken, scaleTokenOf } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { STATE_WORDS, stateOfHealth } from "../parts/marks.ts";

export interface ThermalStyle {
  fill(rack: RackThermal): ColorToken;
  figure(rack: RackThermal): string;
  readonly legend: readonly LegendEntry[];
}

const SIGNS = (["ok", "watch", "fault"] as const).map((state): LegendEntry => ({ label: STATE_WORDS[state], state }));
const SHARES = ["0 – 20 %", "20 – 50 %", "50 – 80 %", "80 – 90 %", "90 – 100 %", "100 % and more of its cooling"];
/** Lower bounds of inlet temperature steps in °C. Source: ASHRAE TC 9.9, recommended 18 to 27, A1 to 32. */
const INLETS = [18, 21, 24, 27, 32];

/** Returns the style that colours racks by measured inlet temperature, else by heat relative to cooling capacity. */
export function styleRacks(racks: readonly RackThermal[], coloring: Coloring): ThermalStyle {
  if (coloring === "HEALTH") {
    return { fill: ({ health }) => `${stateOfHealth(health)}Soft`, figure: heatText, legend: SIGNS };
  }
  if (coloring === "NONE") return { fill: () => "panel", figure: heatText, legend: SIGNS };
  const measured = racks.some(({ inletTempC }) => inletTempC !== undefined);
  return coloring === "THERMAL" && measured ? inletStyle() : shareStyle();
}

function heatText({ airHeatW }: RackThermal): string {
  return formatWatts(airHeatW);
}

function shareStyle(): ThermalStyle {
  return {
    fill: ({ utilizationPct }) => (utilizationPct === undefined ? "panel" : scaleTokenOf(utilizationPct)),
    figure: ({ utilizationPct, airHeatW }) =>
      utilizationPct === undefined ? formatWatts(airHeatW) : formatPercent(Math.round(utilizationPct)),
    legend: [...stepLegend(SHARES), { label: "no cooling limit recorded", fill: "panel" }, ...SIGNS],
  };
}

function inletStyle(): ThermalStyle {
  const labels = INLETS.map((from, index) => (index === 0 ? `below ${from} °C` : `${INLETS[index - 1]} – ${from} °C`));
  return {
    fill: ({ inletTempC }) =>
      inletTempC === undefined ? "panel" : (`scale${INLETS.filter((from) => inletTempC >= from).length}` as ScaleToken),
    figure: ({ inletTempC, airHeatW }) =>
      inletTempC === undefined ? formatWatts(airHeatW) : `${formatPlainNumber(inletTempC)} °C`,
    legend: [
      ...stepLegend([...labels, `${INLETS.at(-1)} °C and more`]),
      { label: "not measured", fill: "panel" },
      ...SIGNS,
    ],
  };
}

function stepLegend(labels: readonly string[]): readonly LegendEntry[] {
  return labels.map((label, step) => ({ label, fill: `scale${step}` as ScaleToken }));
}
