/** Changes that a layer takes before it is folded into a map of its own, beside a share of the map below. */
const FOLD_AT = 4096;
const FOLD_SHARE = 8;

/**
 * A map that is changed without disturbing those who read an earlier state of it: changes lie in a layer over a map
 * that is shared. `next` costs the size of the layer, and now and then that of the whole.
 */
export class LayeredMap<Value> {
  private readonly base: ReadonlyMap<string, Value>;
  private readonly layer: Map<string, Value | undefined>;

  constructor(base: ReadonlyMap<string, Value> = new Map(), layer: Map<string, Value | undefined> = new Map()) {
    this.base = base;
    this.layer = layer;
  }

  get(key: string): Value | undefined {
    const own = this.layer.get(key);
    return own !== undefined || this.layer.has(key) ? own : this.base.get(key);
  }

  set(key: string, value: Value): void {
    this.layer.set(key, value);
  }

  delete(key: string): void {
    this.layer.set(key, undefined);
  }

  /** A map of the same content, whose changes this one does not see. */
  next(): LayeredMap<Value> {
    if (this.layer.size < FOLD_AT + this.base.size / FOLD_SHARE) return new LayeredMap(this.base, new Map(this.layer));
    const folded = new Map(this.base);
    for (const [key, value] of this.layer) {
      if (value === undefined) folded.delete(key);
      else folded.set(key, value);
    }
    return new LayeredMap(folded);
  }
}
