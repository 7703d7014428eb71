import { formatBandwidth, formatDuration, formatKnownSum, formatPercent, formatWatts } from "#words/figures.ts";
import { formatCountWithNoun, getRefName, LOAD_BASIS_ADJECTIVES } from "#words/names.ts";
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
import { layOutGraph, PORT_GAP } from "../layout/layered.ts";
import { formatArea, formatRefInTitle } from "../places.ts";
import {
  createText,
  type Drawing,
  type DrawOptions,
  type Element,
  type Graph,
  type GraphEdge,
  type GraphNode,
  type Item,
  type Point,
} from "../scene.ts";
import { measureText } from "../text_width.ts";
import { IMPACT_STATES, type PowerFailure } from "./failure.ts";
import { type CollapsedFailure, collapseFailure, type DrawnEdge } from "./node_grouper.ts";
import {
  BOX_WIDTH,
  buildDrawnPowerNode,
  computeBoxHeight,
  computeCardHeight,
  computeNeededCardWidth,
  type DrawnPowerNode,
  drawAreaCard,
  drawAreaGroup,
  drawElementBox,
  formatEdgeLabel,
  GROUP_HEIGHT,
  type NodeFacts,
} from "./nodes.ts";
import { type DrawnState, drawBadge, formatGroupLabel, formatImpactLabel, IMPACT_STYLES } from "./tally.ts";

/** Returns the power picture as nodes and edges. Elements inside a card are nodes of a cluster. */
function createPowerGraph(
  { sources }: PowerFailure,
  parts: readonly DrawnPowerNode[],
  edges: readonly DrawnEdge[],
  coloring: Coloring,
): Graph {
  return {
    name: `What if ${sources.map(({ ref }) => formatRefInTitle(ref)).join(", ")} ${sources.length > 1 ? "fail" : "fails"}`,
    directed: true,
    rankdir: "LR",
    nodes: parts.flatMap((part) => createPartNodes(part, coloring)),
    edges: edges.map((edge): GraphEdge => {
      const label = formatEdgeLabel(edge);
      return {
        from: parts[edge.from]?.id ?? "",
        to: parts[edge.to]?.id ?? "",
        stroke: edge.dead === edge.count ? "fault" : edge.dead > 0 ? "watchText" : "okText",
        ...(label !== "" && { label }),
        ...(edge.dead > 0 && { style: "dashed" }),
      };
    }),
  };
}

function createPartNodes(
  { form, id, drawnState, tally, nodes }: DrawnPowerNode,
  coloring: Coloring,
): readonly GraphNode[] {
  const [first] = nodes;
  if (form === "BOX" && first !== undefined) return [createElementNode(first, coloring)];
  const title = formatArea(id);
  const look = IMPACT_STYLES[drawnState];
  const summary: GraphNode = {
    id,
    label: [
      title,
      `${look.letter}: ${look.label}`,
      form === "GROUP" ? formatGroupLabel(tally) : "",
      formatImpactLabel(tally),
    ]
      .filter((line) => line !== "")
      .join("\n"),
    shape: form === "GROUP" ? "note" : "box",
    fill: look.softFill,
    style: drawnState === "OFFLINE" ? "dashed" : "bold",
    ...(form === "CARD" && { cluster: title }),
  };
  return [summary, ...nodes.map((node) => ({ ...createElementNode(node, coloring), cluster: title }))];
}

function createElementNode(node: NodeFacts, coloring: Coloring): GraphNode {
  const { letter, label } = IMPACT_STYLES[node.impact];
  const lines = [node.title, node.kind(), `${letter}: ${label}`, node.formatLoad(), ...node.listAlarms()];
  return {
    id: node.ref,
    label: lines.filter((line) => line !== "").join("\n"),
    shape: node.impact === "FAILED" ? "diamond" : "box",
    fill: node.findFill(coloring),
    ...(node.impact === "OFFLINE" && { style: "dashed" }),
    ...(node.impact === "FAILED" && { style: "bold" }),
  };
}

/** Returns one element with facts for each element, card and group of the picture. */
function createPowerElements(parts: readonly DrawnPowerNode[]): readonly Element[] {
  return parts.flatMap(({ form, id, drawnState, tally, nodes }): Element[] => {
    const inside = nodes.map(
      (node): Element => ({
        ref: node.ref,
        kind: node.kind(),
        title: node.title,
        facts: node.listFacts(),
        related: node.listRelatedRefs(),
      }),
    );
    if (form === "BOX") return inside;
    const facts: Element["facts"] = [
      ["State", IMPACT_STYLES[drawnState].label],
      ["Holds", formatGroupLabel(tally)],
      ["Elements", formatImpactLabel(tally)],
    ];
    const related = nodes.map(({ ref }) => ref);
    return [{ ref: id, kind: form === "GROUP" ? "Group" : "Place", title: formatArea(id), facts, related }, ...inside];
  });
}

/** Returns title, subtitle, description, figures, notes and legend of the picture of a power failure. */
function createPowerHeader(
  failure: PowerFailure,
  collapsed: CollapsedFailure,
  { parts, coloring }: { readonly parts: readonly DrawnPowerNode[]; readonly coloring: Coloring },
) {
  const refs = failure.sources.map(({ ref }) => formatRefInTitle(ref));
  const [first = "nothing", ...others] = refs;
  const names =
    others.length === 0 ? first : others.length < 4 ? refs.join(", ") : `${first} and ${others.length} more`;
  const figures = createImpactFigures(failure);
  const title = `What if ${names} ${refs.length > 1 ? "fail" : "fails"}`;
  return {
    title,
    subtitle: `What goes off, by ${LOAD_BASIS_ADJECTIVES[failure.basis]} draw`,
    description: `${title}: ${figures.map(({ label, value }) => `${label} ${value}`).join(", ")}.`,
    figures,
    notes: createFailureNotes(failure, collapsed),
    legend: parts.length === 0 ? [] : createImpactLegend(parts, coloring),
  };
}

function createImpactFigures({ blast: { impact, overloads } }: PowerFailure): readonly Figure[] {
  const createLossFigure = (label: string, count: number) => createCountFigure(label, count, "fault");
  const tripping = overloads.some(({ severity }) => severity === "WOULD_TRIP");
  return [
    createLossFigure("racks dark", impact.racksDark),
    createLossFigure("racks partly dark", impact.racksPartial),
    createCountFigure("racks protected", impact.racksProtected, "ok"),
    createLossFigure("devices offline", impact.itDevicesOffline),
    createLossFigure("power equipment offline", impact.devicesOffline - impact.itDevicesOffline),
    createLossFigure("cooling units offline", impact.cracsOffline),
    createCountFigure("devices with less supply", impact.devicesDegraded, "watch"),
    {
      label: "IT load lost",
      value: formatKnownSum(impact.itLoadLostW, impact.itDevicesWithoutDraw),
      ...(impact.itLoadLostW + impact.itDevicesWithoutDraw > 0 && { tone: "fault" }),
    },
    ...(impact.coolingLostKw > 0
      ? [{ label: "cooling lost", value: formatWatts(impact.coolingLostKw * 1000), tone: "fault" as const }]
      : []),
    ...(overloads.length > 0 ? [createCountFigure("overloaded", overloads.length, tripping ? "fault" : "watch")] : []),
    ...(impact.minRideThroughS === undefined
      ? []
      : [{ label: "shortest battery", value: formatDuration(impact.minRideThroughS), tone: "info" as const }]),
    ...(impact.devicesUndocumented > 0
      ? [createCountFigure("without recorded inlets", impact.devicesUndocumented, "watch")]
      : []),
  ];
}

/** Maximum number of notes about overloads, and about cascade steps; further notes are counted. */
const MAX_NOTES_PER_TOPIC = 6;

function createFailureNotes(failure: PowerFailure, { omittedElements, drawn }: CollapsedFailure): readonly Note[] {
  const { blast, sources } = failure;
  const { linksDown, isolated } = failure.network;
  if (blast.hits.length === 0 && linksDown.length + isolated.length > 0) return createNetworkNotes(failure.network);
  if (sources.every(({ nodes }) => nodes.size === 0)) {
    const isPlace = sources.every(({ ref }) => !/^(?:port|cable|fabric_link):/.test(ref));
    const empty = "No device and no cooling unit is recorded here: nothing can fail";
    return [{ text: isPlace ? empty : "No supply fails with this", tone: "info" }];
  }
  const overloads = blast.overloads.map(
    ({ ref, loadBeforeW, loadAfterW, capacityW, utilizationPct, severity }): Note => {
      const limit = severity === "WOULD_TRIP" ? "would trip" : "is above its derated limit";
      const rise = `${formatWatts(loadBeforeW)} to ${formatWatts(loadAfterW)} of ${formatWatts(capacityW)}, ${formatPercent(utilizationPct)}`;
      return {
        text: `Overload: ${getRefName(ref)} ${limit}: ${rise}`,
        tone: severity === "WOULD_TRIP" ? "fault" : "watch",
      };
    },
  );
  const steps = blast.steps.map(
    ({ step, trippedRefs, devicesOffline }): Note => ({
      text: `Cascade step ${step}: ${formatFirstRefs(trippedRefs)} trips, ${formatCountWithNoun(devicesOffline, "element")} offline then`,
      tone: "fault",
    }),
  );
  const groups = drawn.filter(({ form }) => form === "GROUP").length;
  const collapsed = `Folded: ${formatCountWithNoun(omittedElements, "element")} ${omittedElements === 1 ? "is" : "are"} counted in ${formatCountWithNoun(groups, "group")}`;
  return [
    ...limitNotes(overloads, "overloads"),
    ...limitNotes(steps, "steps"),
    ...listNoteIf(omittedElements > 0, collapsed, { tone: "info" }),
  ];
}

/** Returns notes about network losses of a failure that leaves every power supply on. */
function createNetworkNotes({ linksDown, lostMbps, cutOff, isolated }: PowerFailure["network"]): readonly Note[] {
  const verb = linksDown.length === 1 ? "goes" : "go";
  const links = `${formatCountWithNoun(linksDown.length, "fabric link")} of ${formatBandwidth(lostMbps)} ${verb} down: ${formatFirstRefs(linksDown)}`;
  const switches = `${formatCountWithNoun(cutOff.length, "switch", "switches")} without an uplink: ${formatFirstRefs(cutOff)}`;
  const devices = `${formatCountWithNoun(isolated.length, "device")} without a data path: ${formatFirstRefs(isolated)}`;
  return [
    { text: "No supply fails with this", tone: "info" },
    ...listNoteIf(linksDown.length > 0, links, { tone: "watch" }),
    ...listNoteIf(cutOff.length > 0, switches, { tone: "fault" }),
    ...listNoteIf(isolated.length > 0, devices, { tone: "fault" }),
  ];
}

function limitNotes(notes: readonly Note[], what: string): readonly Note[] {
  if (notes.length <= MAX_NOTES_PER_TOPIC) return notes;
  return [
    ...notes.slice(0, MAX_NOTES_PER_TOPIC),
    { text: `and ${notes.length - MAX_NOTES_PER_TOPIC} more ${what}`, tone: "fault" },
  ];
}

function formatFirstRefs(refs: readonly string[]): string {
  const names = refs.map(getRefName);
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`;
}

function createImpactLegend(parts: readonly DrawnPowerNode[], coloring: Coloring): readonly LegendLine[] {
  const used = new Set(parts.flatMap(({ tally, drawnState }): DrawnState[] => [...tally.impacts.keys(), drawnState]));
  const hasPartialAreas = parts.some(({ drawnState }) => drawnState === "PARTIAL");
  const shown = IMPACT_STATES.flatMap((impact) => (used.has(impact) ? [impact] : []));
  const lines = [
    ...shown.map((impact) => ({ label: IMPACT_STYLES[impact].label, sample: [drawBadge(impact, 6, 0)] })),
    ...(hasPartialAreas
      ? [{ label: `rack or place ${IMPACT_STYLES.PARTIAL.label}`, sample: [drawBadge("PARTIAL", 6, 0)] }]
      : []),
    createLineEntry("supplies power", { stroke: "okText", strokeWidth: 1.5 }),
    createLineEntry("dead supply", { stroke: "fault", strokeWidth: 1.5, dash: "dashed" }),
  ];
  return coloring === "UTILIZATION" ? [...lines, ...createScaleLegend()] : lines;
}

/** Compares texts by the numbers in them, so that R2 is before R10. */
const numericCollator = new Intl.Collator("en", { numeric: true });
const GROUP_WIDTH = 330;
const LABEL_SIZE = 9;
const MAX_LABEL_WIDTH = 120;
/** Number of edges into one box above which these edges have no labels. */
const MAX_EDGE_LABELS = 16;
/** Card widths in pixels, from narrow to wide. The first width at which the picture is not too high is used. */
const CARD_WIDTHS = [340, 460, 620, 820, 1060];

/** Draws the effect of a power failure: sources left, consumers right, racks as cards with their devices. */
export function drawPower(failure: PowerFailure, options: DrawOptions): Drawing {
  const collapsed = collapseFailure(failure, { ...options, compact: options.view === "COMPACT" });
  const coloring = options.coloring ?? "POWER";
  const parts = collapsed.drawn.map((drawn) => buildDrawnPowerNode(failure, collapsed, drawn));
  const order = [...parts.keys()].toSorted((a, b) =>
    numericCollator.compare(parts[a]?.title ?? "", parts[b]?.title ?? ""),
  );
  const positions = new Map(order.map((index, at) => [index, at]));
  const sorted = order.flatMap((index) => parts[index] ?? []);
  const edges = collapsed.edges.map((edge) => ({
    ...edge,
    from: positions.get(edge.from) ?? 0,
    to: positions.get(edge.to) ?? 0,
  }));
  const body = drawBody(sorted, edges, coloring);
  return {
    scene: frameScene({ ...createPowerHeader(failure, collapsed, { parts: sorted, coloring }), ...body }),
    graph: createPowerGraph(failure, sorted, edges, coloring),
    elements: createPowerElements(sorted),
    omittedNodes: collapsed.omittedElements,
  };
}

function drawBody(parts: readonly DrawnPowerNode[], edges: readonly DrawnEdge[], coloring: Coloring) {
  const cardWidth = chooseCardWidth(parts);
  const edgeCountByBox = new Map<number, number>();
  for (const { to } of edges) edgeCountByBox.set(to, (edgeCountByBox.get(to) ?? 0) + 1);
  const sizes = parts.map((part, index) => {
    const size = computePartSize(part, cardWidth);
    return {
      ...size,
      height: Math.max(size.height, PORT_GAP * Math.min(MAX_EDGE_LABELS, edgeCountByBox.get(index) ?? 0)),
    };
  });
  const labelled = edges.map((edge) => {
    const label = (edgeCountByBox.get(edge.to) ?? 0) > MAX_EDGE_LABELS ? "" : formatEdgeLabel(edge);
    return {
      ...edge,
      label,
      labelWidth: label === "" ? 0 : Math.min(MAX_LABEL_WIDTH, Math.ceil(measureText(label, { size: LABEL_SIZE })) + 8),
    };
  });
  const { corners, routes, width, height } = layOutGraph(sizes, labelled);
  const wires = labelled.flatMap((edge, index) => drawEdge(edge, edge.label, routes[index] ?? []));
  const boxes = parts.map((part, index): Item => {
    const [x, y] = corners[index] ?? [0, 0];
    const [node] = part.nodes;
    if (part.form === "BOX" && node !== undefined) return drawElementBox(node, { x, y, coloring });
    if (part.form === "CARD") return drawAreaCard(part, { x, y, width: cardWidth, coloring });
    return drawAreaGroup(part, { x, y, width: GROUP_WIDTH });
  });
  return { body: [...wires, ...boxes], bodyWidth: width, bodyHeight: height };
}

function chooseCardWidth(parts: readonly DrawnPowerNode[]): number {
  const cards = parts.filter(({ form }) => form === "CARD");
  const computeTotalHeight = (width: number) =>
    cards.reduce((sum, { nodes }) => sum + computeCardHeight(nodes, width) + 14, 0);
  const enough = Math.max(0, ...cards.map(({ nodes }) => computeNeededCardWidth(nodes)));
  return (
    CARD_WIDTHS.find((width) => width >= enough || computeTotalHeight(width) <= width + 700) ?? CARD_WIDTHS.at(-1) ?? 0
  );
}

function computePartSize({ form, nodes }: DrawnPowerNode, cardWidth: number) {
  const [node] = nodes;
  if (form === "BOX" && node !== undefined) return { width: BOX_WIDTH, height: computeBoxHeight(node) };
  if (form === "CARD") return { width: cardWidth, height: computeCardHeight(nodes, cardWidth), last: true };
  return { width: GROUP_WIDTH, height: GROUP_HEIGHT, last: true };
}

function drawEdge(edge: DrawnEdge, label: string, route: readonly Point[]): readonly Item[] {
  const end = route.at(-1);
  if (end === undefined) return [];
  const [x, y] = end;
  const dead = edge.dead === edge.count;
  const stroke = dead ? "fault" : edge.dead > 0 ? "watchText" : "okText";
  const line: Item = {
    kind: "path",
    points: route,
    stroke,
    strokeWidth: 1.5,
    arrow: true,
    ...(edge.dead > 0 && { dash: "dashed" }),
  };
  if (label === "") return [line];
  const words: Item = createText([x - 12, y - 3], label, {
    size: LABEL_SIZE,
    anchor: "end",
    fill: "muted",
    maxWidth: MAX_LABEL_WIDTH - 8,
  });
  return [{ kind: "group", tip: [label, ...edge.via.map(getRefName)].join("\n"), items: [line, words] }];
}
