import { expect, test } from "bun:test";
import type { SpecId } from "#planner/spec/spec_id.ts";
import {
  beginClaimChange,
  type ClaimFacts,
  type ClaimState,
  decideClaimFinish,
  decideClaimTaking,
  formatDuration,
  getUnchangedMs,
  isStaleClaim,
  type SeenClaim,
  updateSeenClaims,
} from "#planner/work/claims/decide_claim.ts";

const ID = "a" as SpecId;
const MINUTE = 60_000;
const at = (minutes: number, boot = "b1") => ({ boot, ms: minutes * MINUTE });
const claim = (state: ClaimState, clone = "theirs"): SeenClaim => ({
  oid: "x",
  since: at(0),
  text: { spec: ID, state, by: "Ben", clone, process: "p", nonce: "n" },
});
const facts = (change: Partial<ClaimFacts> = {}): ClaimFacts => ({
  remote: "origin",
  clone: "ours",
  seen: null,
  own: null,
  isInMain: false,
  steal: false,
  now: at(1),
  renewMs: 4 * MINUTE,
  ...change,
});
const own = (state: ClaimState) => ({ ...beginClaimChange(null, null, "p"), base: "x", state });

test.each([
  ["nobody's claim", {}, { kind: "take", base: null, from: null }],
  ["its own clone's", { seen: claim("done", "ours") }, { kind: "take", base: "x", from: null }],
  ["one that it knows as its own", { seen: claim("held"), own: own("held") }, { kind: "take", base: "x", from: null }],
  ["a stale one", { seen: claim("held"), now: at(15) }, { kind: "take", base: "x", from: "Ben" }],
  ["one that a person takes", { seen: claim("held"), steal: true }, { kind: "take", base: "x", from: "Ben" }],
  [
    "a finished one that a person takes",
    { seen: claim("done"), steal: true },
    { kind: "take", base: "x", from: "Ben" },
  ],
  [
    "one without a readable text that a person takes",
    { seen: { ...claim("held"), text: null }, steal: true },
    { kind: "take", base: "x", from: "somebody" },
  ],
] as const)("decideTake takes %s", (_, change, decision) => {
  expect(decideClaimTaking(facts(change))).toEqual(decision);
});

test.each([
  [
    "a fresh claim",
    { seen: claim("held"), now: at(14.9) },
    'Ben is working on it in another clone (seen unchanged for 15 min, by "origin")',
  ],
  [
    "one seen before the machine was started",
    { seen: claim("held"), now: at(20, "b2") },
    'Ben is working on it in another clone (seen unchanged for 0 s, by "origin")',
  ],
  [
    "a finished one, however old",
    { seen: claim("done"), now: at(999) },
    "finished by Ben, not yet in your main branch: pull",
  ],
  [
    "one without a readable text, however old",
    { seen: { ...claim("held"), text: null }, now: at(999) },
    'somebody is working on it in another clone (seen unchanged for 17 h, by "origin")',
  ],
  ["a spec that is done in the main branch", { isInMain: true }, 'it is done in the main branch of "origin": pull'],
  ["the same by force", { isInMain: true, steal: true }, 'it is done in the main branch of "origin": pull'],
] as const)("decideTake refuses %s", (_, change, reason) => {
  expect(decideClaimTaking(facts(change))).toEqual({ kind: "refuse", reason });
});

test.each([
  ["nobody's claim", {}, { kind: "take", base: null, from: null }],
  ["its own", { seen: claim("held"), own: own("held") }, { kind: "take", base: "x", from: null }],
  ["its own that is done", { seen: claim("done"), own: own("done") }, { kind: "keep" }],
  ["its own that was deleted since main has the spec", { isInMain: true, own: own("done") }, { kind: "keep" }],
  ["one that a person takes", { seen: claim("done"), steal: true }, { kind: "take", base: "x", from: "Ben" }],
] as const)("decideFinish finishes %s", (_, change, decision) => {
  expect(decideClaimFinish(facts(change))).toEqual(decision);
});

test.each([
  ["another's claim, stale or not", { seen: claim("held"), now: at(60) }, "Ben is working on it"],
  ["another's that is done", { seen: claim("done"), own: null }, "finished by Ben"],
  ["a spec that another clone merged", { isInMain: true }, "done in the main branch"],
  ["the same with a claim that was not final", { isInMain: true, own: own("held") }, "done in the main branch"],
] as const)("decideFinish refuses %s", (_, change, reason) => {
  expect(decideClaimFinish(facts(change))).toEqual({ kind: "refuse", reason: expect.stringContaining(reason) });
});

test("addSeenClaims keeps the time of the first look at what did not change, within one start of the machine", () => {
  const before = new Map([[ID, claim("held")]]);
  const texts = new Map();

  const seenFor = (oid: string, now: ReturnType<typeof at>): number => {
    const seen = updateSeenClaims(before, new Map([[ID, oid]]), { now, texts }).get(ID);
    return seen === undefined ? -1 : getUnchangedMs(seen, now) / MINUTE;
  };

  expect([seenFor("x", at(5)), seenFor("y", at(5)), seenFor("x", at(5, "b2"))]).toEqual([5, 0, 0]);
  expect(updateSeenClaims(before, new Map(), { now: at(5), texts }).size).toBe(0);
});

test("isStaleClaim is true 15 minutes after a look if renewals come every 4, and never for a claim that is done", () => {
  const stale = (state: ClaimState, minutes: number, renew = 4) =>
    isStaleClaim(claim(state), at(minutes), renew * MINUTE);

  expect([stale("held", 14.99), stale("held", 15), stale("done", 999), stale("held", 15, 20)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test.each([
  [0, "0 s"],
  [119_000, "119 s"],
  [3 * MINUTE, "3 min"],
  [150 * MINUTE, "3 h"],
])("ageText writes %p ms as %p", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
