/** A growing text of which only the last `limit` characters count. Cost: O(1) a character. */
export class TailText {
  readonly #limit: number;
  #text = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > this.#limit * 2) this.#text = this.#text.slice(-this.#limit);
  }

  get length(): number {
    return this.#text.length;
  }

  get text(): string {
    if (this.#text.length <= this.#limit) return this.#text;
    const tail = this.#text.slice(-this.#limit);
    // No half of a character that takes two units.
    return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
  }
}
