/** Messages about the beginning and the end of an outage. */
export interface OutageWords {
  readonly gone: (why: string) => string;
  readonly back: string;
}

/** Reports once that something failed and once that it recovered, however many calls failed meanwhile. */
export class Outage {
  readonly #words: OutageWords;
  readonly #say: (message: string) => void;
  #lasting = false;

  constructor(words: OutageWords, say: (message: string) => void) {
    this.#words = words;
    this.#say = say;
  }

  /** True from the first failure to the next success. */
  get lasts(): boolean {
    return this.#lasting;
  }

  failed(why: string): void {
    if (this.#lasting) return;
    this.#lasting = true;
    this.#say(this.#words.gone(why));
  }

  worked(): void {
    if (!this.#lasting) return;
    this.#lasting = false;
    this.#say(this.#words.back);
  }
}
