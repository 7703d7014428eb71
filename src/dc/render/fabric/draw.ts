import { formatBandwidth, formatPercent } from "#words/figures.ts";
import { capitalize, formatConstant, formatCountWithNoun, getRefName } from "#words/names.ts";
import { FAULT_LOAD_PCT, getTierName } from "../../analysis/fabric/fabric_tiers.ts";
import type { Coloring } from "../../model/enum_values.ts";
import {
  createCountFigure,
  createLineEntry,
  createScaleLegend,
  type Figure,
  frameScene,
  type LegendLine,
  listNoteIf,
  type Note,
} from "../frame.ts";
import { STATE_LABELS } from "../parts/marks.ts";
import {
  type Drawing,
  type DrawOptions,
  type Element,
  formatTip,
  type Graph,
  type GraphEdge,
  type GraphNode,
} from "../scene.ts";
import {
  type CollapsedFabric,
  collapseFabric,
  computeBundleState,
  computeUnitState,
  createBundleStroke,
  type DrawnBundle,
  type DrawnFabric,
  type DrawnUnit,
  describeUplinkLoss,
  type FabricPicture,
  type FabricUnit,
  findUnitFill,
  formatRatio,
  formatTierName,
  type LinkBundle,
  listBundleFacts,
  listUnitFacts,
} from "./bundles.ts";
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

/** Maximum number of findings listed as text; further findings are counted. */
const MAX_LISTED_FINDINGS = 6;

/** Returns title, description, figures, notes and legend of a fabric's picture. */
function createFabricHeader(picture: FabricPicture, collapsed: CollapsedFabric, coloring: Coloring) {
  const { answer, name } = picture;
  const title = name === "" ? "All fabrics" : `Fabric ${name}`;
  const tiers = [...new Set(answer.nodes.map(({ tier }) => tier))].sort((a, b) => a - b);
  const perTier = tiers.map((tier) => {
    const count = answer.nodes.filter((node) => node.tier === tier).length;
    return count === 1 ? `1 ${getTierName(tier)}` : `${count} ${formatTierName(tier)}`;
  });
  const subtitle =
    answer.nodes.length === 0
      ? "No fabric link is recorded here"
      : [...perTier, formatCountWithNoun(answer.links.length, "link")].join(", ");
  const figures = createFabricFigures(picture);
  return {
    title,
    subtitle,
    description: `${[`${title}: ${subtitle}`, figures.map(({ label, value }) => `${label} ${value}`).join(", ")].filter(Boolean).join("; ")}.`,
    figures,
    notes: createFabricNotes(picture, collapsed),
    legend: createFabricLegend(picture, coloring),
  };
}

function createFabricFigures({ answer: { summary, nodes, missing }, congestionPct }: FabricPicture): readonly Figure[] {
  const createFaultFigure = (label: string, count: number) => createCountFigure(label, count, "fault");
  if (nodes.length === 0) return [];
  const failed = new Set(nodes.filter((node) => node.failed).map(({ device }) => device.code)).size;
  return [
    { label: "links up", value: String(summary.linksUp) },
    createFaultFigure("links down", summary.linksDown),
    createCountFigure(
      `congested, from ${formatPercent(congestionPct)}`,
      summary.congested,
      summary.maxUtilPct >= FAULT_LOAD_PCT ? "fault" : "watch",
    ),
    createFaultFigure("missing of the full mesh", missing.length),
    ...(failed > 0 ? [createFaultFigure("switches failed", failed)] : []),
    { label: "busiest link", value: formatPercent(summary.maxUtilPct) },
    { label: "95 % of links below", value: formatPercent(summary.p95UtilPct) },
    ...createWorstNodeFigures("worst oversubscription", nodes, "oversubscription"),
    ...createWorstNodeFigures("worst with an upper switch lost", nodes, "oversubscriptionN1"),
    { label: "bisection bandwidth", value: formatBandwidth(summary.bisectionMbps) },
  ];
}

function createWorstNodeFigures(
  label: string,
  nodes: FabricPicture["answer"]["nodes"],
  key: "oversubscription" | "oversubscriptionN1",
): readonly Figure[] {
  const known = nodes.filter((node) => node[key] !== undefined).toSorted((a, b) => (b[key] ?? 0) - (a[key] ?? 0));
  const [worst] = known;
  return worst === undefined ? [] : [{ label, value: `${formatRatio(worst[key] ?? 0)} at ${worst.device.code}` }];
}

function createFabricNotes(
  { answer: { findings }, cableMatches }: FabricPicture,
  { omittedSwitches, units }: CollapsedFabric,
): readonly Note[] {
  const kinds = Map.groupBy(findings, ({ code, severity }) => `${code} ${severity}`);
  const findingNotes = [...kinds.values()].flatMap(createFindingNotes);
  const cables = [...cableMatches]
    .filter(([, match]) => match === "MISSING" || match === "MISMATCH")
    .map(
      ([ref]): Note => ({ text: `${getRefName(ref)}: the cables do not join the two ends of the link`, tone: "fault" }),
    );
  const all = [
    ...findingNotes.filter(({ tone }) => tone === "fault"),
    ...cables,
    ...findingNotes.filter(({ tone }) => tone === "watch"),
    ...findingNotes.filter(({ tone }) => tone === "info"),
  ];
  const groups = units.filter(({ isGroup }) => isGroup).length;
  const collapsed = `Folded: ${formatCountWithNoun(omittedSwitches, "switch", "switches")} counted in ${formatCountWithNoun(groups, "group")}`;
  return [
    ...all.slice(0, MAX_LISTED_FINDINGS),
    ...listNoteIf(all.length > MAX_LISTED_FINDINGS, `and ${all.length - MAX_LISTED_FINDINGS} more findings`),
    ...listNoteIf(omittedSwitches > 0, collapsed, { tone: "info" }),
  ];
}

/** Returns a note for each of up to 3 findings of one code and severity, or one note for more findings. */
function createFindingNotes(findings: FabricPicture["answer"]["findings"]): readonly Note[] {
  const notes = findings.map(({ message, ref, value, expected, code, severity }): Note => {
    const grave = code === "NO_UPLINK" || code === "LINK_DOWN" ? "fault" : "watch";
    const tone = severity === "INFO" ? "info" : grave;
    const about = message.includes(`"${getRefName(ref)}"`) ? message : `${getRefName(ref)}: ${message}`;
    return { text: `${about} (${value}, expected ${expected})`, tone };
  });
  const [first] = notes;
  if (first === undefined || notes.length <= 3) return notes;
  return [
    {
      ...first,
      text: `${formatConstant(findings[0]?.code ?? "")} at ${findings.length} places, such as ${first.text}`,
    },
  ];
}

function createFabricLegend(
  { answer, congestionPct, watchPct }: FabricPicture,
  coloring: Coloring,
): readonly LegendLine[] {
  if (answer.links.length === 0) return [];
  const broken = [
    createLineEntry("no link works", { stroke: "faultText", strokeWidth: 1.6, dash: "dashed" }),
    createLineEntry("missing of the full mesh", { stroke: "faultText", strokeWidth: 1.6, dash: "dotted" }),
  ];
  // Lines and cells share one colour scale.
  if (coloring === "UTILIZATION") return [...createScaleLegend(), ...broken];
  if (coloring === "NONE" || coloring === "ROLE")
    return [
      createLineEntry(`congested, from ${formatPercent(congestionPct)}`, { stroke: "line", strokeWidth: 3 }),
      ...broken,
    ];
  return [
    createLineEntry(`full, from ${formatPercent(FAULT_LOAD_PCT)}`, { stroke: "faultText", strokeWidth: 3 }),
    createLineEntry(`congested, from ${formatPercent(congestionPct)}`, { stroke: "watchText", strokeWidth: 3 }),
    createLineEntry(`watched, from ${formatPercent(watchPct)}`, { stroke: "watchText", strokeWidth: 2 }),
    ...broken,
  ];
}
