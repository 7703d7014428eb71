/** An item with its score, which can only get worse; the lowest score comes first. */
interface Scored<Item> {
  readonly item: Item;
  /** Position in the input. It decides between equal scores, so that equal requests get equal replies. */
  readonly place: number;
  score: number;
}

/** A priority queue that recomputes a score only when its item reaches the top, because most items never do. */
export class LazyPriorityQueue<Item> {
  readonly #heap: Scored<Item>[];
  readonly #score: (item: Item) => number;

  /** Creates a queue. @param score lower is better; infinite for an item that can no longer be used */
  constructor(items: readonly Item[], score: (item: Item) => number) {
    this.#score = score;
    this.#heap = items
      .map((item, place) => ({ item, place, score: score(item) }))
      .filter((one) => one.score < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.score - b.score || a.place - b.place);
  }

  /** Returns the best item without removing it; undefined if the queue is empty. */
  best(): Item | undefined {
    for (;;) {
      const [top] = this.#heap;
      if (top === undefined) return undefined;
      const score = this.#score(top.item);
      if (score === top.score) return top.item;
      if (score === Number.POSITIVE_INFINITY) this.drop();
      else {
        top.score = score;
        this.#sink();
      }
    }
  }

  drop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink();
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      const [left, right, own] = [heap[child], heap[child + 1], heap[at]];
      if (left === undefined || own === undefined) return;
      if (right !== undefined && comesBefore(right, left)) child += 1;
      const best = heap[child];
      if (best === undefined || !comesBefore(best, own)) return;
      heap[at] = best;
      heap[child] = own;
      at = child;
    }
  }
}

function comesBefore(a: Scored<unknown>, b: Scored<unknown>): boolean {
  return a.score === b.score ? a.place < b.place : a.score < b.score;
}
