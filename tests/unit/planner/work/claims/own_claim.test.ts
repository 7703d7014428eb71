import { expect, test } from "bun:test";
import {
  applyClaimChange,
  beginClaimChange,
  type StoredOwnClaim,
  settleOwnClaim,
} from "#planner/work/claims/decide_claim.ts";

const own = (change: Partial<StoredOwnClaim> = {}): StoredOwnClaim => ({
  ...beginClaimChange(null, null, "p"),
  ...change,
});
const HELD = { base: "b", state: "held" } as const;

test.each([
  ["a take that landed", own({ tried: [{ oid: "n", state: "held" }] }), "n", "own"],
  ["a take that did not land yet", own({ tried: [{ oid: "n", state: "held" }] }), null, "unchanged"],
  ["a take that another won", own({ tried: [{ oid: "n", state: "held" }] }), "x", "lost"],
  ["a steal that did not land yet", own({ base: "x", tried: [{ oid: "n", state: "held" }] }), "x", "unchanged"],
  ["a steal whose claim was released", own({ base: "x", tried: [{ oid: "n", state: "held" }] }), null, "unchanged"],
  [
    "an earlier of two tries",
    own({
      ...HELD,
      tried: [
        { oid: "m", state: "held" },
        { oid: "n", state: "done" },
      ],
    }),
    "m",
    "own",
  ],
  ["a renewal that did not land", own({ ...HELD, tried: [{ oid: "n", state: "held" }] }), "b", "unchanged"],
  ["a claim without tries", own(HELD), "b", "own"],
  ["a claim that is gone", own(HELD), null, "vanished"],
  ["a claim that is another's", own(HELD), "x", "lost"],
  ["a release that landed", own({ ...HELD, tried: [{ oid: "", state: "released" }] }), null, "released"],
  ["a release that did not", own({ ...HELD, tried: [{ oid: "", state: "released" }] }), "b", "unchanged"],
] as const)("settle tells what a look shows of %s", (_, claim, seen, kind) => {
  expect(settleOwnClaim(claim, seen, 5).kind).toBe(kind);
});

test("settle takes the state of the change that landed, and forgets all others", () => {
  const tried = [
    { oid: "m", state: "held" },
    { oid: "n", state: "done" },
  ] as const;

  expect(settleOwnClaim(own({ ...HELD, tried }), "n", 5)).toEqual({
    kind: "own",
    claim: own({ base: "n", state: "done", confirmedMs: 5 }),
  });
});

test("beginClaimChange keeps what may still happen, and the state only of the same commit", () => {
  const before = own({ ...HELD, tried: [{ oid: "n", state: "held" }], ended: true, lostTo: "Ben" });

  expect(beginClaimChange(before, "b", "q")).toEqual({ ...before, process: "q", ended: false, lostTo: null });
  expect(beginClaimChange(before, "x", "q").state).toBeNull();
});

test("applyClaimChange drops a claim that was released", () => {
  expect(applyClaimChange(own(HELD), { oid: "", state: "released" }, 5)).toBeNull();
});
