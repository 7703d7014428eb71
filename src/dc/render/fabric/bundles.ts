import { FULL_PCT } from "#dc/analysis/fabric/fabric_links.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import { formatBandwidth, formatPercent } from "#words/figures.ts";
import { formatCountOf } from "#words/names.ts";
import { findScaleToken, type Paint } from "../palette.ts";
import type { Stroke } from "../scene.ts";
import type { FabricPicture, LinkBundle } from "./picture.ts";

export interface BundleState {
  /** Utilization of the busiest live link, in percent; undefined without a live link. */
  readonly utilizationPct: number | undefined;
  readonly up: number;
  readonly down: number;
  readonly missing: number;
  readonly capacityMbps: number;
  readonly congested: boolean;
  /** Whether a link has no capacity left. */
  readonly full: boolean;
  readonly watched: boolean;
}

export function computeBundleState(
  { links, missing }: LinkBundle,
  { congestionPct, watchPct }: FabricPicture,
): BundleState {
  const live = links.filter((view) => view.live);
  const utilizationPct =
    live.length === 0 ? undefined : live.reduce((most, view) => Math.max(most, view.utilizationPct), 0);
  return {
    utilizationPct,
    up: live.length,
    down: links.length - live.length,
    missing,
    capacityMbps: live.reduce((sum, { link }) => sum + (link.capacityMbps ?? 0), 0),
    congested: (utilizationPct ?? 0) >= congestionPct,
    full: (utilizationPct ?? 0) >= FULL_PCT,
    watched: (utilizationPct ?? 0) >= watchPct || live.some(({ health }) => health === "WATCH"),
  };
}

/** Utilization in percent from which a line is coloured. */
const PROBLEM_SHARE_PCT = 80;

/** Returns the line style of a bundle: dotted if it has no links, dashed if all of its links are down. */
export function createBundleStroke(state: BundleState, coloring: Coloring): Stroke {
  if (state.up === 0) return { stroke: "faultText", strokeWidth: 1.6, dash: state.down === 0 ? "dotted" : "dashed" };
  if (coloring === "NONE" || coloring === "ROLE") return { stroke: "line", strokeWidth: state.congested ? 3 : 1.2 };
  if (coloring === "UTILIZATION") {
    const share = state.utilizationPct ?? 0;
    return share >= PROBLEM_SHARE_PCT
      ? { stroke: findScaleToken(share), strokeWidth: 3 }
      : { stroke: "muted", strokeWidth: 1 };
  }
  if (state.full) return { stroke: "faultText", strokeWidth: 3 };
  if (state.congested) return { stroke: "watchText", strokeWidth: 3 };
  if (state.watched || state.down > 0) return { stroke: "watchText", strokeWidth: 2 };
  return { stroke: "okText", strokeWidth: 1.2 };
}

/** Returns the fill of a bundle's cell in the matrix. */
export function findBundleFill(state: BundleState, coloring: Coloring): Paint {
  if (state.up === 0) return "faultSoft";
  switch (coloring) {
    case "NONE":
    case "ROLE":
      return "panel";
    case "STATUS":
      return state.down > 0 ? "watchSoft" : "okSoft";
    case "HEALTH":
      if (state.full) return "faultSoft";
      return state.congested || state.watched || state.down > 0 ? "watchSoft" : "okSoft";
    default:
      return findScaleToken(state.utilizationPct ?? 0);
  }
}

/** Returns the text of a bundle's cell: the utilization in percent, "down", or "none" for a missing link. */
export function formatBundleCell({ utilizationPct, down }: BundleState): string {
  if (utilizationPct !== undefined) return String(Math.round(utilizationPct));
  return down > 0 ? "down" : "none";
}

export function listBundleFacts({ links }: LinkBundle, state: BundleState): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ["Links up", String(state.up)],
    ["Links down", state.down === 0 ? "" : String(state.down)],
    ["Missing", state.missing === 0 ? "" : formatCountOf(state.missing, "link of a full mesh", "links of a full mesh")],
    ["Busiest", state.utilizationPct === undefined ? "" : formatPercent(state.utilizationPct)],
    ["Capacity", state.up === 0 ? "" : formatBandwidth(state.capacityMbps)],
    ["Congested", state.congested ? "yes" : ""],
    ["Errors", describeLinkErrors(links)],
  ];
  return facts.filter(([, value]) => value !== "");
}

function describeLinkErrors(links: LinkBundle["links"]): string {
  const sum = links.reduce((total, { link }) => total + (link.errorCount ?? 0), 0);
  return sum === 0 ? "" : String(sum);
}
