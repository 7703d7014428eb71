import { afterAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Begun,
  type ClaimClone,
  claimRepository,
  completeSpec,
  dropTemplates,
  WAYS,
} from "../../../../support/claim_clones.ts";

afterAll(dropTemplates);

const ID = "2026-11-21-001-aaa";

const clones = async (
  repository: Awaited<ReturnType<typeof claimRepository>>,
  count: number,
): Promise<ClaimClone[]> => {
  const made: ClaimClone[] = [];
  for (let index = 0; index < count; index++) made.push(await repository.clone(`clone${index}`));
  return made;
};

const winners = (begun: readonly Begun[]): readonly Begun[] => begun.filter(({ answer }) => answer.kind === "own");

/** Renews a claim at the server, as the process that holds it. */
async function renewClaim({ git }: Awaited<ReturnType<typeof claimRepository>>, id: string, nonce: number) {
  const ref = `refs/planner/claims/${id}`;
  const text = (await git("log", "-1", "--format=%B", ref)).replace(/^nonce: .*$/m, `nonce: ${nonce}`);
  const person = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
  const next = await git(...person, "commit-tree", `${ref}^{tree}`, "-p", ref, "-m", text);
  await git("update-ref", ref, next.trim());
}

const CLONES = Number(process.env["PLANNER_CLAIM_CLONES"] ?? 2);
const ROUNDS = Number(process.env["PLANNER_CLAIM_ROUNDS"] ?? 1);

test.each(WAYS)("of several clones that claim a spec at once over %s, exactly one begins", async (way) => {
  await using repository = await claimRepository(way);
  const all = await clones(repository, CLONES);
  const dropped: string[] = [];
  // A later round begins with the server known to all.
  for (let round = 0; round < ROUNDS; round++) {
    const begun = await Promise.all(all.map(({ begin }) => begin(`race-${round}`)));

    expect(winners(begun).length).toBe(1);
    const at = begun.findIndex(({ answer }) => answer.kind === "own");
    // git daemon drops connections that come too fast, also those that fetch a name. Who was dropped does not begin.
    const isMany = way === "git" && CLONES > 10;
    const reason = expect.stringMatching(
      new RegExp(`^(clone${at}${isMany ? "|somebody" : ""}) is working on it in another clone \\(seen`),
    );
    for (const { answer } of begun) if (answer.kind === "lost") expect(answer).toEqual({ kind: "lost", reason });
    const unknown = begun.flatMap(({ answer }) => (answer.kind === "unknown" ? [answer.reason] : []));
    if (isMany) dropped.push(...unknown);
    else expect(unknown).toEqual([]);
    await winners(begun)[0]?.claim.release();
  }
  if (dropped.length > 0) process.stdout.write(`${dropped.length} were not answered, as: ${dropped[0]}\n`);
});

test("a push that is late behind another one's is lost, and says who was first", async () => {
  await using repository = await claimRepository();
  const all = await clones(repository, 2);
  for (const { begin } of all) await (await begin("other")).claim.release();
  // Both have seen no claim when the server's lock decides.
  repository.hook("pre-receive", "sleep 0.3");

  const begun = await Promise.all(all.map(({ begin }) => begin(ID)));

  expect(winners(begun).length).toBe(1);
  expect(begun.map(({ answer }) => answer.kind).sort()).toEqual(["lost", "own"]);
});

test("a released claim is free, and a finished one is its clone's alone", async () => {
  await using repository = await claimRepository();
  const [ann, ben] = (await clones(repository, 2)) as [ClaimClone, ClaimClone];
  await (await ann.begin(ID)).claim.release();
  expect(await repository.refs()).toBe("");

  const { claim } = await ben.begin(ID);
  expect(await claim.finish({ steal: false, offline: false })).toEqual({ kind: "own", notes: [] });
  await claim.release();

  expect((await ann.begin(ID)).answer).toEqual({
    kind: "lost",
    reason: "finished by clone1, not yet in your main branch: pull",
  });
  // A crash between: the same clone goes on.
  const again = await ben.claims.claim(ID as never, "merge");
  if ("heldBy" in again) throw new Error("held");
  expect(await again.claim.finish({ steal: false, offline: false })).toEqual({ kind: "own", notes: [] });
});

test("a claim that is done goes when a clone sees the spec in the remote's main branch, and stays refused", async () => {
  await using repository = await claimRepository();
  const [ann, ben] = (await clones(repository, 2)) as [ClaimClone, ClaimClone];
  const { claim } = await ann.begin(ID);
  await claim.finish({ steal: false, offline: false });
  await claim.release();
  await ben.begin("other");
  expect(await repository.refs()).toContain(ID);

  await completeSpec(ann, ID);
  expect((await ben.begin("another")).answer.kind).toBe("own");

  expect(await repository.refs()).not.toContain(ID);
  expect((await ben.begin(ID)).answer).toEqual({
    kind: "lost",
    reason: 'it is done in the main branch of "origin": pull',
  });
  // Who finished it may still merge it.
  const again = await ann.claims.claim(ID as never, "merge");
  if ("heldBy" in again) throw new Error("held");
  expect((await again.claim.finish({ steal: false, offline: false })).kind).toBe("own");
});

test("a claim that nobody renews is taken after two looks, and its run hears of it", async () => {
  await using repository = await claimRepository();
  // Ann's process renews once an hour: as one that is stopped.
  const ann = await repository.clone("Ann", { renewMinutes: 60 });
  const ben = await repository.clone("Ben", { renewMinutes: 0.004 });
  const first = await ann.begin(ID);
  expect((await ben.begin(ID)).answer.kind).toBe("lost");

  let taken = await ben.begin(ID);
  while (taken.answer.kind === "lost") taken = await ben.begin(ID);

  expect(taken.answer).toEqual({ kind: "own", notes: ['took the claim from Ann at "origin"'] });
  const finished = await first.claim.finish({ steal: false, offline: false });
  expect(finished).toEqual({ kind: "lost", reason: expect.stringContaining("Ben is working on it in another clone") });
  await first.claim.release();
  await taken.claim.release();
  expect(await repository.refs()).toBe("");
});

test("renewals keep a claim, take one again that vanished, and tell of one that was taken", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann", { renewMinutes: 0.004 });
  // To Ben a claim is stale sooner than Ann renews it.
  const ben = await repository.clone("Ben", { renewMinutes: 0.001 });
  const both = [await ann.begin(ID), await ann.begin("other")];
  await ben.begin(ID);
  // The other claim is renewed by a timer of its own, perhaps twice meanwhile.
  const readClaim = async () => (await repository.refs()).split("\n").find((ref) => ref.startsWith(`${ID} `));
  const before = await readClaim();
  while ((await readClaim()) === before) await sleep(50);
  expect((await ben.begin(ID)).answer.kind).toBe("lost");

  await repository.git("update-ref", "-d", `refs/planner/claims/${ID}`);
  while (!(await repository.refs()).includes(ID)) await sleep(50);
  expect(both[0]?.claim.lost.aborted).toBe(false);

  expect((await ben.begin(ID, { steal: true })).answer).toEqual({
    kind: "own",
    notes: [expect.stringContaining("Ann")],
  });
  while (both[0]?.claim.lost.aborted !== true) await sleep(50);
  expect(both[0].claim.lost.reason).toBe("its claim was lost to Ben, who works on it in another clone");
  expect(both[1]?.claim.lost.aborted).toBe(false);
});

test("a claim that its holder renews meanwhile is stolen all the same, and named", async () => {
  await using repository = await claimRepository();
  const [ann, ben] = (await clones(repository, 2)) as [ClaimClone, ClaimClone];
  await ann.begin(ID);
  await (await ben.begin("other")).claim.release();
  // Ben's first push has read the refs, and waits for its change.
  repository.hook(
    "pre-receive",
    "test -e reached && exit 0; touch reached; until test -e renewed; do sleep 0.02; done",
  );

  const stealing = ben.begin(ID, { steal: true });
  while (!existsSync(join(repository.bare, "reached"))) await sleep(10);
  await renewClaim(repository, ID, 1);
  writeFileSync(join(repository.bare, "renewed"), "");

  expect((await stealing).answer).toEqual({ kind: "own", notes: ['took the claim from clone0 at "origin"'] });
});

test("a claim that is renewed between the list of refs and the fetch of its text has a name", async () => {
  await using repository = await claimRepository("http");
  const [ann, ben] = (await clones(repository, 2)) as [ClaimClone, ClaimClone];
  await ann.begin(ID);
  let renewals = 0;
  if (repository.http !== null) repository.http.beforeRefs = () => renewClaim(repository, ID, ++renewals);

  expect((await ben.begin(ID)).answer).toEqual({
    kind: "lost",
    reason: expect.stringMatching(/^clone0 is working on it/),
  });
});

test("a server that refuses or hides the refs has no claims, which is said once", async () => {
  for (const [key, value, words] of [
    ["receive.hideRefs", "refs/planner", "it says [remote rejected] (deny updating a hidden ref)"],
    ["uploadpack.hideRefs", "refs/planner", "it hides what was written"],
  ] as const) {
    await using repository = await claimRepository();
    await repository.git("config", key, value);
    const ann = await repository.clone("Ann");
    const note = `Remote "origin" has no claims: ${words}: other clones do not see this clone's claims`;

    expect((await ann.begin(ID)).answer).toEqual({ kind: "own", notes: [note] });
    expect((await ann.begin("other")).answer).toEqual({ kind: "own", notes: [] });
  }
});

test("a refusal of a server that has claims is one as long as nothing changed there", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann");
  await (await ann.begin("other")).claim.release();
  repository.hook("update", "exit 1");

  expect((await ann.begin(ID)).answer).toEqual({
    kind: "unknown",
    reason: 'Remote "origin" did not take the claim: [remote rejected] (hook declined)',
  });
  expect(await repository.refs()).toBe("");
});

test("a claim whose answer was cut off is this clone's", async () => {
  await using repository = await claimRepository("http");
  const ann = await repository.clone("Ann");
  await (await ann.begin("other")).claim.release();
  if (repository.http !== null) repository.http.mood = "cuts answers";

  expect((await ann.begin(ID)).answer).toEqual({ kind: "own", notes: [] });
  expect(await repository.refs()).toContain(ID);
});

test("a remote that asks for a password or is away refuses a run, and is asked again for what was tried", async () => {
  await using repository = await claimRepository("http");
  const { http } = repository;
  const ann = await repository.clone("Ann");
  if (http === null) throw new Error("no server");
  http.mood = "asks";
  expect((await ann.begin(ID)).answer).toEqual({
    kind: "unknown",
    reason: expect.stringContaining('Cannot reach remote "origin": Authentication failed'),
  });
  expect((await ann.begin(ID, { offline: true })).answer).toEqual({
    kind: "own",
    notes: [expect.stringContaining("works offline")],
  });
});

test("a run goes on while the remote is away, and its finish is settled when it is back", async () => {
  await using repository = await claimRepository("http");
  const { http } = repository;
  if (http === null) throw new Error("no server");
  const ann = await repository.clone("Ann", { renewMinutes: 0.004 });
  const { claim } = await ann.begin(ID);
  http.mood = "asks";
  const before = http.requests.length;
  while (http.requests.length < before + 2) await sleep(20);
  expect(claim.lost.aborted).toBe(false);
  expect((await claim.finish({ steal: false, offline: false })).kind).toBe("unknown");
  await claim.release();
  http.mood = "answers";

  expect(await repository.refs()).toContain(ID);
  const again = await ann.claims.claim(ID as never, "merge");
  if ("heldBy" in again) throw new Error("held");
  expect((await again.claim.finish({ steal: false, offline: false })).kind).toBe("own");
});
