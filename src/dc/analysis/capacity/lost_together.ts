import { compareText } from "#dc/model/ref.ts";
import type { Topology } from "../topology.ts";

/** What one failure takes of some devices or cooling units. */
export interface LostTogether<Item> {
  readonly ref: string;
  readonly lost: readonly Item[];
}

/**
 * Every single failure that takes one of some devices or cooling units: its own, and that of an element whose loss alone
 * turns it off. In the order of references.
 *
 * @param keyOf the key of an item in the power graph
 */
export function lostTogether<Item>(
  { power, killers }: Topology,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly LostTogether<Item>[] {
  const found = new Map<number, Item[]>();
  for (const item of items) {
    const own = power.indexOf.get(keyOf(item));
    if (own === undefined) continue;
    for (const index of new Set([own, ...(killers.safely(own) ?? [])])) {
      const list = found.get(index);
      if (list === undefined) found.set(index, [item]);
      else list.push(item);
    }
  }
  return [...found]
    .map(([index, lost]) => ({ ref: power.nodes[index]?.ref ?? "", lost }))
    .sort((a, b) => compareText(a.ref, b.ref));
}
