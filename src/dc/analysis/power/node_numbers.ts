import { codeKey, compareText } from "#dc/model/ref.ts";
import type { PowerGraph } from "./power_nodes.ts";

/** Page size as a power of two. A page gets memory when one of its numbers is first set. */
const PAGE_BITS = 10;
const PAGE_SIZE = 2 ** PAGE_BITS;

/**
 * Stores a number for some nodes of a graph. Memory is allocated only for pages that contain a number, so an instance
 * for a whole site costs little for a failure that affects few nodes.
 */
export class NodeNumbers {
  // Each number plus 1; 0 if none is set.
  readonly #pages: (Int32Array | undefined)[];

  constructor(nodes: number) {
    this.#pages = new Array(Math.ceil(nodes / PAGE_SIZE));
  }

  /** Returns the number of a node; -1 if none is set, and for invalid indexes. */
  at(index: number): number {
    return (this.#pages[index >> PAGE_BITS]?.[index & (PAGE_SIZE - 1)] ?? 0) - 1;
  }

  /** Sets the number of a node. @param value at least 0 */
  set(index: number, value: number): void {
    const at = index >> PAGE_BITS;
    const page = this.#pages[at] ?? new Int32Array(PAGE_SIZE);
    this.#pages[at] = page;
    page[index & (PAGE_SIZE - 1)] = value + 1;
  }
}

/** Joins nodes into groups, by a union-find structure. */
export class NodeGroups {
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.#parents = new Int32Array(size);
    for (let index = 0; index < size; index += 1) this.#parents[index] = index;
  }

  joinNodes(a: number, b: number): void {
    const [one, other] = [this.#findRoot(a), this.#findRoot(b)];
    if (one !== other) this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  /** Joins every node with the nodes that supply it. */
  joinSuppliedNodes({ edges: { inAt, inEnd, from } }: PowerGraph): void {
    for (let index = 0; index < this.#parents.length; index += 1) {
      for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1)
        this.joinNodes(from[at] as number, index);
    }
  }

  /** Returns the lowest node of each node's group, indexed by node. */
  listGroupNumbers(): Int32Array {
    for (let index = 0; index < this.#parents.length; index += 1) this.#parents[index] = this.#findRoot(index);
    return this.#parents;
  }

  #findRoot(index: number): number {
    let at = index;
    while (this.#parents[at] !== at) {
      const above = this.#parents[this.#parents[at] as number] as number;
      this.#parents[at] = above;
      at = above;
    }
    return at;
  }
}

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
