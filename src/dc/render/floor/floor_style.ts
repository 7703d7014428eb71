import { type Coloring, RACK_RISKS, type RackRisk } from "#dc/model/enum_values.ts";
import { type FloorPlanResponse, LoadBasis, type RackTile } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { capitalize } from "#words/names.ts";
import type { FrameInput } from "../frame.ts";
import { type ColorToken, findScaleToken, type ScaleToken, type State } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { findEnumValue, findHealthState, STATE_LABELS } from "../parts/marks.ts";
import { findInletToken, INLET_STEP_LABELS, SHARE_STEPS } from "../scale_legend.ts";

/** Fills, signs and figures of racks, and the legend. */
export interface FloorStyle {
  findFill(rack: RackTile): ColorToken;
  /** Whether the coloured value of the rack is unknown. */
  isUnknown?(rack: RackTile): boolean;
  /** Returns the state that the rack's sign shows; if absent, the sign shows the rack's health. */
  findSign?(rack: RackTile): State | undefined;
  formatFigure(rack: RackTile): string;
  readonly legend: readonly LegendEntry[];
}

/** Hatch for unknown values. */
export const UNKNOWN_HATCH = { pattern: "diagonal", paint: "grid" } as const;

const SIGN_STATES = ["ok", "watch", "fault", "info"] as const;
const SHARE_LABELS = SHARE_STEPS.map(([, label]) => label);

/** Returns the style of a floor's racks for one colouring. Signs show the health of racks, except for RISK. */
export function styleFloor(reply: FloorPlanResponse, coloring: Coloring): FloorStyle {
  switch (coloring) {
    case "POWER":
      return isReplyMeasured(reply)
        ? hatchUnknown(
            createShareStyle(({ powerPct }) => powerPct, "draw not measured"),
            ({ measuredW }) => measuredW === undefined,
          )
        : createShareStyle(({ powerPct }) => powerPct, "no power limit recorded");
    case "UTILIZATION":
      return createShareStyle(({ spacePct }) => spacePct, "no units");
    case "THERMAL":
      return isReplyMeasured(reply)
        ? hatchUnknown(createInletStyle(), ({ inletTempC }) => inletTempC === undefined)
        : createThermalFloorStyle(reply.racks);
    case "RISK":
      return RISK_STYLE;
    case "NONE":
      return { findFill: () => "panel", formatFigure: () => "", legend: createSignLegend() };
    default:
      return {
        findFill: ({ health }) => `${findHealthState(health)}Soft`,
        formatFigure: ({ powerPct }) => (powerPct === undefined ? "" : formatPercent(Math.round(powerPct))),
        legend: createSignLegend(),
      };
  }
}

function createSignLegend(): readonly LegendEntry[] {
  return SIGN_STATES.map((state) => ({ label: STATE_LABELS[state], state }));
}

const RISK_APPEARANCES: Readonly<
  Record<RackRisk, { readonly label: string; readonly fill: ColorToken; readonly state?: State }>
> = {
  DARK: { label: "goes dark", fill: "faultSoft", state: "fault" },
  PARTIAL: { label: "loses several devices", fill: "watchSoft", state: "watch" },
  DEVICE: { label: "loses one device", fill: "scale0" },
  NONE: { label: "stays on", fill: "panel" },
};

/** Returns text and colour for the worst effect of one failure on a rack. */
export function findRiskAppearance({ risk = 0 }: Pick<RackTile, "risk">) {
  return RISK_APPEARANCES[findEnumValue(RACK_RISKS, risk) ?? "NONE"];
}

/** Returns one figure for each effect of a failure: the number of racks for which it is the worst effect. */
export function createRiskFigures({ racks, unplacedRacks }: FloorPlanResponse): FrameInput["figures"] {
  const all = [...racks, ...unplacedRacks];
  if (all.length === 0) return [];
  return Object.values(RISK_APPEARANCES).map((look) => {
    const count = all.filter((rack) => findRiskAppearance(rack) === look).length;
    return {
      label: capitalize(look.label),
      value: String(count),
      ...(count > 0 && look.state !== undefined && { tone: look.state }),
    };
  });
}

const RISK_STYLE: FloorStyle = {
  findFill: (rack) => findRiskAppearance(rack).fill,
  findSign: (rack) => findRiskAppearance(rack).state,
  formatFigure: (rack) => (findRiskAppearance(rack).fill === "scale0" ? "1 device" : ""),
  legend: Object.values(RISK_APPEARANCES).map(({ label, fill, state }) => ({
    label: `${label} after one failure`,
    ...(state === undefined ? { fill } : { state }),
  })),
};

/** Returns legend entries for the scale's steps, for unknown values and for signs. */
function createFloorScaleLegend(labels: readonly string[], unknown: string): readonly LegendEntry[] {
  return [
    ...labels.map((label, step): LegendEntry => ({ label, fill: `scale${step}` as ScaleToken })),
    { label: unknown, fill: "panel" },
    ...createSignLegend(),
  ];
}

function createShareStyle(getShare: (rack: RackTile) => number | undefined, unknown: string): FloorStyle {
  return {
    findFill: (rack) => {
      const pct = getShare(rack);
      return pct === undefined ? "panel" : findScaleToken(pct);
    },
    formatFigure: (rack) => {
      const pct = getShare(rack);
      return pct === undefined ? "" : formatPercent(Math.round(pct));
    },
    legend: createFloorScaleLegend(SHARE_LABELS, unknown),
  };
}

function createInletStyle(): FloorStyle {
  return {
    findFill: ({ inletTempC }) => findInletToken(inletTempC),
    formatFigure: ({ inletTempC }) => (inletTempC === undefined ? "" : `${formatPlainNumber(inletTempC)} °C`),
    legend: createFloorScaleLegend(INLET_STEP_LABELS, "inlet not measured"),
  };
}

/** Whether the reply contains measured loads and inlet temperatures. */
export function isReplyMeasured({ loadBasis }: FloorPlanResponse): boolean {
  return loadBasis === LoadBasis.MEASURED || loadBasis === LoadBasis.MEASURED_PEAK;
}

/** Returns the style with hatches, and without a figure, for racks that have no readings. */
function hatchUnknown(style: FloorStyle, isUnknown: (rack: RackTile) => boolean): FloorStyle {
  return {
    ...style,
    isUnknown,
    findFill: (rack) => (isUnknown(rack) ? "panel" : style.findFill(rack)),
    formatFigure: (rack) => (isUnknown(rack) ? "" : style.formatFigure(rack)),
    legend: style.legend.map((entry) => (entry.fill === "panel" ? { ...entry, hatch: UNKNOWN_HATCH } : entry)),
  };
}

/** Returns a style by inlet temperatures if a rack has one, otherwise by heat as a share of cooling capacity. */
function createThermalFloorStyle(racks: readonly RackTile[]): FloorStyle {
  if (racks.some(({ inletTempC }) => inletTempC !== undefined)) return createInletStyle();
  const byShare = createShareStyle(({ coolingPct }) => coolingPct, "no cooling limit recorded");
  return {
    ...byShare,
    formatFigure: (rack) => (rack.coolingPct === undefined ? formatWatts(rack.heatW) : byShare.formatFigure(rack)),
  };
}
