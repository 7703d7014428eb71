/** Messages for the beginning and the end of an outage. */
export interface OutageMessages {
  readonly gone: (why: string) => string;
  readonly back: string;
}

/** Reports an outage once when it begins and once when it ends, however many calls fail in between. */
export class OutageReporter {
  readonly #messages: OutageMessages;
  readonly #report: (message: string) => void;
  #isLasting = false;

  constructor(words: OutageMessages, say: (message: string) => void) {
    this.#messages = words;
    this.#report = say;
  }

  /** Whether the outage continues: from the first failure to the next success. */
  get isLasting(): boolean {
    return this.#isLasting;
  }

  recordFailure(why: string): void {
    if (this.#isLasting) return;
    this.#isLasting = true;
    this.#report(this.#messages.gone(why));
  }

  recordSuccess(): void {
    if (!this.#isLasting) return;
    this.#isLasting = false;
    this.#report(this.#messages.back);
  }
}
