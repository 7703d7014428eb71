import type { FloorPlanResponse, RackTile } from "#gen/datacenter/v1/datacenter_pb.ts";
import type { Coloring } from "../options.ts";
import { type ScaleToken, scaleStep, type Token } from "../palette.ts";
import type { LegendEntry } from "../parts/chrome.ts";
import { fixed, percent, watts } from "../parts/labels.ts";
import { STATE_WORDS, stateOfHealth } from "../parts/marks.ts";
import { SHARE_STEPS } from "../scale_legend.ts";

/** How racks are filled, the figure that stands in them, and what the fills mean. */
export interface FloorStyle {
  fill(rack: RackTile): Token;
  figure(rack: RackTile): string;
  readonly legend: readonly LegendEntry[];
}

const STATES = ["ok", "watch", "fault", "info"] as const;
const SHARES = SHARE_STEPS.map(([, label]) => label);

/** The style of a floor's racks under one colouring; their health shows as a sign under every one. */
export function floorStyle(reply: FloorPlanResponse, coloring: Coloring): FloorStyle {
  switch (coloring) {
    case "POWER":
      return shares(({ powerPct }) => powerPct, "no power limit recorded");
    case "UTILIZATION":
      return shares(({ spacePct }) => spacePct, "no units");
    case "THERMAL":
      return thermal(reply.racks);
    case "NONE":
      return { fill: () => "panel", figure: () => "", legend: signs() };
    default:
      return {
        fill: ({ health }) => `${stateOfHealth(health)}Soft`,
        figure: ({ powerPct }) => (powerPct === undefined ? "" : percent(Math.round(powerPct))),
        legend: signs(),
      };
  }
}

function signs(): readonly LegendEntry[] {
  return STATES.map((state) => ({ label: STATE_WORDS[state], state }));
}

/** A scale, and "unknown" where a rack has no value. */
function scale(labels: readonly string[], unknown: string | undefined): readonly LegendEntry[] {
  return [
    ...labels.map((label, step): LegendEntry => ({ label, fill: `scale${step}` as ScaleToken })),
    ...(unknown === undefined ? [] : [{ label: unknown, fill: "panel" } as const]),
    ...signs(),
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
      return pct === undefined ? "" : percent(Math.round(pct));
    },
    legend: scale(SHARES, unknown),
  };
}

/** Lower edges of the steps of inlet temperature in degrees Celsius; 27 is the recommended and 32 the allowed most of A1. */
const INLETS = [18, 21, 24, 27, 32];

/** By measured inlets if there are any, else by the heat to air as a share of what can be taken away. */
function thermal(racks: readonly RackTile[]): FloorStyle {
  if (racks.some(({ inletTempC }) => inletTempC !== undefined)) {
    const labels = INLETS.map((from, index) =>
      index === 0 ? `below ${from} °C` : `${INLETS[index - 1]} – ${from} °C`,
    );
    return {
      fill: ({ inletTempC }) =>
        inletTempC === undefined
          ? "panel"
          : (`scale${INLETS.filter((from) => inletTempC >= from).length}` as ScaleToken),
      figure: ({ inletTempC }) => (inletTempC === undefined ? "" : `${fixed(inletTempC)} °C`),
      legend: scale([...labels, `${INLETS.at(-1)} °C and more`], "inlet not measured"),
    };
  }
  const most = racks.reduce((top, { heatW }) => Math.max(top, heatW), 0);
  const step = (share: number) => Math.min(5, Math.floor(share * 6));
  return {
    fill: ({ heatW }) => `scale${most === 0 ? 0 : step(heatW / most)}` as ScaleToken,
    figure: ({ heatW }) => watts(heatW),
    legend: scale(
      [0, 1, 2, 3, 4, 5].map((from) => `${watts((from / 6) * most)} – ${watts(((from + 1) / 6) * most)}`),
      undefined,
    ),
  };
}
