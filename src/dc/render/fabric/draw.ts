import { getTierName } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import { formatPercent } from "#words/figures.ts";
import { capitalize } from "#words/names.ts";
import {
  type Drawing,
  type DrawOptions,
  type Element,
  formatTip,
  type Graph,
  type GraphEdge,
  type GraphNode,
} from "../drawing.ts";
import { frameScene } from "../frame.ts";
import { STATE_LABELS } from "../parts/marks.ts";
import { computeBundleState, createBundleStroke, listBundleFacts } from "./bundles.ts";
import { createFabricHeader } from "./header.ts";
import type { DrawnBundle, DrawnFabric, DrawnUnit } from "./parts.ts";
import { collapseFabric, type FabricPicture, type FabricUnit, type LinkBundle } from "./picture.ts";
import { computeUnitState, describeUplinkLoss, findUnitFill, formatRatio, listUnitFacts } from "./units.ts";
import { drawFanBody, drawMatrixBody, drawRibbonBody } from "./views.ts";

/**
 * Draws a fabric as a matrix with a cell for every pair of switches. COMPACT draws groups of switches and their links
 * as ribbons; FULL draws every link as a line above the matrix.
 */
export function drawFabric(picture: FabricPicture, options: DrawOptions): Drawing {
  const coloring = options.coloring ?? "UTILIZATION";
  const view = options.view === "COMPACT" || options.view === "FULL" ? options.view : undefined;
  const collapsed = collapseFabric(picture, { ...options, view });
  const parts = buildFabricParts(picture, collapsed.units, collapsed.bundles);
  return {
    scene: frameScene({
      ...createFabricHeader(picture, collapsed, coloring),
      ...BODY_DRAWERS[view ?? "MATRIX"](parts, coloring),
    }),
    graph: createFabricGraph(picture, parts, coloring),
    elements: createFabricElements(parts),
    omittedNodes: collapsed.omittedSwitches,
  };
}

const BODY_DRAWERS = { MATRIX: drawMatrixBody, COMPACT: drawRibbonBody, FULL: drawFanBody } as const;

function buildFabricParts(
  picture: FabricPicture,
  units: readonly FabricUnit[],
  bundles: readonly LinkBundle[],
): DrawnFabric {
  const states = bundles.map((bundle) => computeBundleState(bundle, picture));
  const bundlesByUnit = units.map((): number[] => []);
  for (const [index, { upper, lower }] of bundles.entries()) {
    bundlesByUnit[upper]?.push(index);
    bundlesByUnit[lower]?.push(index);
  }
  const unitParts = units.map((unit, index): DrawnUnit => {
    const own = (bundlesByUnit[index] ?? []).flatMap((at) => states[at] ?? []);
    const state = computeUnitState(unit, own);
    return { ...unit, tally: state, tip: formatTip(state.title, listUnitFacts(unit, state)) };
  });
  const getUnitTitle = (index: number) => unitParts[index]?.tally.title ?? "";
  const bundleParts = bundles.map((bundle, index): DrawnBundle => {
    const state = states[index] ?? computeBundleState(bundle, picture);
    const [only, ...others] = bundle.links;
    const ref =
      only === undefined || others.length > 0 ? `${units[bundle.lower]?.id}~${units[bundle.upper]?.id}` : only.ref;
    const title = `${getUnitTitle(bundle.lower)} to ${getUnitTitle(bundle.upper)}`;
    const facts = [...listBundleFacts(bundle, state), ...listPhysicalFacts(bundle, picture)];
    return { ...bundle, state, ref, title, facts, tip: formatTip(title, facts) };
  });
  return { units: unitParts, bundles: bundleParts };
}

function listPhysicalFacts(
  { links }: LinkBundle,
  { cableMatches }: FabricPicture,
): readonly (readonly [string, string])[] {
  const bad = links.filter(({ ref }) => ["MISSING", "MISMATCH"].includes(cableMatches.get(ref) ?? ""));
  return bad.length === 0 ? [] : [["Cables", `${bad.length} of ${links.length} do not join the two ends`]];
}

/** Returns the fabric picture as a graph of units and bundles. */
function createFabricGraph({ name }: FabricPicture, { units, bundles }: DrawnFabric, coloring: Coloring): Graph {
  const bottom = Math.min(...units.map(({ tier }) => tier));
  return {
    name: `Fabric ${name}`,
    directed: false,
    rankdir: "TB",
    nodes: units.map((unit): GraphNode => {
      const { tally } = unit;
      const lines = [
        tally.title,
        unit.isGroup ? `${unit.switches.length} switches` : "",
        `${STATE_LABELS[tally.state]}, ${tally.uplinksUp} of ${tally.uplinks} links up`,
        tally.oversubscription === undefined
          ? ""
          : `${formatRatio(tally.oversubscription)}, an upper switch lost ${describeUplinkLoss(tally)}`,
      ];
      return {
        id: unit.id,
        label: lines.filter((line) => line !== "").join("\n"),
        shape: unit.isGroup ? "note" : unit.tier === bottom ? "box" : "hexagon",
        fill: findUnitFill(unit, tally, coloring),
        ...(tally.failed > 0 && { style: "dashed" }),
      };
    }),
    edges: bundles.map(({ upper, lower, state }): GraphEdge => {
      // Graphviz draws no outlines, so a line by utilization uses the stronger colours of health.
      const { stroke, dash } = createBundleStroke(state, coloring === "UTILIZATION" ? "HEALTH" : coloring);
      const label =
        state.utilizationPct === undefined
          ? state.downCount > 0
            ? "down"
            : "missing"
          : formatPercent(state.utilizationPct);
      return {
        from: units[upper]?.id ?? "",
        to: units[lower]?.id ?? "",
        label,
        ...(stroke !== undefined && { stroke }),
        ...(dash !== undefined ? { style: dash } : state.isCongested ? { style: "bold" as const } : {}),
      };
    }),
  };
}

/** Returns one element with facts for each switch, each group, and each pair with links. */
function createFabricElements({ units, bundles }: DrawnFabric): readonly Element[] {
  const neighborIds = units.map((): string[] => []);
  for (const { upper, lower } of bundles) {
    neighborIds[upper]?.push(units[lower]?.id ?? "");
    neighborIds[lower]?.push(units[upper]?.id ?? "");
  }
  return [
    ...units.map((unit, index): Element => {
      const kind = unit.isGroup ? "Group" : capitalize(getTierName(unit.tier));
      return {
        ref: unit.id,
        kind,
        title: unit.tally.title,
        facts: listUnitFacts(unit, unit.tally),
        related: neighborIds[index] ?? [],
      };
    }),
    ...bundles.map(({ ref, title, facts, upper, lower }): Element => {
      const related = [units[lower]?.id ?? "", units[upper]?.id ?? ""];
      return { ref, kind: "Link", title, facts, related };
    }),
  ];
}
