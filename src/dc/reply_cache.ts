/** Bytes of answers kept, as they go over the wire. Ours: some 200 screens; in memory each is ten times as large. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The largest answer worth keeping. Ours: one must not push out all others. */
const MAX_REPLY_BYTES = MAX_BYTES / 8;

/** An answer, how large it is on the wire, and until when it holds, in milliseconds since 1970. */
export interface KeptReply<Reply> {
  readonly reply: Reply;
  readonly bytes: number;
  readonly until: number;
}

/** Keeps answers until the inventory's revision moves on or their time is over; the longest unused one goes first. */
export class ReplyCache {
  // biome-ignore lint/suspicious/noExplicitAny: the key holds the method, which fixes the type of its answer
  readonly #entries = new Map<string, KeptReply<any>>();
  #revision = 0;
  #bytes = 0;

  /** Whether it is worth asking for the revision, which `find` wants. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @param now milliseconds since 1970 */
  find<Reply>(key: string, revision: number, now: number): Reply | undefined {
    this.#follow(revision);
    const known: KeptReply<Reply> | undefined = revision === this.#revision ? this.#entries.get(key) : undefined;
    if (known === undefined || now >= known.until) return undefined;
    this.#set(key, known);
    return known.reply;
  }

  /** Keeps an answer of this revision, unless a newer revision exists. */
  keep<Reply>(key: string, kept: KeptReply<Reply>, revision: number): void {
    this.#follow(revision);
    if (revision === this.#revision && kept.bytes <= MAX_REPLY_BYTES) this.#set(key, kept);
  }

  /** Answers of an older revision are of no use to anybody but slow readers, who then ask anew. */
  #follow(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#entries.clear();
    this.#bytes = 0;
  }

  #set<Reply>(key: string, kept: KeptReply<Reply>): void {
    this.#forget(key);
    this.#entries.set(key, kept);
    this.#bytes += kept.bytes;
    // A Map keeps the order of insertion, so the first key is the longest unused one.
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
