/** Maximum binary bytes of cached replies. Our choice: some 200 screens; objects in memory take ten times as much. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Maximum size of a cached reply, in bytes. Our choice: one reply must not evict all others. */
const MAX_REPLY_BYTES = MAX_BYTES / 8;

/** A reply, its binary size, and the times from and until which it is valid, in milliseconds since 1970. */
export interface CachedReply<Reply> {
  readonly reply: Reply;
  readonly bytes: number;
  /** Absent for a reply that no time changes. An earlier time is that of a clock that was set back. */
  readonly from?: number;
  readonly until: number;
}

/** Caches replies until the revision of the inventory changes or they expire; evicts the least recently used. */
export class ReplyCache {
  // biome-ignore lint/suspicious/noExplicitAny: the key holds the method, which fixes the type of its reply
  readonly #entries = new Map<string, CachedReply<any>>();
  #revision = 0;
  #bytes = 0;

  /** Whether a reply is cached for some revision. If not, the caller need not read the revision. */
  hasReply(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns the cached reply if it is valid for the revision and the time. @param now milliseconds since 1970 */
  findReply<Reply>(key: string, revision: number, now: number): Reply | undefined {
    this.#dropOlderReplies(revision);
    const known: CachedReply<Reply> | undefined = revision === this.#revision ? this.#entries.get(key) : undefined;
    if (known === undefined || now >= known.until || now < (known.from ?? now)) return undefined;
    this.#storeEntry(key, known);
    return known.reply;
  }

  /** Caches a reply of this revision, unless a newer revision exists or the reply is too large. */
  storeReply<Reply>(key: string, kept: CachedReply<Reply>, revision: number): void {
    this.#dropOlderReplies(revision);
    if (revision === this.#revision && kept.bytes <= MAX_REPLY_BYTES) this.#storeEntry(key, kept);
  }

  /** Removes replies of older revisions: only slow readers could use them, and these compute their own. */
  #dropOlderReplies(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#entries.clear();
    this.#bytes = 0;
  }

  #storeEntry<Reply>(key: string, kept: CachedReply<Reply>): void {
    this.#removeEntry(key);
    this.#entries.set(key, kept);
    this.#bytes += kept.bytes;
    // A Map keeps the order of insertion, so the first key is the least recently used one.
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#removeEntry(oldest);
    }
  }

  #removeEntry(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
