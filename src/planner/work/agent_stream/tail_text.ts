/** Number of characters at which pieces are joined into a block, because many short strings take more memory. */
const BLOCK_CHARS = 8 * 1024;

/** Keeps the last `limit` characters of a growing text and little more. Cost: O(1) per character. */
export class TailText {
  readonly #limit: number;
  /** Number of characters added so far, including characters that are no longer kept. */
  #addedChars = 0;
  #blocks: string[] = [];
  #blockChars = 0;
  #pieces: string[] = [];
  #pieceChars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    const piece = text.length > this.#limit ? text.slice(-this.#limit - 1) : text;
    this.#addedChars += text.length;
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#joinPieces();
  }

  get length(): number {
    return this.#addedChars;
  }

  get text(): string {
    const kept = [...this.#blocks, ...this.#pieces].join("");
    if (this.#addedChars <= this.#limit) return kept;
    const tail = kept.slice(-this.#limit);
    // Drops the second half of a surrogate pair at the cut.
    return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
  }

  #joinPieces(): void {
    this.#blocks.push(this.#pieces.join(""));
    this.#blockChars += this.#pieceChars;
    this.#pieces = [];
    this.#pieceChars = 0;
    while (this.#blockChars - (this.#blocks[0]?.length ?? 0) >= this.#limit) {
      this.#blockChars -= this.#blocks.shift()?.length ?? 0;
    }
  }
}
