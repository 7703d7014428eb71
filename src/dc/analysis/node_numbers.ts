/** Numbers that are kept together: memory is taken for as many when one of them is noted. */
const PAGE_BITS = 10;
const PAGE = 2 ** PAGE_BITS;

/**
 * A number for each of some nodes of a graph. Memory is taken where something is noted, so that one for a whole site costs
 * next to nothing for a failure that reaches little of it.
 */
export class NodeNumbers {
  // One more than what was noted; 0 for nothing.
  readonly #pages: (Int32Array | undefined)[];

  constructor(nodes: number) {
    this.#pages = new Array(Math.ceil(nodes / PAGE));
  }

  /** What was noted for a node; -1 for nothing, and for what is no node. */
  at(index: number): number {
    return (this.#pages[index >> PAGE_BITS]?.[index & (PAGE - 1)] ?? 0) - 1;
  }

  /** @param value at least 0 */
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
