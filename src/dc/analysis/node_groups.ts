import type { PowerGraph } from "./power/power_graph.ts";

/** Joins nodes into groups. */
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

  /** Joins every node with those that supply it. */
  joinSupply({ edges: { inAt, inEnd, from } }: PowerGraph): void {
    for (let index = 0; index < this.#parents.length; index += 1) {
      for (let at = inAt[index] as number; at < (inEnd[index] as number); at += 1) this.join(from[at] as number, index);
    }
  }

  /** By node, the lowest node of its group. */
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
