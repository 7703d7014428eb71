import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { computeProofRoot, InclusionProof, MerkleFrontier, parseMerkleFrontier } from "#dc/audit/merkle_tree.ts";

const LEAVES = Array.from({ length: 40 }, (_, at) => createHash("sha256").update(`${at}`).digest("hex"));

const hash = (...parts: readonly Uint8Array[]) =>
  createHash("sha256")
    .update(Buffer.concat([...parts]))
    .digest();

/** The definition of RFC 6962, section 2.1, word for word. */
function plainRoot(leaves: readonly string[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return hash();
  if (leaves.length === 1) return hash(Buffer.of(0), Buffer.from(only, "hex"));
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return hash(Buffer.of(1), plainRoot(leaves.slice(0, split)), plainRoot(leaves.slice(split)));
}

function frontierOf(leaves: readonly string[]): MerkleFrontier {
  const tree = new MerkleFrontier();
  for (const leaf of leaves) tree.addLeaf(leaf);
  return tree;
}

test("MerkleFrontier has the root of RFC 6962 at every size, also when it went on from its text", () => {
  for (let size = 0; size <= LEAVES.length; size += 1) {
    const begun = parseMerkleFrontier(frontierOf(LEAVES.slice(0, size >> 1)).formatText());
    for (const leaf of LEAVES.slice(size >> 1, size)) begun?.addLeaf(leaf);

    expect(frontierOf(LEAVES.slice(0, size)).computeRoot()).toEqual(plainRoot(LEAVES.slice(0, size)));
    expect(begun?.computeRoot()).toEqual(plainRoot(LEAVES.slice(0, size)));
  }
});

test("InclusionProof leads every leaf to the root, and no other leaf or position", () => {
  for (let size = 1; size <= LEAVES.length; size += 1) {
    const root = plainRoot(LEAVES.slice(0, size));
    for (let index = 0; index < size; index += 1) {
      const proof = new InclusionProof(index, size, new MerkleFrontier());
      for (const leaf of LEAVES) proof.addLeaf(leaf);
      const path = proof.buildPath() ?? [];
      const leaf = LEAVES[index] ?? "";

      expect(computeProofRoot(leaf, { index, size }, path)).toEqual(root);
      expect(computeProofRoot(LEAVES[size] ?? "00", { index, size }, path)).not.toEqual(root);
      if (size > 1) expect(computeProofRoot(leaf, { index: (index + 1) % size, size }, path)).not.toEqual(root);
    }
  }
});

test("InclusionProof goes on from a tree whose first entries are archived, and has none for those", () => {
  const [index, size, archived] = [29, 37, 21];
  const begun = frontierOf(LEAVES.slice(0, archived));
  const late = new InclusionProof(index, size, begun);
  const early = new InclusionProof(3, size, begun);
  for (const leaf of LEAVES.slice(archived)) {
    late.addLeaf(leaf);
    early.addLeaf(leaf);
  }

  const root = computeProofRoot(LEAVES[index] ?? "", { index, size }, late.buildPath() ?? []);
  expect(root).toEqual(plainRoot(LEAVES.slice(0, size)));
  expect(early.buildPath()).toBeUndefined();
});

test("parseMerkleFrontier refuses what is no frontier", () => {
  for (const text of ["", "x", "1", "3 AA== AA==", "-1", "01 AA=="]) expect(parseMerkleFrontier(text)).toBeUndefined();
});
