import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import type { SpecId } from "#planner/spec/spec_id.ts";
import {
  beginClaimChange,
  buildClaimRef,
  buildProbeRef,
  type ClaimFacts,
  type ClaimState,
  decideClaimFinish,
  decideClaimTaking,
  formatClaim,
  formatDuration,
  getUnchangedMs,
  isStaleClaim,
  parseClaim,
  parseClaimRef,
  type SeenClaim,
  type StoredOwnClaim,
  settleOwnClaim,
  updateSeenClaims,
} from "#planner/work/claims/decide_claim.ts";
import { createCommitWriter, PLAIN_COMMIT_WRITER } from "#planner/work/commit_message.ts";

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

const DECIDE_CLAIM_ID = "a" as SpecId;
const MINUTE = 60_000;
const at = (minutes: number, boot = "b1") => ({ boot, ms: minutes * MINUTE });
const claim = (state: ClaimState, clone = "theirs"): SeenClaim => ({
  oid: "x",
  since: at(0),
  text: { spec: DECIDE_CLAIM_ID, state, by: "Ben", clone, process: "p", nonce: "n" },
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
  const before = new Map([[DECIDE_CLAIM_ID, claim("held")]]);
  const texts = new Map();

  const seenFor = (oid: string, now: ReturnType<typeof at>): number => {
    const seen = updateSeenClaims(before, new Map([[DECIDE_CLAIM_ID, oid]]), { now, texts }).get(DECIDE_CLAIM_ID);
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

const ownClaimOwn = (change: Partial<StoredOwnClaim> = {}): StoredOwnClaim => ({
  ...beginClaimChange(null, null, "p"),
  ...change,
});
const HELD = { base: "b", state: "held" } as const;

test.each([
  ["a take that landed", ownClaimOwn({ tried: [{ oid: "n", state: "held" }] }), "n", "own"],
  ["a take that did not land yet", ownClaimOwn({ tried: [{ oid: "n", state: "held" }] }), null, "unchanged"],
  ["a take that another won", ownClaimOwn({ tried: [{ oid: "n", state: "held" }] }), "x", "lost"],
  ["a steal that did not land yet", ownClaimOwn({ base: "x", tried: [{ oid: "n", state: "held" }] }), "x", "unchanged"],
  [
    "a steal whose claim was released",
    ownClaimOwn({ base: "x", tried: [{ oid: "n", state: "held" }] }),
    null,
    "unchanged",
  ],
  [
    "an earlier of two tries",
    ownClaimOwn({
      ...HELD,
      tried: [
        { oid: "m", state: "held" },
        { oid: "n", state: "done" },
      ],
    }),
    "m",
    "own",
  ],
  ["a renewal that did not land", ownClaimOwn({ ...HELD, tried: [{ oid: "n", state: "held" }] }), "b", "unchanged"],
  ["a claim without tries", ownClaimOwn(HELD), "b", "own"],
  ["a claim that is gone", ownClaimOwn(HELD), null, "vanished"],
  ["a claim that is another's", ownClaimOwn(HELD), "x", "lost"],
  ["a release that landed", ownClaimOwn({ ...HELD, tried: [{ oid: "", state: "released" }] }), null, "released"],
  ["a release that did not", ownClaimOwn({ ...HELD, tried: [{ oid: "", state: "released" }] }), "b", "unchanged"],
] as const)("settle tells what a look shows of %s", (_, claim, seen, kind) => {
  expect(settleOwnClaim(claim, seen, 5).kind).toBe(kind);
});

test("settle takes the state of the change that landed, and forgets all others", () => {
  const tried = [
    { oid: "m", state: "held" },
    { oid: "n", state: "done" },
  ] as const;

  expect(settleOwnClaim(ownClaimOwn({ ...HELD, tried }), "n", 5)).toEqual({
    kind: "own",
    claim: ownClaimOwn({ base: "n", state: "done", confirmedMs: 5 }),
  });
});
