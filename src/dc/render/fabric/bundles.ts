import { FAULT_LOAD_PCT } from "#dc/analysis/fabric/fabric_links.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import { formatBandwidth, formatPercent } from "#words/figures.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { findScaleToken, type Paint } from "../palette.ts";
import type { Stroke } from "../scene.ts";
import type { FabricPicture, LinkBundle } from "./picture.ts";

export interface BundleState {
  /** Utilization of the busiest live link, in percent; undefined without a live link. */
  readonly utilizationPct: number | undefined;
  readonly upCount: number;
  readonly downCount: number;
  readonly missingCount: number;
  readonly capacityMbps: number;
  readonly isCongested: boolean;
  /** Whether a link has no capacity left. */
  readonly isFull: boolean;
  readonly isWatched: boolean;
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
    upCount: live.length,
    downCount: links.length - live.length,
    missingCount: missing,
    capacityMbps: live.reduce((sum, { link }) => sum + (link.capacityMbps ?? 0), 0),
    isCongested: (utilizationPct ?? 0) >= congestionPct,
    isFull: (utilizationPct ?? 0) >= FAULT_LOAD_PCT,
    isWatched: (utilizationPct ?? 0) >= watchPct || live.some(({ health }) => health === "WATCH"),
  };
}

/** Utilization in percent from which a line is coloured. */
const COLORED_UTILIZATION_PCT = 80;

/** Returns the line style of a bundle: dotted if it has no links, dashed if all of its links are down. */
export function createBundleStroke(state: BundleState, coloring: Coloring): Stroke {
  if (state.upCount === 0)
    return { stroke: "faultText", strokeWidth: 1.6, dash: state.downCount === 0 ? "dotted" : "dashed" };
  if (coloring === "NONE" || coloring === "ROLE") return { stroke: "line", strokeWidth: state.isCongested ? 3 : 1.2 };
  if (coloring === "UTILIZATION") {
    const share = state.utilizationPct ?? 0;
    return share >= COLORED_UTILIZATION_PCT
      ? { stroke: findScaleToken(share), strokeWidth: 3 }
      : { stroke: "muted", strokeWidth: 1 };
  }
  if (state.isFull) return { stroke: "faultText", strokeWidth: 3 };
  if (state.isCongested) return { stroke: "watchText", strokeWidth: 3 };
  if (state.isWatched || state.downCount > 0) return { stroke: "watchText", strokeWidth: 2 };
  return { stroke: "okText", strokeWidth: 1.2 };
}

/** Returns the fill of a bundle's cell in the matrix. */
export function findBundleFill(state: BundleState, coloring: Coloring): Paint {
  if (state.upCount === 0) return "faultSoft";
  switch (coloring) {
    case "NONE":
    case "ROLE":
      return "panel";
    case "STATUS":
      return state.downCount > 0 ? "watchSoft" : "okSoft";
    case "HEALTH":
      if (state.isFull) return "faultSoft";
      return state.isCongested || state.isWatched || state.downCount > 0 ? "watchSoft" : "okSoft";
    default:
      return findScaleToken(state.utilizationPct ?? 0);
  }
}

/** Returns the text of a bundle's cell: the utilization in percent, "down", or "none" for a missing link. */
export function formatBundleCell({ utilizationPct, downCount }: BundleState): string {
  if (utilizationPct !== undefined) return String(Math.round(utilizationPct));
  return downCount > 0 ? "down" : "none";
}

export function listBundleFacts({ links }: LinkBundle, state: BundleState): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [
    ["Links up", String(state.upCount)],
    ["Links down", state.downCount === 0 ? "" : String(state.downCount)],
    [
      "Missing",
      state.missingCount === 0
        ? ""
        : formatCountWithNoun(state.missingCount, "link of a full mesh", "links of a full mesh"),
    ],
    ["Busiest", state.utilizationPct === undefined ? "" : formatPercent(state.utilizationPct)],
    ["Capacity", state.upCount === 0 ? "" : formatBandwidth(state.capacityMbps)],
    ["Congested", state.isCongested ? "yes" : ""],
    ["Errors", describeLinkErrors(links)],
  ];
  return facts.filter(([, value]) => value !== "");
}

function describeLinkErrors(links: LinkBundle["links"]): string {
  const sum = links.reduce((total, { link }) => total + (link.errorCount ?? 0), 0);
  return sum === 0 ? "" : String(sum);
}
