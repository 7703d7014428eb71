/** Numbers of the failures that are charged with something, from 1. */
export interface Owners<Key> {
  of(key: Key): readonly number[];
  add(key: Key, owner: number): void;
}

const NO_OWNERS: readonly number[] = [];

/** Owners of effects on nodes. Nearly all have one or two, as the PDUs of a server, for which no list is made. */
export class NodeOwners implements Owners<number> {
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

  /** The list is valid until the next call. */
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

/** Owners of effects on anything else. */
export class NamedOwners<Key> implements Owners<Key> {
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
