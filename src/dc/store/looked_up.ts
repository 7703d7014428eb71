/** Answers kept per transaction. Ours: the racks and panels that a batch of a thousand devices touches. */
const MAX_KEPT = 5000;

/**
 * What a transaction has looked up, so that a batch reads the panel that feeds it once. The owner drops what it changes,
 * and everything when a savepoint is undone.
 */
export class LookedUp<Value> {
  private readonly kept = new Map<string, Promise<Value>>();

  get(key: string, look: () => Promise<Value>): Promise<Value> {
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    const found = look();
    this.kept.set(key, found);
    return found;
  }

  /** What is known under the key, without looking. */
  known(key: string): Promise<Value> | undefined {
    return this.kept.get(key);
  }

  /** Those that are not known, each once. What is known makes room for many of them. */
  unknown(keys: readonly string[]): readonly string[] {
    const asked = new Set(keys);
    if (this.kept.size + asked.size > MAX_KEPT) this.kept.clear();
    return [...asked].filter((key) => !this.kept.has(key));
  }

  set(key: string, value: Promise<Value>): void {
    this.kept.set(key, value);
  }

  drop(key: string): void {
    this.kept.delete(key);
  }

  clear(): void {
    this.kept.clear();
  }
}
