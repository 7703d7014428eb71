import { compareByCodePoints } from "#dc/model/ref.ts";

/** Maximum changes of the upper layer; more move to the middle. Our choice: each inventory change copies the layer. */
const TOP_MAX_CHANGES = 256;
/** Changes in the middle layer that trigger a merge into a new base, beyond an eighth of the base map's size. */
const MERGE_MIN_CHANGES = 4096;
const MERGE_BASE_DIVISOR = 8;

type Layer<Value> = Map<string, Value | undefined>;

/**
 * A map with persistent states: changes are stored in two layers over a shared base map, so earlier states keep their
 * content. `next` usually costs the size of the upper layer, sometimes that of the middle layer, and rarely that of the
 * whole map.
 */
export class LayeredMap<Value> {
  readonly #base: ReadonlyMap<string, Value>;
  readonly #middle: ReadonlyMap<string, Value | undefined>;
  #top: Layer<Value>;
  /** Whether there is no middle layer and no base map. */
  readonly #hasOnlyTop: boolean;
  /** Whether the upper layer is shared with an earlier map. */
  #isTopShared: boolean;

  constructor(
    base: ReadonlyMap<string, Value> = new Map(),
    middle: ReadonlyMap<string, Value | undefined> = new Map(),
    top: Layer<Value> | undefined = undefined,
  ) {
    this.#base = base;
    this.#middle = middle;
    this.#top = top ?? new Map();
    this.#hasOnlyTop = base.size + middle.size === 0;
    this.#isTopShared = top !== undefined;
  }

  get(key: string): Value | undefined {
    const upper = this.#top.get(key);
    if (upper !== undefined || this.#hasOnlyTop || this.#top.has(key)) return upper;
    const own = this.#middle.get(key);
    return own !== undefined || this.#middle.has(key) ? own : this.#base.get(key);
  }

  set(key: string, value: Value): void {
    if (!this.#isTopShared || this.get(key) !== value) this.#setInTop(key, value);
  }

  delete(key: string): void {
    if (this.get(key) !== undefined) this.#setInTop(key, undefined);
  }

  /** Returns a map of the same content that can be changed independently. This map must not be changed afterwards. */
  createNext(): LayeredMap<Value> {
    const base = this.#base;
    const middle = this.#middle;
    const top = this.#top;
    // Without lower layers, deleted keys need no marker.
    if (this.#hasOnlyTop) return new LayeredMap(top as ReadonlyMap<string, Value>);
    if (top.size < TOP_MAX_CHANGES) return new LayeredMap(base, middle, top);
    const changes = new Map([...middle, ...top]);
    if (changes.size < MERGE_MIN_CHANGES + base.size / MERGE_BASE_DIVISOR) return new LayeredMap(base, changes);
    return new LayeredMap(mergeLayers(base, changes));
  }

  #setInTop(key: string, value: Value | undefined): void {
    if (this.#isTopShared) this.#top = new Map(this.#top);
    this.#isTopShared = false;
    if (value === undefined && this.#hasOnlyTop) this.#top.delete(key);
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

/** Edit of a sorted list: the new value of a key, or no value to remove the key. */
export interface ListEdit<Item> {
  readonly key: string;
  readonly after?: Item | undefined;
}

/** Returns the item with a key from a list sorted by key; undefined if none exists. Cost: O(log n). */
export function findItemByKey<Item>(
  list: readonly Item[],
  key: string,
  keyOf: (item: Item) => string,
): Item | undefined {
  const item = list[findInsertIndex(list, key, keyOf)];
  return item !== undefined && keyOf(item) === key ? item : undefined;
}

/** Applies edits with distinct keys to a list sorted by key. The result is sorted. Cost: one copy. */
export function applyListEdits<Item>(
  list: readonly Item[],
  edits: readonly ListEdit<Item>[],
  getKey: (item: Item) => string,
): readonly Item[] {
  if (edits.length === 0) return list;
  const placed = edits.map((edit) => ({ ...edit, at: findInsertIndex(list, edit.key, getKey) }));
  // Copying whole runs is much faster than copying item by item.
  const parts: (readonly Item[])[] = [];
  let from = 0;
  for (const { key, after, at } of placed.toSorted((a, b) => a.at - b.at || compareByCodePoints(a.key, b.key))) {
    if (at > from) parts.push(list.slice(from, at));
    const old = list[at];
    from = old !== undefined && getKey(old) === key ? at + 1 : at;
    if (after !== undefined) parts.push([after]);
  }
  parts.push(list.slice(from));
  return ([] as Item[]).concat(...parts);
}

/** Returns the first index whose key is not less than `key`. */
function findInsertIndex<Item>(list: readonly Item[], key: string, keyOf: (item: Item) => string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareByCodePoints(keyOf(list[middle] as Item), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two lists have the same items in the same order. */
export function isSameItemList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}
