import { compareByCodePoints } from "#dc/model/ref.ts";

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
