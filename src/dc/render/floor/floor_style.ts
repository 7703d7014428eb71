import { type Coloring, RACK_RISKS, type RackRisk } from "#dc/model/enum_values.ts";
import { type FloorPlanResponse, LoadBasis, type RackTile } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { capitalize } from "#words/names.ts";
import type { FrameInput } from "../frame.ts";
import { type ScaleToken, type State, scaleStep, type Token } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { STATE_WORDS, stateOfHealth, wordAt } from "../parts/marks.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

/** Fills of racks, their signs and figures, and the legend. */
export interface FloorStyle {
  fill(rack: RackTile): Token;
  /** Whether what the colours show is not known of the rack. */
  isUnknown?(rack: RackTile): boolean;
  /** Absent if the sign is that of the rack's health. */
  sign?(rack: RackTile): State | undefined;
  figure(rack: RackTile): string;
  readonly legend: readonly LegendEntry[];
}

/** Drawn where something is not known. */
export const UNKNOWN_HATCH = { pattern: "diagonal", paint: "grid" } as const;

const STATES = ["ok", "watch", "fault", "info"] as const;
const SHARES = SHARE_STEPS.map(([, label]) => label);

/** The style of a floor's racks under one colouring; their health shows as a sign under every one. */
export function floorStyle(reply: FloorPlanResponse, coloring: Coloring): FloorStyle {
  switch (coloring) {
    case "POWER":
      return isMeasured(reply)
        ? hatched(
            shares(({ powerPct }) => powerPct, "draw not measured"),
            ({ measuredW }) => measuredW === undefined,
          )
        : shares(({ powerPct }) => powerPct, "no power limit recorded");
    case "UTILIZATION":
      return shares(({ spacePct }) => spacePct, "no units");
    case "THERMAL":
      return isMeasured(reply)
        ? hatched(byInlet(), ({ inletTempC }) => inletTempC === undefined)
        : thermal(reply.racks);
    case "RISK":
      return RISKS;
    case "NONE":
      return { fill: () => "panel", figure: () => "", legend: legendOfSigns() };
    default:
      return {
        fill: ({ health }) => `${stateOfHealth(health)}Soft`,
        figure: ({ powerPct }) => (powerPct === undefined ? "" : formatPercent(Math.round(powerPct))),
        legend: legendOfSigns(),
      };
  }
}

function legendOfSigns(): readonly LegendEntry[] {
  return STATES.map((state) => ({ label: STATE_WORDS[state], state }));
}

const RISK_LOOKS: Readonly<Record<RackRisk, { readonly label: string; readonly fill: Token; readonly state?: State }>> =
  {
    DARK: { label: "goes dark", fill: "faultSoft", state: "fault" },
    PARTIAL: { label: "loses several devices", fill: "watchSoft", state: "watch" },
    DEVICE: { label: "loses one device", fill: "scale0" },
    NONE: { label: "stays on", fill: "panel" },
  };

/** What one failure takes of a rack. */
export function riskLook({ risk = 0 }: Pick<RackTile, "risk">) {
  return RISK_LOOKS[wordAt(RACK_RISKS, risk) ?? "NONE"];
}

/** How many racks a failure takes, in steps. */
export function riskFigures({ racks, unplacedRacks }: FloorPlanResponse): FrameInput["figures"] {
  const all = [...racks, ...unplacedRacks];
  if (all.length === 0) return [];
  return Object.values(RISK_LOOKS).map((look) => {
    const count = all.filter((rack) => riskLook(rack) === look).length;
    return {
      label: capitalize(look.label),
      value: String(count),
      ...(count > 0 && look.state !== undefined && { tone: look.state }),
    };
  });
}

const RISKS: FloorStyle = {
  fill: (rack) => riskLook(rack).fill,
  sign: (rack) => riskLook(rack).state,
  figure: (rack) => (riskLook(rack).fill === "scale0" ? "1 device" : ""),
  legend: Object.values(RISK_LOOKS).map(({ label, fill, state }) => ({
    label: `${label} after one failure`,
    ...(state === undefined ? { fill } : { state }),
  })),
};

/** Legend of a scale, with "unknown" if a rack has no value. */
function scale(labels: readonly string[], unknown: string): readonly LegendEntry[] {
  return [
    ...labels.map((label, step): LegendEntry => ({ label, fill: `scale${step}` as ScaleToken })),
    { label: unknown, fill: "panel" },
    ...legendOfSigns(),
  ];
}

function shares(value: (rack: RackTile) => number | undefined, unknown: string): FloorStyle {
  return {
    fill: (rack) => {
      const pct = value(rack);
      return pct === undefined ? "panel" : scaleStep(pct);
    },
    figure: (rack) => {
      const pct = value(rack);
      return pct === undefined ? "" : formatPercent(Math.round(pct));
    },
    legend: scale(SHARES, unknown),
  };
}

/** Lower edges of the steps of inlet temperature in degrees Celsius; 27 is the recommended and 32 the allowed most of A1. */
const INLETS = [18, 21, 24, 27, 32];

function byInlet(): FloorStyle {
  const labels = INLETS.map((from, index) => (index === 0 ? `below ${from} °C` : `${INLETS[index - 1]} – ${from} °C`));
  return {
    fill: ({ inletTempC }) =>
      inletTempC === undefined ? "panel" : (`scale${INLETS.filter((from) => inletTempC >= from).length}` as ScaleToken),
    figure: ({ inletTempC }) => (inletTempC === undefined ? "" : `${formatPlainNumber(inletTempC)} °C`),
    legend: scale([...labels, `${INLETS.at(-1)} °C and more`], "inlet not measured"),
  };
}

/** Whether the reply has loads and inlets from readings. */
export function isMeasured({ loadBasis }: FloorPlanResponse): boolean {
  return loadBasis === LoadBasis.MEASURED || loadBasis === LoadBasis.MEASURED_PEAK;
}

/** Returns the style with hatches, and without a figure, for racks that have no readings. */
function hatched(style: FloorStyle, isUnknown: (rack: RackTile) => boolean): FloorStyle {
  return {
    ...style,
    isUnknown,
    fill: (rack) => (isUnknown(rack) ? "panel" : style.fill(rack)),
    figure: (rack) => (isUnknown(rack) ? "" : style.figure(rack)),
    legend: style.legend.map((entry) => (entry.fill === "panel" ? { ...entry, hatch: UNKNOWN_HATCH } : entry)),
  };
}

/** By measured inlets if there are any, else by each rack's heat to air as a share of the rack's cooling capacity. */
function thermal(racks: readonly RackTile[]): FloorStyle {
  if (racks.some(({ inletTempC }) => inletTempC !== undefined)) return byInlet();
  const byShare = shares(({ coolingPct }) => coolingPct, "no cooling limit recorded");
  return {
    ...byShare,
    figure: (rack) => (rack.coolingPct === undefined ? formatWatts(rack.heatW) : byShare.figure(rack)),
  };
}
