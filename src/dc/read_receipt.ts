/** Until when the reply of a read holds: while the revisions stand, and between two moments. */
export interface Validity {
  readonly revision: number;
  /** Revision of the readings; absent if new readings do not change the reply. */
  readonly readings?: number;
  /** Milliseconds since 1970. An earlier time is that of a clock that was set back. */
  readonly from: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Collects the validity of all reads that went into one answer, so that an interface can keep the answer's bytes. */
export class ReadReceipt {
  /** Methods of the reads. */
  readonly methods: string[] = [];
  #validity: Validity | undefined;
  #isSpoiled = false;

  /** Until when the answer holds; undefined if it must not be kept. */
  get validity(): Validity | undefined {
    return this.#isSpoiled ? undefined : this.#validity;
  }

  /** Notes a read. Reads of different revisions do not make one answer that can be kept. */
  note(method: string, { revision, readings, from, until }: Validity): void {
    this.methods.push(method);
    const known = this.#validity;
    const seen = readings ?? known?.readings;
    if (known !== undefined && known.revision !== revision) this.spoil();
    if (known?.readings !== undefined && known.readings !== seen) this.spoil();
    this.#validity = {
      revision,
      ...(seen !== undefined && { readings: seen }),
      from: Math.max(from, known?.from ?? from),
      until: Math.min(until, known?.until ?? until),
    };
  }

  /** Notes that the answer holds something for which no revision vouches: a write, an error, an uncached read. */
  spoil(): void {
    this.#isSpoiled = true;
  }
}
