import type { PowerGraph } from "./power/power_nodes.ts";

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
