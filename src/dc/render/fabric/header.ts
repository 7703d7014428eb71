import { FAULT_LOAD_PCT } from "#dc/analysis/fabric/fabric_links.ts";
import { getTierName } from "#dc/analysis/fabric/fabric_tiers.ts";
import type { Coloring } from "#dc/model/enum_values.ts";
import { formatBandwidth, formatPercent } from "#words/figures.ts";
import { formatConstant, formatCountWithNoun, getRefName } from "#words/names.ts";
import { createCountFigure, createLineEntry, type Figure, type LegendLine, listNoteIf, type Note } from "../frame.ts";
import { createScaleLegend } from "../scale_legend.ts";
import { type CollapsedFabric, type FabricPicture, formatTierName } from "./picture.ts";
import { formatRatio } from "./units.ts";

/** Maximum number of findings listed as text; further findings are counted. */
const MAX_LISTED_FINDINGS = 6;

/** Returns title, description, figures, notes and legend of a fabric's picture. */
export function createFabricHeader(picture: FabricPicture, collapsed: CollapsedFabric, coloring: Coloring) {
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
