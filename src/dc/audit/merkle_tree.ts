import { hash } from "node:crypto";

// The Merkle tree of RFC 6962, section 2.1. The leaves are the hashes of change log entries.

const HASH_BYTES = 32;
/** Buffers for the hashed bytes, reused because one call with all bytes costs half as much as several calls. */
const leafBytes = Buffer.alloc(1 + HASH_BYTES, 0);
const nodeBytes = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** Hashes a leaf. @param entryHash 64 hexadecimal digits */
function hashMerkleLeaf(entryHash: string): Buffer {
  leafBytes.write(entryHash, 1, "hex");
  return hash("sha256", leafBytes, "buffer");
}

function hashMerkleNode(left: Uint8Array, right: Uint8Array): Buffer {
  nodeBytes.set(left, 1);
  nodeBytes.set(right, 1 + HASH_BYTES);
  return hash("sha256", nodeBytes, "buffer");
}

/**
 * The roots of the complete subtrees of a growing tree, largest first: enough to add leaves and to compute the root.
 * Memory: one hash for each bit of the size.
 */
export class MerkleFrontier {
  #count: number;
  readonly #peaks: Buffer[];

  constructor(size = 0, peaks: readonly Uint8Array[] = []) {
    this.#count = size;
    this.#peaks = peaks.map((peak) => Buffer.from(peak));
  }

  get size(): number {
    return this.#count;
  }

  /** Appends a leaf. Cost: two hashes on average. */
  addLeaf(entryHash: string): void {
    let peak = hashMerkleLeaf(entryHash);
    for (let size = this.#count; size % 2 === 1; size = Math.floor(size / 2)) {
      const left = this.#peaks.pop();
      if (left !== undefined) peak = hashMerkleNode(left, peak);
    }
    this.#peaks.push(peak);
    this.#count += 1;
  }

  /** Returns the root hash; for an empty tree, the hash of no bytes. */
  computeRoot(): Buffer {
    const [last, ...others] = this.#peaks.toReversed();
    if (last === undefined) return hash("sha256", "", "buffer");
    return others.reduce<Buffer>((right, left) => hashMerkleNode(left, right), last);
  }

  /** Returns the complete subtrees, largest first; a subtree of level n has 2^n leaves. */
  listSubtrees(): readonly { readonly hash: Buffer; readonly level: number }[] {
    const levels: number[] = [];
    for (let [rest, level] = [this.#count, 0]; rest > 0; [rest, level] = [Math.floor(rest / 2), level + 1]) {
      if (rest % 2 === 1) levels.unshift(level);
    }
    return levels.map((level, at) => ({ level, hash: this.#peaks[at] ?? Buffer.alloc(0) }));
  }

  /** Formats the frontier as text that `parseMerkleFrontier` reads. */
  formatText(): string {
    return `${this.#count} ${this.#peaks.map((peak) => peak.toString("base64")).join(" ")}`.trimEnd();
  }
}

/** Parses the text of a frontier; undefined if the number of hashes does not match the size. */
export function parseMerkleFrontier(text: string): MerkleFrontier | undefined {
  const [count = "", ...peaks] = text.split(" ");
  if (!/^(?:0|[1-9]\d{0,15})$/.test(count)) return undefined;
  const hashes = peaks.map((peak) => Buffer.from(peak, "base64"));
  const bits = [...BigInt(count).toString(2)].filter((bit) => bit === "1").length;
  if (hashes.length !== bits || hashes.some(({ length }) => length !== 32)) return undefined;
  return new MerkleFrontier(Number(count), hashes);
}

interface Subtree {
  readonly hash: Buffer;
  readonly level: number;
  /** Whether the subtree contains the requested leaf. */
  readonly holds: boolean;
}

/** Collects the proof that a leaf is in a tree, as all leaves are added in order. Memory: two hashes per size bit. */
export class InclusionProof {
  readonly #index: number;
  readonly #size: number;
  /** Complete subtrees, largest first. */
  readonly #peaks: Subtree[];
  readonly #path: Buffer[] = [];
  #count: number;

  /**
   * Starts a proof.
   * @param index index of the leaf, from 0
   * @param size number of leaves of the tree; later leaves are ignored
   * @param begun tree of the leaves that were added before
   */
  constructor(index: number, size: number, begun: MerkleFrontier) {
    this.#index = index;
    this.#size = size;
    this.#count = begun.size;
    this.#peaks = begun.listSubtrees().map((subtree) => ({ ...subtree, holds: false }));
  }

  addLeaf(entryHash: string): void {
    if (this.#count === this.#size) return;
    let node = { hash: hashMerkleLeaf(entryHash), level: 0, holds: this.#count === this.#index };
    for (;;) {
      const left = this.#peaks.at(-1);
      if (left === undefined || left.level !== node.level) break;
      this.#peaks.pop();
      node = this.#joinSubtrees(left, node);
    }
    this.#peaks.push(node);
    this.#count += 1;
  }

  /** Returns the hashes from the leaf's sibling up to the root; undefined if a leaf of the tree was not added. */
  buildPath(): readonly Buffer[] | undefined {
    const [last, ...others] = this.#peaks.toReversed();
    if (last === undefined || this.#count < this.#size || !this.#peaks.some(({ holds }) => holds)) return undefined;
    others.reduce((right, left) => this.#joinSubtrees(left, right), last);
    return this.#path;
  }

  #joinSubtrees(left: Subtree, right: Subtree): Subtree {
    if (left.holds) this.#path.push(right.hash);
    if (right.holds) this.#path.push(left.hash);
    return { hash: hashMerkleNode(left.hash, right.hash), level: left.level + 1, holds: left.holds || right.holds };
  }
}

/** Returns the root that a proof leads to; undefined for a wrong proof length. Source: RFC 9162, section 2.1.3.2. */
export function computeProofRoot(
  entryHash: string,
  { index, size }: { readonly index: number; readonly size: number },
  path: readonly Uint8Array[],
): Buffer | undefined {
  if (index >= size) return undefined;
  let [at, last] = [index, size - 1];
  let hash = hashMerkleLeaf(entryHash);
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      hash = hashMerkleNode(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else hash = hashMerkleNode(hash, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : undefined;
}
