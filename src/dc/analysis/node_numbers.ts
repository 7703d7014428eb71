import type { PowerGraph } from "./power/power_graph.ts";

/** Page size as a power of two. A page gets memory when one of its numbers is first set. */
const PAGE_BITS = 10;
const PAGE = 2 ** PAGE_BITS;

/**
 * Stores a number for some nodes of a graph. Memory is allocated only for pages that contain a number, so an instance
 * for a whole site costs little for a failure that affects few nodes.
 */
export class NodeNumbers {
  // Each number plus 1; 0 if none is set.
  readonly #pages: (Int32Array | undefined)[];

  constructor(nodes: number) {
    this.#pages = new Array(Math.ceil(nodes / PAGE));
  }

  /** Returns the number of a node; -1 if none is set, and for invalid indexes. */
  at(index: number): number {
    return (this.#pages[index >> PAGE_BITS]?.[index & (PAGE - 1)] ?? 0) - 1;
  }

  /** Sets the number of a node. @param value at least 0 */
  set(index: number, value: number): void {
    const at = index >> PAGE_BITS;
    let page = this.#pages[at];
    if (page === undefined) {
      page = new Int32Array(PAGE);
      this.#pages[at] = page;
    }
    page[index & (PAGE - 1)] = value + 1;
  }
}

/** Joins nodes into groups, by a union-find structure. */
export class NodeGroups {
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.#parents = new Int32Array(size);
    for (let index = 0; index < size; index += 1) this.#parents[index] = index;
  }

  join(a: number, b: number): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    if (one !== other) this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  joinAll([first, ...others]: readonly number[]): void {
    if (first !== undefined) for (const other of others) this.join(first, other);
  }

  /** Joins every node with the nodes that supply it. */
  joinSupply({ edges: { inAt, inEnd, from } }: PowerGraph): void {
    for (let index = 0; index < this.#parents.length; index += 1) {
      for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) this.join(from[at] as number, index);
    }
  }

  /** Returns the lowest node of each node's group, indexed by node. */
  numbers(): Int32Array {
    for (let index = 0; index < this.#parents.length; index += 1) this.#parents[index] = this.#root(index);
    return this.#parents;
  }

  #root(index: number): number {
    let at = index;
    while (this.#parents[at] !== at) {
      const above = this.#parents[this.#parents[at] as number] as number;
      this.#parents[at] = above;
      at = above;
    }
    return at;
  }
}
