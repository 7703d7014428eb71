import { codeKey, compareText } from "#dc/model/ref.ts";
import type { PowerGraph } from "./power_nodes.ts";

/**
 * Sorts nodes by an order that depends only on the inventory, so that all servers return the same: devices, each before
 * its outlets, then cooling units, then undeclared feeds; each by code. The numbers of nodes depend on the order in
 * which elements were added.
 *
 * Cost: O(nodes) if the graph was built at once; nodes that were added later are sorted.
 */
export function sortNodes(graph: PowerGraph, indexes: readonly number[]): readonly number[] {
  const ranked = indexes.map((index) => rankNode(graph, index));
  const early: RankedNode[] = [];
  const late: RankedNode[] = [];
  for (const one of ranked) {
    const last = early.at(-1);
    if (last === undefined || compareRankedNodes(last, one) <= 0) early.push(one);
    else late.push(one);
  }
  const sorted = late.length === 0 ? early : mergeRankedNodes(early, late.sort(compareRankedNodes));
  return sorted.map(({ index }) => index);
}

interface RankedNode {
  readonly index: number;
  readonly owner: string;
  /** Index of an outlet among the ports of its device, from 0; -1 for other nodes. */
  readonly place: number;
  readonly port: string;
}

function rankNode({ nodes, inlets }: PowerGraph, index: number): RankedNode {
  const node = nodes[index];
  if (node?.kind === "DEVICE") return { index, owner: `0${codeKey(node.device.code)}`, place: -1, port: "" };
  if (node?.kind === "CRAC") return { index, owner: `1${codeKey(node.crac.code)}`, place: -1, port: "" };
  if (node?.kind !== "OUTLET") return { index, owner: `2${codeKey(node?.ref ?? "")}`, place: -1, port: "" };
  const { deviceCode, portName } = node.end;
  const place = inlets.getFirstEdge(index)?.place ?? Number.POSITIVE_INFINITY;
  return { index, owner: `0${codeKey(deviceCode)}`, place, port: portName };
}

function compareRankedNodes(a: RankedNode, b: RankedNode): number {
  if (a.owner !== b.owner) return compareText(a.owner, b.owner);
  return a.place === b.place ? compareText(a.port, b.port) : a.place - b.place;
}

function mergeRankedNodes(a: readonly RankedNode[], b: readonly RankedNode[]): readonly RankedNode[] {
  const all: RankedNode[] = [];
  let next = 0;
  for (const one of a) {
    for (let other = b[next]; other !== undefined && compareRankedNodes(other, one) < 0; other = b[next]) {
      all.push(other);
      next += 1;
    }
    all.push(one);
  }
  return [...all, ...b.slice(next)];
}
