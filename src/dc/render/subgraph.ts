import { formatCountWithNoun } from "#words/names.ts";
import { type Drawing, type DrawOptions, type Element, formatTip, type GraphEdge } from "./drawing.ts";
import { createLineEntry, frameScene, listNoteIf } from "./frame.ts";
import { layOutGraph } from "./layout/layered.ts";
import type { ColorToken } from "./palette.ts";
import { createText, type Item, type Point } from "./scene.ts";

/** The requested elements and their connections. */
export interface Subgraph {
  readonly title: string;
  readonly directed: boolean;
  readonly nodes: readonly SubgraphNode[];
  /** Edges by indexes into `nodes`. */
  readonly edges: readonly SubgraphEdge[];
}

export interface SubgraphNode extends Omit<Element, "related"> {
  /** Second line of text, below the title. */
  readonly detail: string;
  readonly fill: ColorToken;
}

export interface SubgraphEdge {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** False if the edge carries no power. */
  readonly live: boolean;
  /** True if the edge represents a path through elements that were not requested. */
  readonly indirect: boolean;
}

const BOX_SIZE = { width: 210, height: 46 };

/** Draws elements as boxes from left to right, connections as lines. Omits the last elements above the limit. */
export function drawSubgraph(
  { title, directed, ...all }: Subgraph,
  { maxNodes }: Pick<DrawOptions, "maxNodes">,
): Drawing {
  const nodes = all.nodes.slice(0, maxNodes);
  const edges = all.edges.filter(({ from, to }) => from < nodes.length && to < nodes.length);
  const omittedNodes = all.nodes.length - nodes.length;
  const { corners, routes, width, height } = layOutGraph(
    nodes.map(() => BOX_SIZE),
    edges,
  );
  const scene = frameScene({
    title,
    subtitle: `${formatCountWithNoun(nodes.length, "element")} · ${formatCountWithNoun(edges.length, "connection")}`,
    description: `${title}: ${nodes.map((node) => node.title).join(", ")}`.slice(0, 500),
    figures: [],
    notes: listNoteIf(
      omittedNodes > 0,
      `${formatCountWithNoun(omittedNodes, "element")} not drawn, so that the picture stays readable`,
      { tone: "watch" },
    ),
    legend: [
      createLineEntry("connected", { stroke: "okText", strokeWidth: 2 }),
      createLineEntry("connected through others", { stroke: "okText", strokeWidth: 2, dash: "dashed" }),
      createLineEntry("carries nothing", { stroke: "faultText", dash: "dotted" }),
    ],
    body: [
      ...edges.flatMap((edge, index) => drawEdge(edge, routes[index] ?? [], directed)),
      ...nodes.map((node, index) => drawNode(node, corners[index] ?? [0, 0])),
    ],
    bodyWidth: width,
    bodyHeight: height,
  });
  const listNeighbours = (at: number) =>
    edges.flatMap(({ from, to }) => (from === at ? [to] : to === at ? [from] : []));
  return {
    scene,
    omittedNodes,
    elements: nodes.map(({ ref, kind, title: name, facts }, index) => ({
      ref,
      kind,
      title: name,
      facts,
      related: listNeighbours(index).flatMap((at) => nodes[at]?.ref ?? []),
    })),
    graph: {
      name: title,
      directed,
      rankdir: "LR",
      nodes: nodes.map(({ ref, title: name, detail, fill }) => ({ id: ref, label: `${name}\n${detail}`, fill })),
      edges: edges.map(
        ({ from, to, label, live, indirect }): GraphEdge => ({
          from: nodes[from]?.ref ?? "",
          to: nodes[to]?.ref ?? "",
          label,
          stroke: live ? "okText" : "faultText",
          ...((indirect || !live) && { style: live ? "dashed" : "dotted" }),
        }),
      ),
    },
  };
}

function drawEdge(
  { label, live, indirect }: SubgraphEdge,
  points: readonly Point[],
  directed: boolean,
): readonly Item[] {
  if (points.length === 0) return [];
  const dash = live ? (indirect ? "dashed" : undefined) : "dotted";
  const path: Item = {
    kind: "path",
    points,
    stroke: live ? "okText" : "faultText",
    strokeWidth: 1.5,
    arrow: directed,
    ...(dash !== undefined && { dash }),
  };
  return [label === "" ? path : { kind: "group", tip: label, items: [path] }];
}

function drawNode({ ref, title, detail, fill, facts }: SubgraphNode, [x, y]: Point): Item {
  return {
    kind: "group",
    ref,
    tip: formatTip(title, facts),
    items: [
      { kind: "rect", x, y, ...BOX_SIZE, radius: 5, fill, stroke: "line" },
      createText([x + 10, y + 19], title, {
        size: 12,
        weight: "bold",
        fill: `on:${fill}`,
        maxWidth: BOX_SIZE.width - 20,
      }),
      createText([x + 10, y + 36], detail, { size: 10, fill: `on:${fill}`, maxWidth: BOX_SIZE.width - 20 }),
    ],
  };
}
