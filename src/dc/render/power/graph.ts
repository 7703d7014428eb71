import type { Coloring } from "#dc/model/enum_values.ts";
import type { Element, Graph, GraphEdge, GraphNode } from "../drawing.ts";
import { formatArea, formatRefInTitle } from "../places.ts";
import type { DrawnEdge } from "./collapse.ts";
import type { PowerFailure } from "./failure.ts";
import { IMPACT_STYLES } from "./impact_styles.ts";
import { type DrawnPowerNode, formatEdgeLabel, type NodeFacts } from "./nodes.ts";
import { formatGroupLabel, formatImpactLabel } from "./tally.ts";

/** Returns the power picture as nodes and edges. Elements inside a card are nodes of a cluster. */
export function createPowerGraph(
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
export function createPowerElements(parts: readonly DrawnPowerNode[]): readonly Element[] {
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
