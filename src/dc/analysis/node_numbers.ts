/** Bits of a page number: memory is allocated per page when one of its numbers is set. */
const PAGE_BITS = 10;
const PAGE = 2 ** PAGE_BITS;

/**
 * A number for each of some nodes of a graph. Memory is allocated only for pages with a number, so that an instance for
 * a whole site is cheap for a failure that affects little of it.
 */
export class NodeNumbers {
  // Each number plus 1; 0 if none is set.
  readonly #pages: (Int32Array | undefined)[];

  constructor(nodes: number) {
    this.#pages = new Array(Math.ceil(nodes / PAGE));
  }

  /** The number of a node; -1 if none is set, and for invalid indexes. */
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
