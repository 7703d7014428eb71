/** Bytes of answers kept, as they go over the wire. Ours: some 200 screens; in memory each is ten times as large. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The largest answer worth keeping. Ours: one must not push out all others. */
const MAX_REPLY_BYTES = MAX_BYTES / 8;

interface Entry<Reply> {
  readonly reply: Reply;
  readonly bytes: number;
}

/** Keeps answers until the estate's revision moves on; the longest unused one goes first. */
export class ReplyCache {
  // biome-ignore lint/suspicious/noExplicitAny: the key holds the method, which fixes the type of its answer
  private readonly entries = new Map<string, Entry<any>>();
  private revision = 0;
  private bytes = 0;

  /** @param bytesOf how large an answer is on the wire */
  async get<Reply>(
    key: string,
    revision: number,
    { run, bytesOf }: { readonly run: () => Promise<Reply>; readonly bytesOf: (reply: Reply) => number },
  ): Promise<Reply> {
    this.follow(revision);
    const known: Entry<Reply> | undefined = revision === this.revision ? this.entries.get(key) : undefined;
    if (known !== undefined) {
      this.forget(key);
      this.keep(key, known);
      return known.reply;
    }
    const reply = await run();
    const bytes = bytesOf(reply);
    if (revision === this.revision && bytes <= MAX_REPLY_BYTES) {
      this.forget(key);
      this.keep(key, { reply, bytes });
    }
    return reply;
  }

  /** Answers of an older revision are of no use to anybody but slow readers, who then ask anew. */
  private follow(revision: number): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.entries.clear();
    this.bytes = 0;
  }

  private keep<Reply>(key: string, entry: Entry<Reply>): void {
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
    // A Map keeps the order of insertion, so the first key is the longest unused one.
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= MAX_BYTES) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}
