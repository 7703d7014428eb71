/** Pieces are put together at this length, in characters: an engine keeps every small text that a growing one is made of. */
const BLOCK_CHARS = 8 * 1024;

/** A growing text of which only the last `limit` characters count; holds little more. Cost: O(1) a character. */
export class TailText {
  readonly #limit: number;
  /** Characters that came. */
  #length = 0;
  #blocks: string[] = [];
  #blockChars = 0;
  #pieces: string[] = [];
  #pieceChars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    // Of a longer text only as much as can count is kept.
    const piece = text.length > this.#limit ? text.slice(-this.#limit - 1) : text;
    this.#length += text.length;
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#close();
  }

  get length(): number {
    return this.#length;
  }

  get text(): string {
    const kept = [...this.#blocks, ...this.#pieces].join("");
    if (this.#length <= this.#limit) return kept;
    const tail = kept.slice(-this.#limit);
    // No half of a character that takes two units.
    return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
  }

  #close(): void {
    this.#blocks.push(this.#pieces.join(""));
    this.#blockChars += this.#pieceChars;
    this.#pieces = [];
    this.#pieceChars = 0;
    while (this.#blockChars - (this.#blocks[0]?.length ?? 0) >= this.#limit) {
      this.#blockChars -= this.#blocks.shift()?.length ?? 0;
    }
  }
}
