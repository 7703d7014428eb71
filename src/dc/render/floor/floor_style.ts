import { type Coloring, RACK_RISKS, type RackRisk } from "#dc/model/enum_values.ts";
import { type FloorPlanResponse, LoadBasis, type RackTile } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { capitalize } from "#words/names.ts";
import type { FrameInput } from "../frame.ts";
import { type ColorToken, type ScaleToken, type State, scaleTokenOf } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { enumWordAt, STATE_WORDS, stateOfHealth } from "../parts/marks.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

/** Fills, signs and figures of racks, and the legend. */
export interface FloorStyle {
  fill(rack: RackTile): ColorToken;
  /** Whether the coloured value of the rack is unknown. */
  isUnknown?(rack: RackTile): boolean;
  /** State shown as a sign; the rack's health if the method is absent. */
  sign?(rack: RackTile): State | undefined;
  figure(rack: RackTile): string;
  readonly legend: readonly LegendEntry[];
}

/** Hatch for unknown values. */
export const UNKNOWN_HATCH = { pattern: "diagonal", paint: "grid" } as const;

const STATES = ["ok", "watch", "fault", "info"] as const;
const SHARES = SHARE_STEPS.map(([, label]) => label);

/** Returns the style of a floor's racks for one colouring. Every colouring shows their health as a sign. */
export function styleFloor(reply: FloorPlanResponse, coloring: Coloring): FloorStyle {
  switch (coloring) {
    case "POWER":
      return isMeasured(reply)
        ? hatchUnknown(
            shareStyle(({ powerPct }) => powerPct, "draw not measured"),
            ({ measuredW }) => measuredW === undefined,
          )
        : shareStyle(({ powerPct }) => powerPct, "no power limit recorded");
    case "UTILIZATION":
      return shareStyle(({ spacePct }) => spacePct, "no units");
    case "THERMAL":
      return isMeasured(reply)
        ? hatchUnknown(inletStyle(), ({ inletTempC }) => inletTempC === undefined)
        : thermalFloorStyle(reply.racks);
    case "RISK":
      return RISKS;
    case "NONE":
      return { fill: () => "panel", figure: () => "", legend: signLegend() };
    default:
      return {
        fill: ({ health }) => `${stateOfHealth(health)}Soft`,
        figure: ({ powerPct }) => (powerPct === undefined ? "" : formatPercent(Math.round(powerPct))),
        legend: signLegend(),
      };
  }
}

function signLegend(): readonly LegendEntry[] {
  return STATES.map((state) => ({ label: STATE_WORDS[state], state }));
}

const RISK_LOOKS: Readonly<
  Record<RackRisk, { readonly label: string; readonly fill: ColorToken; readonly state?: State }>
> = {
  DARK: { label: "goes dark", fill: "faultSoft", state: "fault" },
  PARTIAL: { label: "loses several devices", fill: "watchSoft", state: "watch" },
  DEVICE: { label: "loses one device", fill: "scale0" },
  NONE: { label: "stays on", fill: "panel" },
};

/** Returns text and colour for the worst effect of one failure on a rack. */
export function riskAppearance({ risk = 0 }: Pick<RackTile, "risk">) {
  return RISK_LOOKS[enumWordAt(RACK_RISKS, risk) ?? "NONE"];
}

/** Returns the number of racks by the worst effect of one failure. */
export function riskFigures({ racks, unplacedRacks }: FloorPlanResponse): FrameInput["figures"] {
  const all = [...racks, ...unplacedRacks];
  if (all.length === 0) return [];
  return Object.values(RISK_LOOKS).map((look) => {
    const count = all.filter((rack) => riskAppearance(rack) === look).length;
    return {
      label: capitalize(look.label),
      value: String(count),
      ...(count > 0 && look.state !== undefined && { tone: look.state }),
    };
  });
}

const RISKS: FloorStyle = {
  fill: (rack) => riskAppearance(rack).fill,
  sign: (rack) => riskAppearance(rack).state,
  figure: (rack) => (riskAppearance(rack).fill === "scale0" ? "1 device" : ""),
  legend: Object.values(RISK_LOOKS).map(({ label, fill, state }) => ({
    label: `${label} after one failure`,
    ...(state === undefined ? { fill } : { state }),
  })),
};

/** Returns the legend of a scale, with "unknown" if a rack has no value. */
function scaleLegendOf(labels: readonly string[], unknown: string): readonly LegendEntry[] {
  return [
    ...labels.map((label, step): LegendEntry => ({ label, fill: `scale${step}` as ScaleToken })),
    { label: unknown, fill: "panel" },
    ...signLegend(),
  ];
}

function shareStyle(value: (rack: RackTile) => number | undefined, unknown: string): FloorStyle {
  return {
    fill: (rack) => {
      const pct = value(rack);
      return pct === undefined ? "panel" : scaleTokenOf(pct);
    },
    figure: (rack) => {
      const pct = value(rack);
      return pct === undefined ? "" : formatPercent(Math.round(pct));
    },
    legend: scaleLegendOf(SHARES, unknown),
  };
}

/** Lower bounds of inlet temperature steps in degrees Celsius; class A1 recommends at most 27 and allows 32. */
const INLETS = [18, 21, 24, 27, 32];

function inletStyle(): FloorStyle {
  const labels = INLETS.map((from, index) => (index === 0 ? `below ${from} °C` : `${INLETS[index - 1]} – ${from} °C`));
  return {
    fill: ({ inletTempC }) =>
      inletTempC === undefined ? "panel" : (`scale${INLETS.filter((from) => inletTempC >= from).length}` as ScaleToken),
    figure: ({ inletTempC }) => (inletTempC === undefined ? "" : `${formatPlainNumber(inletTempC)} °C`),
    legend: scaleLegendOf([...labels, `${INLETS.at(-1)} °C and more`], "inlet not measured"),
  };
}

/** Whether the reply contains measured loads and inlet temperatures. */
export function isMeasured({ loadBasis }: FloorPlanResponse): boolean {
  return loadBasis === LoadBasis.MEASURED || loadBasis === LoadBasis.MEASURED_PEAK;
}

/** Returns the style with hatches, and without a figure, for racks that have no readings. */
function hatchUnknown(style: FloorStyle, isUnknown: (rack: RackTile) => boolean): FloorStyle {
  return {
    ...style,
    isUnknown,
    fill: (rack) => (isUnknown(rack) ? "panel" : style.fill(rack)),
    figure: (rack) => (isUnknown(rack) ? "" : style.figure(rack)),
    legend: style.legend.map((entry) => (entry.fill === "panel" ? { ...entry, hatch: UNKNOWN_HATCH } : entry)),
  };
}

/** Styles by measured inlet temperatures if any, else by a rack's heat to air as a share of its cooling capacity. */
function thermalFloorStyle(racks: readonly RackTile[]): FloorStyle {
  if (racks.some(({ inletTempC }) => inletTempC !== undefined)) return inletStyle();
  const byShare = shareStyle(({ coolingPct }) => coolingPct, "no cooling limit recorded");
  return {
    ...byShare,
    figure: (rack) => (rack.coolingPct === undefined ? formatWatts(rack.heatW) : byShare.figure(rack)),
  };
}
