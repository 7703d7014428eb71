import type { PathSegment } from "#dc/analysis/cabling/cable_path.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { Element, Graph, GraphEdge, GraphNode } from "../drawing.ts";
import {
  describePanelPorts,
  findLinkRef,
  formatDeviceKind,
  formatHopLocation,
  formatLinkDetail,
  formatLinkTitle,
  listHopFacts,
  listLinkFacts,
} from "./labels.ts";
import type { CollapsedPaths, Stop } from "./picture.ts";

/** Returns the cable picture as nodes and edges; a device on several paths is one node. */
export function createCableGraph(name: string, { lanes }: CollapsedPaths): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  for (const [lane, { stops }] of lanes.entries()) {
    for (const [index, stop] of stops.entries()) {
      const id = createStopId(stop, lane);
      nodes.set(id, nodes.get(id) ?? createGraphNode(stop, id));
      const before = stops[index - 1];
      if (before === undefined || stop.link === undefined) continue;
      const from = createStopId(before, lane);
      edges.set(`${from} ${id} ${findLinkRef(stop.link)}`, { from, to: id, ...createEdgeLabel(stop, stop.link) });
    }
  }
  return { name, directed: true, rankdir: "LR", nodes: [...nodes.values()], edges: [...edges.values()] };
}

function createEdgeLabel({ hops }: Stop, link: PathSegment): Pick<GraphEdge, "label" | "style"> {
  const { from, to, cable } = link;
  const label = `${from.portName} to ${to.portName}\n${formatLinkTitle(link, hops[0]?.device)}\n${formatLinkDetail(link)}`;
  if (cable === undefined) return { label, style: "dotted" };
  return cable.status === undefined || cable.status === "CONNECTED" ? { label } : { label, style: "dashed" };
}

function createStopId({ hops }: Stop, lane: number): string {
  const [hop] = hops;
  return hops.length === 1 ? `device:${hop?.device.code}` : `folded on path ${lane + 1}`;
}

function createGraphNode({ hops }: Stop, id: string): GraphNode {
  const [hop] = hops;
  if (hop === undefined || hops.length > 1)
    return { id, label: formatCountWithNoun(hops.length, "device"), shape: "note", style: "dashed" };
  const lines = [hop.device.code, formatDeviceKind(hop.device), formatHopLocation(hop), describePanelPorts(hop)];
  return { id, label: lines.filter((line) => line !== "").join("\n"), shape: "box" };
}

/** Returns one element with facts for each device, cable and feed of the picture. */
export function createCableElements({ lanes }: CollapsedPaths): readonly Element[] {
  const found = new Map<string, Element>();
  for (const { stops } of lanes) {
    for (const { hops, link, isRepeated } of stops) {
      const [hop] = hops;
      if (link !== undefined) {
        const ref = findLinkRef(link);
        const related = [`device:${link.from.deviceCode}`, `device:${link.to.deviceCode}`];
        found.set(ref, {
          ref,
          kind: link.cable === undefined ? "Feed" : "Cable",
          title: formatLinkTitle(link, hop?.device),
          facts: listLinkFacts(link),
          related,
        });
      }
      if (hop === undefined || hops.length > 1 || isRepeated) continue;
      const ref = `device:${hop.device.code}`;
      found.set(ref, { ref, kind: formatDeviceKind(hop.device), title: hop.device.code, facts: listHopFacts(hop) });
    }
  }
  return [...found.values()];
}
