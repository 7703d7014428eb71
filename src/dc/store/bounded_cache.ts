/** Maximum number of entries. Measured: covers the racks and panels that a batch of a thousand devices reads. */
const MAX_ENTRIES = 5000;

/** A map of pending or finished reads. When it is full it drops everything, so its memory is bounded. */
export class BoundedCache<Value> {
  readonly #entries = new Map<string, Promise<Value>>();

  /** Returns the cached read, or starts `load` and caches it. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    const loading = load();
    this.#entries.set(key, loading);
    return loading;
  }

  /** Returns the cached read without loading. */
  peek(key: string): Promise<Value> | undefined {
    return this.#entries.get(key);
  }

  /** Returns the keys that are not cached, each once. Drops everything if there is no space for all of them. */
  missing(keys: readonly string[]): readonly string[] {
    const wanted = new Set(keys);
    if (this.#entries.size + wanted.size > MAX_ENTRIES) this.#entries.clear();
    return [...wanted].filter((key) => !this.#entries.has(key));
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, Promise.resolve(value));
  }

  /** Replaces a cached value, if any, by a function of it. */
  update(key: string, change: (value: Value) => Value): void {
    const known = this.#entries.get(key);
    if (known !== undefined) this.#entries.set(key, known.then(change));
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
