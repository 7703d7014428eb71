/** Numbers, from 1, of the failures to which an effect is charged. */
export interface EffectOwners<Key> {
  listOwners(key: Key): readonly number[];
  addOwner(key: Key, owner: number): void;
}

const NO_OWNERS: readonly number[] = [];

/** Owners of effects on nodes. Nearly all nodes have one or two owners, such as two PDUs, stored without a list. */
export class NodeOwners implements EffectOwners<number> {
  readonly #firstOwners: Uint32Array;
  readonly #secondOwners: Uint32Array;
  readonly #lists = new Map<number, number[]>();
  readonly #singleOwner = [0];
  readonly #ownerPair = [0, 0];

  constructor(nodes: number) {
    this.#firstOwners = new Uint32Array(nodes);
    this.#secondOwners = new Uint32Array(nodes);
  }

  hasOwner(index: number): boolean {
    return this.#firstOwners[index] !== 0;
  }

  /** Returns the owners of a node. The list is valid until the next call. */
  listOwners(index: number): readonly number[] {
    const first = this.#firstOwners[index] as number;
    if (first === 0) return NO_OWNERS;
    const second = this.#secondOwners[index] as number;
    if (second === 0) {
      this.#singleOwner[0] = first;
      return this.#singleOwner;
    }
    const list = this.#lists.get(index);
    if (list !== undefined) return list;
    this.#ownerPair[0] = first;
    this.#ownerPair[1] = second;
    return this.#ownerPair;
  }

  addOwner(index: number, owner: number): void {
    if (this.#firstOwners[index] === 0) this.#firstOwners[index] = owner;
    else if (this.#secondOwners[index] === 0) this.#secondOwners[index] = owner;
    else this.#lists.set(index, [...this.listOwners(index), owner]);
  }
}

/** Owners of effects on racks, zones and links, by key. */
export class KeyedOwners<Key> implements EffectOwners<Key> {
  readonly #lists = new Map<Key, number[]>();

  listOwners(key: Key): readonly number[] {
    return this.#lists.get(key) ?? NO_OWNERS;
  }

  addOwner(key: Key, owner: number): void {
    this.#lists.getOrInsert(key, []).push(owner);
  }
}
