/** Answers kept. Ours: screens of a busy console; a screen's answer is some 100 kB. */
const MAX_REPLIES = 256;

interface Entry<Reply> {
  readonly revision: number;
  readonly reply: Reply;
}

/** Keeps answers until the estate's revision moves on; the longest unused one goes first. */
export class ReplyCache {
  // biome-ignore lint/suspicious/noExplicitAny: the key holds the method, which fixes the type of its answer
  private readonly entries = new Map<string, Entry<any>>();

  async get<Reply>(key: string, revision: number, run: () => Promise<Reply>): Promise<Reply> {
    const known: Entry<Reply> | undefined = this.entries.get(key);
    this.entries.delete(key);
    const entry = known?.revision === revision ? known : { revision, reply: await run() };
    // A Map keeps the order of insertion, so the first key is the longest unused one.
    this.entries.set(key, entry);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_REPLIES && oldest !== undefined) this.entries.delete(oldest);
    return entry.reply;
  }
}
