/** Messages for the beginning and the end of an outage. */
export interface OutageMessages {
  readonly gone: (why: string) => string;
  readonly back: string;
}

/** Reports an outage once when it begins and once when it ends, however many calls fail in between. */
export class Outage {
  readonly #words: OutageMessages;
  readonly #say: (message: string) => void;
  #lasting = false;

  constructor(words: OutageMessages, say: (message: string) => void) {
    this.#words = words;
    this.#say = say;
  }

  /** Whether the outage continues: from the first failure to the next success. */
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
