import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { buildClaimRef, buildProbeRef, parseClaimRef } from "#planner/work/claims/decide_claim.ts";

const ref = (id: string): string => buildClaimRef(id as SpecId).slice("refs/planner/claims/".length);

test.each([
  ["2026-11-21-00a-k3x.2.1", "2026-11-21-00a-k3x.2.1"],
  ["a b", "a%20b"],
  ["x.lock", "x%2Elock"],
  ["a..b", "a%2E.b"],
  [".a.", "%2Ea%2E"],
  ["ü@{1}~^:?*[", "%C3%BC%40%7B1%7D%7E%5E%3A%3F%2A%5B"],
  ["100%", "100%25"],
  ["probe.1", "probe%2E1"],
])("claimRef names the claim of %p", (id, name) => {
  expect(ref(id)).toBe(name);
  expect(parseClaimRef(buildClaimRef(id as SpecId))).toBe(id as SpecId);
});

test("buildClaimRef is taken by git and read back, whatever the id", () => {
  const id = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.isWellFormed() && !/[\0/]/.test(text));
  const special = fc.string({ minLength: 1, unit: fc.constantFrom(..."a.lock%~^:@{} -*[\\?") });
  fc.assert(
    fc.property(fc.oneof(id, special), (text) => {
      expect(parseClaimRef(buildClaimRef(text as SpecId))).toBe(text as SpecId);
    }),
  );
  for (const text of fc.sample(special, 40)) {
    expect([text, spawnSync("git", ["check-ref-format", buildClaimRef(text as SpecId)]).status]).toEqual([text, 0]);
  }
});

test.each([buildProbeRef("ab12"), "refs/heads/main", "refs/planner/claims/a%2Fb%", "refs/planner/claims/%61"])(
  "claimedSpec finds no spec in %p",
  (name) => {
    expect(parseClaimRef(name)).toBeNull();
  },
);
