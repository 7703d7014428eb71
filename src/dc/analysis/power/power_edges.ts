import type { PowerEdge } from "./power_graph.ts";

/**
 * The edges of a power graph at both of their ends, and how they are changed: lists that were handed out stay as they
 * are, those of a touched node are copied first.
 */
export class PowerEdges {
  #supplyLists: PowerEdge[][];
  #inletLists: PowerEdge[][];
  /** Nodes whose lists are these edges' own. */
  readonly #owned = new Set<number>();
  /** Nodes whose supplies are out of order. */
  readonly #unsorted = new Set<number>();
  /** While everything is joined in order. */
  #building = false;

  constructor(from?: PowerEdges) {
    this.#supplyLists = from === undefined ? [] : from.#supplyLists;
    this.#inletLists = from === undefined ? [] : from.#inletLists;
  }

  get supplies(): readonly (readonly PowerEdge[])[] {
    return this.#supplyLists;
  }

  get inlets(): readonly (readonly PowerEdge[])[] {
    return this.#inletLists;
  }

  /** Nodes whose edges differ from those that these began with. */
  get touched(): ReadonlySet<number> {
    return this.#owned;
  }

  /** Until `built`, edges must be added in the order of consumers. */
  build(): void {
    this.#building = true;
  }

  /** Ends building. Clears the list of changes, because the edges are all new. */
  built(): void {
    this.#building = false;
    this.#owned.clear();
  }

  /** Makes the outer lists their own, each still holding the lists of its nodes from before. */
  copy(): void {
    this.#supplyLists = this.#supplyLists.slice();
    this.#inletLists = this.#inletLists.slice();
  }

  /** Allocates the lists of edges of a new last node. */
  add(index: number): void {
    this.#supplyLists.push([]);
    this.#inletLists.push([]);
    this.#owned.add(index);
  }

  join(edge: PowerEdge): void {
    this.#own(edge.from);
    this.#own(edge.to);
    this.#supplyLists[edge.from]?.push(edge);
    this.#inletLists[edge.to]?.push(edge);
    if (!this.#building) this.#unsorted.add(edge.from);
  }

  /** Removes the edges into a node. @returns the nodes at their origin that now supply nothing */
  disconnect(index: number): readonly number[] {
    const idle: number[] = [];
    for (const edge of this.#inletLists[index] ?? []) {
      this.#own(edge.from);
      const rest = (this.#supplyLists[edge.from] ?? []).filter((one) => one !== edge);
      this.#supplyLists[edge.from] = rest;
      if (rest.length === 0) idle.push(edge.from);
    }
    this.#own(index);
    this.#inletLists[index] = [];
    return idle;
  }

  /** Sorts supplies into the order of their consumers in a build. @param compare order of two nodes */
  sort(compare: (a: number, b: number) => number): void {
    for (const index of this.#unsorted) {
      this.#supplyLists[index]?.sort((a, b) => compare(a.to, b.to) || a.place - b.place);
    }
    this.#unsorted.clear();
  }

  #own(index: number): void {
    if (this.#owned.has(index)) return;
    this.#owned.add(index);
    this.#supplyLists[index] = (this.#supplyLists[index] ?? []).slice();
    this.#inletLists[index] = (this.#inletLists[index] ?? []).slice();
  }
}
