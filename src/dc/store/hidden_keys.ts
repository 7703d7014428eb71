import { compareBytes } from "#dc/model/text_order.ts";

/** Names of what a draft wrote or removed, which hides it in the snapshot below. */
export class HiddenKeys {
  readonly #names = new Set<string>();

  /** How many there are; `keepFirst` goes back to it. */
  get count(): number {
    return this.#names.size;
  }

  add(kind: string, key: string): void {
    this.#names.add(`${kind} ${key}`);
  }

  has(kind: string, key: string): boolean {
    return this.#names.has(`${kind} ${key}`);
  }

  keepFirst(count: number): void {
    for (const name of [...this.#names].slice(count)) this.#names.delete(name);
  }

  /** The visible ones of the snapshot's entries with those of the draft, in the order of keys. */
  merge<One>(
    kind: string,
    keyOf: (one: One) => string,
    [below, above]: readonly [below: readonly One[], above: readonly One[]],
  ): readonly One[] {
    const visible = below.filter((one) => !this.has(kind, keyOf(one)));
    if (above.length === 0) return visible;
    return [...visible, ...above].sort((a, b) => compareBytes(keyOf(a), keyOf(b)));
  }
}
