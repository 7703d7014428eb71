import { expect, test } from "bun:test";
import { isObjectId, parsePushAnswer } from "#planner/work/claims/push_answer.ts";

const REF = "refs/planner/claims/a";
const read = (line: string, status: number | null = 0) => parsePushAnswer(`To x\n${line}\nDone\n`, status).get(REF);

test.each([
  ["a new ref", `*\tabc:${REF}\t[new reference]`, 0],
  ["a rewritten ref", `+\tabc:${REF}\tabc...def (forced update)`, 0],
  ["a moved ref", ` \tabc:${REF}\tabc..def`, 0],
  ["a deleted ref", `-\t:${REF}\t[deleted]`, 0],
  ["a ref beside one that failed", `*\tabc:${REF}\t[new reference]`, 1],
])("readPush takes %s for won", (_, line, status) => {
  expect(read(line, status)).toEqual({ outcome: "won", refusal: null });
});

test.each([
  ["the same commit", `=\tabc:${REF}\t[up to date]`, 0, null],
  ["an early loser", `!\tabc:${REF}\t[rejected] (stale info)`, 1, null],
  ["a late loser or a refusal", `!\tabc:${REF}\t[remote rejected] (failed)`, 1, "[remote rejected] (failed)"],
  ["a killed push", `*\tabc:${REF}\t[new reference]`, null, null],
  ["a push that broke off", `*\tabc:${REF}\t[new reference]`, 128, null],
])("readPush takes %s for unclear", (_, line, status, refusal) => {
  expect(read(line, status)).toEqual({ outcome: "unclear", refusal });
});

test("parsePushAnswer has no line for what the answer does not name", () => {
  expect(read("fatal: the remote end hung up unexpectedly", 128)).toBeUndefined();
});

test("isObjectId is true for whole names only", () => {
  const oid = "0123456789abcdef0123456789abcdef01234567";
  expect([oid, oid + oid.slice(0, 24)].map(isObjectId)).toEqual([true, true]);
  expect(["", "abc", oid.toUpperCase(), `${oid}\n`, `${oid}0`].map(isObjectId)).toEqual(Array(5).fill(false));
});
