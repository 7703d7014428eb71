import { expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { readClaimText, writeClaim } from "#planner/work/claims/claim_text.ts";
import { commitWriter, PLAIN_MESSAGE } from "#planner/work/commit_message.ts";

const ID = "2026-11-21-001-aaa" as SpecId;
const CLAIM = { spec: ID, state: "held", by: "Ann", clone: "c1", process: "p1", nonce: "00ff" } as const;

test("readClaimText reads what writeClaim wrote, in the form of the project's commits too", () => {
  const form = commitWriter("feat(AB-1): {summary}\n\nstate: open\nby: template", { id: ID, title: null });

  expect(writeClaim(form, CLAIM)).toStartWith(`feat(AB-1): claim ${ID}\n`);
  for (const message of [form, PLAIN_MESSAGE]) expect(readClaimText(writeClaim(message, CLAIM))).toEqual(CLAIM);
});

test("readClaimText leaves out control characters, and cuts what is long", () => {
  const text = readClaimText(`x\n\nspec: a\nstate: done\nby: Ev\u001b[31mil\u202e\u0007${"n".repeat(500)}\nclone: c\n`);

  expect(text?.by).toBe(`Ev [31mil ${"n".repeat(110)}`);
});

test("writeClaim keeps a name with line ends in one line", () => {
  expect(readClaimText(writeClaim(PLAIN_MESSAGE, { ...CLAIM, by: "Ann\nstate: done" }))).toMatchObject({
    state: "held",
    by: "Ann state: done",
  });
});

test.each(["", "planner claim", "spec: a\nstate: open\nclone: c", "state: held\nclone: c", "spec: a\nstate: held"])(
  "readClaimText finds no claim in %p",
  (message) => {
    expect(readClaimText(message)).toBeNull();
  },
);
