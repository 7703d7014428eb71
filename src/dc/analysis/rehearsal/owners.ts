/** Numbers, from 1, of the failures to which an effect is charged. */
export interface EffectOwners<Key> {
  of(key: Key): readonly number[];
  add(key: Key, owner: number): void;
}

const NO_OWNERS: readonly number[] = [];

/** Owners of effects on nodes. Nearly all nodes have one or two owners, such as two PDUs, stored without a list. */
export class NodeOwners implements EffectOwners<number> {
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;
  readonly #lists = new Map<number, number[]>();
  readonly #one = [0];
  readonly #two = [0, 0];

  constructor(nodes: number) {
    this.#first = new Uint32Array(nodes);
    this.#second = new Uint32Array(nodes);
  }

  has(index: number): boolean {
    return this.#first[index] !== 0;
  }

  /** Returns the owners of a node. The list is valid until the next call. */
  of(index: number): readonly number[] {
    const first = this.#first[index] as number;
    if (first === 0) return NO_OWNERS;
    const second = this.#second[index] as number;
    if (second === 0) {
      this.#one[0] = first;
      return this.#one;
    }
    const list = this.#lists.get(index);
    if (list !== undefined) return list;
    this.#two[0] = first;
    this.#two[1] = second;
    return this.#two;
  }

  add(index: number, owner: number): void {
    if (this.#first[index] === 0) this.#first[index] = owner;
    else if (this.#second[index] === 0) this.#second[index] = owner;
    else this.#lists.set(index, [...this.of(index), owner]);
  }
}

/** Owners of effects on racks, zones and links, by key. */
export class KeyedOwners<Key> implements EffectOwners<Key> {
  readonly #lists = new Map<Key, number[]>();

  of(key: Key): readonly number[] {
    return this.#lists.get(key) ?? NO_OWNERS;
  }

  add(key: Key, owner: number): void {
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [owner]);
    else list.push(owner);
  }
}
