import { compareBytes } from "#dc/model/text_order.ts";

/** New value of a key; absent for a removal. */
export interface Edit<Item> {
  readonly key: string;
  readonly after?: Item | undefined;
}

/** The item under a key of a list in the order of keys. Cost: O(log n). */
export function itemAt<Item>(list: readonly Item[], key: string, keyOf: (item: Item) => string): Item | undefined {
  const item = list[placeOf(list, key, keyOf)];
  return item !== undefined && keyOf(item) === key ? item : undefined;
}

/** A list with edits, each of another key, in the order of keys again. Cost: one copy. */
export function withEdits<Item>(
  list: readonly Item[],
  edits: readonly Edit<Item>[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  if (edits.length === 0) return list;
  const placed = edits.map((edit) => ({ ...edit, at: placeOf(list, edit.key, keyOf) }));
  // Whole runs are copied at once, which is far quicker than item by item.
  const parts: (readonly Item[])[] = [];
  let from = 0;
  for (const { key, after, at } of placed.toSorted((a, b) => a.at - b.at || compareBytes(a.key, b.key))) {
    if (at > from) parts.push(list.slice(from, at));
    const old = list[at];
    from = old !== undefined && keyOf(old) === key ? at + 1 : at;
    if (after !== undefined) parts.push([after]);
  }
  parts.push(list.slice(from));
  return ([] as Item[]).concat(...parts);
}

/** The first index whose key is not less than `key`. */
function placeOf<Item>(list: readonly Item[], key: string, keyOf: (item: Item) => string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareBytes(keyOf(list[middle] as Item), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
