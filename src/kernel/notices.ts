type NoticeListener = (sentence: string) => void;

let noticeListener: NoticeListener | null = null;

/** Sets the function that prints notices. Each interface sets it at its start, in the form that its readers need. */
export function setNoticeListener(next: NoticeListener): void {
  noticeListener = next;
}

/** Reports a sentence in addition to a call's result, for modules below the interfaces. Needs a listener. */
export function reportNotice(sentence: string): void {
  noticeListener?.(sentence);
}

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
