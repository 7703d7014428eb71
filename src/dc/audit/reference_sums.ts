import { randomInt } from "node:crypto";
import type { ChangeRecord } from "#dc/model/change_record.ts";
import { refKey } from "#dc/model/resource_key.ts";
import type { DcReader, LogReference } from "#dc/ports.ts";

/** References per page: some milliseconds of work. */
const PAGE = 2000;
const MOST = 2 ** 31 - 1;

/**
 * Compares two multisets of references without holding them: the log's entries imply one, the table has the other.
 * Both are summed under a hash with a random key, so that no change made beforehand can leave the sums equal.
 */
export class ReferenceSums {
  readonly #first: number;
  readonly #second: number;
  #sum = 0;
  #otherSum = 0;
  /** The text that was hashed last, with its two hashes: the table gives all entries of a reference one after another. */
  #last: string | undefined;
  #lastFirst = 0;
  #lastSecond = 0;

  constructor(first = oddNumber(), second = oddNumber()) {
    this.#first = first;
    this.#second = second;
  }

  /** An empty sum under the same keys. */
  another(): ReferenceSums {
    return new ReferenceSums(this.#first, this.#second);
  }

  /** Adds the references of an entry. */
  expect(record: Pick<ChangeRecord, "seq" | "entity" | "related">): void {
    for (const ref of expectedRefs(record)) this.#add(ref, record.seq, 1);
  }

  /** Subtracts a reference of the table. */
  found({ refKey: ref, seq }: LogReference): void {
    this.#add(ref, seq, -1);
  }

  get areEqual(): boolean {
    return this.#sum === 0 && this.#otherSum === 0;
  }

  #add(ref: string, seq: number, sign: 1 | -1): void {
    const first = this.#first;
    const second = this.#second;
    if (ref !== this.#last) this.#hashText(ref);
    const [a, b] = [this.#lastFirst, this.#lastSecond];
    this.#sum = (this.#sum + sign * mixBits(Math.imul(a ^ seq, first))) | 0;
    this.#otherSum = (this.#otherSum + sign * mixBits(Math.imul(b ^ seq, second))) | 0;
  }

  #hashText(ref: string): void {
    const first = this.#first;
    const second = this.#second;
    let [a, b] = [first, second];
    for (let at = 0; at < ref.length; at += 1) {
      const unit = ref.charCodeAt(at);
      a = Math.imul(a ^ unit, first);
      b = Math.imul(b, second) + unit;
    }
    this.#last = ref;
    this.#lastFirst = a;
    this.#lastSecond = b;
  }
}

/** The references under which an entry is found, each once. */
export function expectedRefs({ entity, related }: Pick<ChangeRecord, "entity" | "related">): readonly string[] {
  const refs = [refKey(entity)];
  for (const one of related) {
    const key = refKey(one);
    if (!refs.includes(key)) refs.push(key);
  }
  return refs;
}

/** Passes every reference of the table on, page by page. */
export async function eachReference(
  reader: DcReader,
  see: (reference: LogReference) => void,
  pause: () => Promise<void>,
): Promise<void> {
  for (let after: LogReference | undefined; ; ) {
    const page = await reader.logReferences(after, PAGE);
    for (const one of page) see(one);
    after = page.at(-1);
    if (page.length < PAGE) return;
    await pause();
  }
}

function oddNumber(): number {
  return randomInt(MOST) | 1;
}

/** Spreads every bit over the whole, as MurmurHash3 ends. */
function mixBits(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}
