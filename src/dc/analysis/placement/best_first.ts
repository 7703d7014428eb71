/** An item with its score, which can only get worse; the lowest score comes first. */
interface ScoredItem<Item> {
  readonly item: Item;
  /** Position in the input. It decides between equal scores, so that equal requests get equal replies. */
  readonly place: number;
  score: number;
}

/** A priority queue that recomputes a score only when its item reaches the top, because most items never do. */
export class LazyPriorityQueue<Item> {
  readonly #heap: ScoredItem<Item>[];
  readonly #computeScore: (item: Item) => number;

  /** Creates a queue. @param score lower is better; infinite for an item that can no longer be used */
  constructor(items: readonly Item[], score: (item: Item) => number) {
    this.#computeScore = score;
    this.#heap = items
      .map((item, place) => ({ item, place, score: score(item) }))
      .filter((one) => one.score < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.score - b.score || a.place - b.place);
  }

  /** Returns the best item without removing it; undefined if the queue is empty. */
  findBest(): Item | undefined {
    for (;;) {
      const [top] = this.#heap;
      if (top === undefined) return undefined;
      const score = this.#computeScore(top.item);
      if (score === top.score) return top.item;
      if (score === Number.POSITIVE_INFINITY) this.removeBest();
      else {
        top.score = score;
        this.#sinkTop();
      }
    }
  }

  removeBest(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sinkTop();
  }

  #sinkTop(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let child = 2 * at + 1;
      const [left, right, own] = [heap[child], heap[child + 1], heap[at]];
      if (left === undefined || own === undefined) return;
      if (right !== undefined && isScoredBefore(right, left)) child += 1;
      const best = heap[child];
      if (best === undefined || !isScoredBefore(best, own)) return;
      heap[at] = best;
      heap[child] = own;
      at = child;
    }
  }
}

function isScoredBefore(a: ScoredItem<unknown>, b: ScoredItem<unknown>): boolean {
  return a.score === b.score ? a.place < b.place : a.score < b.score;
}
