import type { Coloring } from "#dc/model/enum_values.ts";
import { getRefName } from "#words/names.ts";
import type { Drawing, DrawOptions } from "../drawing.ts";
import { frameScene } from "../frame.ts";
import { layOutGraph } from "../layout/layered.ts";
import { PORT_GAP } from "../layout/route.ts";
import { createText, type Item, type Point } from "../scene.ts";
import { measureText } from "../text_width.ts";
import { computeCardHeight, computeNeededCardWidth, drawAreaCard, drawAreaGroup, GROUP_HEIGHT } from "./cards.ts";
import { collapseFailure, type DrawnEdge } from "./collapse.ts";
import type { PowerFailure } from "./failure.ts";
import { createPowerElements, createPowerGraph } from "./graph.ts";
import { createPowerHeader } from "./header.ts";
import {
  BOX_WIDTH,
  buildDrawnPowerNode,
  computeBoxHeight,
  type DrawnPowerNode,
  drawElementBox,
  formatEdgeLabel,
} from "./nodes.ts";

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
    return { ...edge, label, labelWidth: measureEdgeLabel(label) };
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

function measureEdgeLabel(label: string): number {
  return label === "" ? 0 : Math.min(MAX_LABEL_WIDTH, Math.ceil(measureText(label, { size: LABEL_SIZE })) + 8);
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
