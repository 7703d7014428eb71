import { expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { formatClaim, parseClaim } from "#planner/work/claims/decide_claim.ts";
import { createCommitWriter, PLAIN_COMMIT_WRITER } from "#planner/work/commit_message.ts";

const ID = "2026-11-21-001-aaa" as SpecId;
const CLAIM = { spec: ID, state: "held", by: "Ann", clone: "c1", process: "p1", nonce: "00ff" } as const;

test("parseClaim reads what writeClaim wrote, in the form of the project's commits too", () => {
  const form = createCommitWriter("feat(AB-1): {summary}\n\nstate: open\nby: template", { id: ID, title: null });

  expect(formatClaim(form, CLAIM)).toStartWith(`feat(AB-1): claim ${ID}\n`);
  for (const message of [form, PLAIN_COMMIT_WRITER]) expect(parseClaim(formatClaim(message, CLAIM))).toEqual(CLAIM);
});

test("parseClaim leaves out control characters, and cuts what is long", () => {
  const text = parseClaim(`x\n\nspec: a\nstate: done\nby: Ev\u001b[31mil\u202e\u0007${"n".repeat(500)}\nclone: c\n`);

  expect(text?.by).toBe(`Ev [31mil ${"n".repeat(110)}`);
});

test("formatClaim keeps a name with line ends in one line", () => {
  expect(parseClaim(formatClaim(PLAIN_COMMIT_WRITER, { ...CLAIM, by: "Ann\nstate: done" }))).toMatchObject({
    state: "held",
    by: "Ann state: done",
  });
});

test.each(["", "planner claim", "spec: a\nstate: open\nclone: c", "state: held\nclone: c", "spec: a\nstate: held"])(
  "readClaimText finds no claim in %p",
  (message) => {
    expect(parseClaim(message)).toBeNull();
  },
);
