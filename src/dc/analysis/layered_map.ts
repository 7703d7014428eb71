/**
 * Maximum changes in the upper layer before they move to the middle one. Our choice: the upper layer is copied for each
 * change of the inventory.
 */
const TOP_MOST = 256;
/** Changes in the middle layer that trigger a merge into a new map, in addition to a share of the lower map. */
const MERGE_AT = 4096;
const MERGE_SHARE = 8;

type Layer<Value> = Map<string, Value | undefined>;

/**
 * A map that is changed without disturbing those who read an earlier state of it: changes lie in two layers over a map
 * that is shared. `next` costs the size of the upper layer once something is set, now and then that of the middle one,
 * and seldom that of the whole.
 */
export class LayeredMap<Value> {
  readonly #base: ReadonlyMap<string, Value>;
  readonly #middle: ReadonlyMap<string, Value | undefined>;
  #top: Layer<Value>;
  /** Whether the upper layer is the only one. */
  readonly #isFirst: boolean;
  /** Whether the upper layer is that of an earlier map, too. */
  #shared: boolean;

  constructor(
    base: ReadonlyMap<string, Value> = new Map(),
    middle: ReadonlyMap<string, Value | undefined> = new Map(),
    top: Layer<Value> | undefined = undefined,
  ) {
    this.#base = base;
    this.#middle = middle;
    this.#top = top ?? new Map();
    this.#isFirst = base.size + middle.size === 0;
    this.#shared = top !== undefined;
  }

  get(key: string): Value | undefined {
    const upper = this.#top.get(key);
    if (upper !== undefined || this.#isFirst || this.#top.has(key)) return upper;
    const own = this.#middle.get(key);
    return own !== undefined || this.#middle.has(key) ? own : this.#base.get(key);
  }

  set(key: string, value: Value): void {
    if (!this.#shared || this.get(key) !== value) this.#put(key, value);
  }

  delete(key: string): void {
    if (this.get(key) !== undefined) this.#put(key, undefined);
  }

  /** A map of the same content, whose changes this one does not see; this one must not change any more. */
  next(): LayeredMap<Value> {
    const base = this.#base;
    const middle = this.#middle;
    const top = this.#top;
    // Without a lower layer there is nothing to delete from it.
    if (this.#isFirst) return new LayeredMap(top as ReadonlyMap<string, Value>);
    if (top.size < TOP_MOST) return new LayeredMap(base, middle, top);
    const changes = new Map([...middle, ...top]);
    if (changes.size < MERGE_AT + base.size / MERGE_SHARE) return new LayeredMap(base, changes);
    return new LayeredMap(mergeLayers(base, changes));
  }

  #put(key: string, value: Value | undefined): void {
    if (this.#shared) this.#top = new Map(this.#top);
    this.#shared = false;
    if (value === undefined && this.#isFirst) this.#top.delete(key);
    else this.#top.set(key, value);
  }
}

function mergeLayers<Value>(
  base: ReadonlyMap<string, Value>,
  changes: ReadonlyMap<string, Value | undefined>,
): ReadonlyMap<string, Value> {
  const all = new Map(base);
  for (const [key, value] of changes) {
    if (value === undefined) all.delete(key);
    else all.set(key, value);
  }
  return all;
}
