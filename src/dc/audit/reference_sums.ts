import { randomInt } from "node:crypto";
import type { ChangeRecord } from "#dc/model/inventory.ts";
import { toRefKey } from "#dc/model/ref.ts";
import type { DcReader, LogReference } from "#dc/ports.ts";

/** Number of references per page, which takes a few milliseconds. */
const PAGE_SIZE = 2000;
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Compares two multisets of references in constant memory: the references that the log's entries imply, and the
 * references in the table. Both are summed as hashes with a random key, so that no prepared change can leave the sums
 * equal.
 */
export class ReferenceSums {
  readonly #firstKey: number;
  readonly #secondKey: number;
  #sum = 0;
  #otherSum = 0;
  /** The text that was hashed last, with its two hashes. The table lists all entries of a reference in a row. */
  #lastText: string | undefined;
  #lastFirst = 0;
  #lastSecond = 0;

  constructor(first = createOddNumber(), second = createOddNumber()) {
    this.#firstKey = first;
    this.#secondKey = second;
  }

  /** Creates an empty sum with the same hash keys. */
  createEmpty(): ReferenceSums {
    return new ReferenceSums(this.#firstKey, this.#secondKey);
  }

  /** Adds the references of an entry. */
  addEntry(record: Pick<ChangeRecord, "seq" | "entity" | "related">): void {
    for (const ref of listExpectedRefs(record)) this.#addReference(ref, record.seq, 1);
  }

  /** Subtracts a reference that is in the table. */
  subtractReference({ refKey: ref, seq }: LogReference): void {
    this.#addReference(ref, seq, -1);
  }

  get areEqual(): boolean {
    return this.#sum === 0 && this.#otherSum === 0;
  }

  #addReference(ref: string, seq: number, sign: 1 | -1): void {
    const first = this.#firstKey;
    const second = this.#secondKey;
    if (ref !== this.#lastText) this.#hashText(ref);
    const [a, b] = [this.#lastFirst, this.#lastSecond];
    this.#sum = (this.#sum + sign * mixBits(Math.imul(a ^ seq, first))) | 0;
    this.#otherSum = (this.#otherSum + sign * mixBits(Math.imul(b ^ seq, second))) | 0;
  }

  #hashText(ref: string): void {
    const first = this.#firstKey;
    const second = this.#secondKey;
    let [a, b] = [first, second];
    for (let at = 0; at < ref.length; at += 1) {
      const unit = ref.charCodeAt(at);
      a = Math.imul(a ^ unit, first);
      b = Math.imul(b, second) + unit;
    }
    this.#lastText = ref;
    this.#lastFirst = a;
    this.#lastSecond = b;
  }
}

/** Returns the references under which an entry is found, each once. */
export function listExpectedRefs({ entity, related }: Pick<ChangeRecord, "entity" | "related">): readonly string[] {
  const refs = [toRefKey(entity)];
  for (const one of related) {
    const key = toRefKey(one);
    if (!refs.includes(key)) refs.push(key);
  }
  return refs;
}

/** Calls a function with every reference in the table, page by page. */
export async function visitReferences(
  reader: DcReader,
  visit: (reference: LogReference) => void,
  pause: () => Promise<void>,
): Promise<void> {
  for (let after: LogReference | undefined; ; ) {
    const page = await reader.logReferences(after, PAGE_SIZE);
    for (const one of page) visit(one);
    after = page.at(-1);
    if (page.length < PAGE_SIZE) return;
    await pause();
  }
}

function createOddNumber(): number {
  return randomInt(MAX_INT32) | 1;
}

/** Mixes the bits of a number so that each bit affects all others, with the finalizer of MurmurHash3. */
function mixBits(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
