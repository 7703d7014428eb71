import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { claimRepository, dropTemplates } from "../../../../support/claim_clones.ts";

afterAll(dropTemplates);

const ID = "2026-11-21-001-aaa";

test("claims work in a mirror clone with settings that change every push, and bring nothing else along", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann");
  for (const [name, value] of [
    ["remote.origin.mirror", "true"],
    ["push.followTags", "true"],
    ["push.gpgSign", "true"],
    ["push.pushOption", "ci.skip"],
    ["push.useForceIfIncludes", "true"],
    ["push.recurseSubmodules", "only"],
    ["commit.gpgSign", "true"],
    ["core.hooksPath", join(ann.root, "hooks")],
  ] as const) {
    await ann.git("config", name, value);
  }
  mkdirSync(join(ann.root, "hooks"));
  writeFileSync(join(ann.root, "hooks/pre-push"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  await ann.git("branch", "own");
  const before = await repository.git("for-each-ref");

  const { claim, answer } = await ann.begin(ID);
  expect(answer.kind).toBe("own");
  await claim.release();

  expect(await repository.git("for-each-ref")).toBe(before);
});

test("claims are at the push address, and only at one", async () => {
  await using repository = await claimRepository();
  await using elsewhere = await claimRepository();
  const ann = await repository.clone("Ann");
  await ann.git("remote", "set-url", "--push", "origin", elsewhere.url);
  expect((await ann.begin(ID)).answer.kind).toBe("own");
  expect([await repository.refs(), await elsewhere.refs()]).toEqual(["", expect.stringContaining(ID)]);

  await ann.git("remote", "set-url", "--push", "--add", "origin", repository.url);

  await expect(ann.begin("other")).rejects.toThrow("has 2 push addresses, each with claims of its own: expected one");
});

test("claims work in a shallow clone, which stays one, and in repositories of SHA-256", async () => {
  await using repository = await claimRepository();
  await using longer = await claimRepository("file", "sha256");
  const ann = await repository.clone("Ann", { args: ["--depth=1"] });
  const ben = await longer.clone("Ben");
  const full = await repository.clone("Full");
  for (const clone of [ann, ben, full])
    expect((await clone.begin(`of ${clone.root.slice(-3)}.lock`)).answer.kind).toBe("own");
  expect((await full.begin("of Ann.lock")).answer.kind).toBe("lost");
  expect(existsSync(join(full.root, ".git", "shallow"))).toBe(false);
  expect(await longer.refs()).toMatch(/^of%20Ben%2Elock [0-9a-f]{64}$/);
});

test("a server that checks objects and refuses rewriting and deleting takes renewals and finishes", async () => {
  await using repository = await claimRepository();
  for (const key of ["receive.fsckObjects", "receive.denyNonFastForwards", "receive.denyDeletes"]) {
    await repository.git("config", key, "true");
  }
  const ann = await repository.clone("Ann", { renewMinutes: 0.004 });
  const { claim, answer } = await ann.begin(ID);
  expect(answer.kind).toBe("own");
  const before = await repository.refs();
  while ((await repository.refs()) === before) await sleep(50);
  expect((await claim.finish({ steal: false, offline: false })).kind).toBe("own");
});

test("a copy of a clone is another clone, and a claim names neither machine nor time", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann");
  await ann.begin(ID);
  const twin = await repository.clone("Twin");
  cpSync(join(ann.root, ".planner/locks/claims.json"), join(twin.root, ".planner/locks/claims.json"), {
    recursive: true,
  });
  expect((await twin.begin(ID)).answer.kind).toBe("lost");
  const names = [ann, twin].map(
    ({ root }) => JSON.parse(readFileSync(join(root, ".planner/locks/claims.json"), "utf8")).clone,
  );
  expect(new Set(names).size).toBe(2);

  const commit = await repository.git("cat-file", "commit", `refs/planner/claims/${ID}`);

  expect(commit).toMatch(/^tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor Ann <Ann@example.org> 0 \+0000\n/);
  expect(commit).toMatch(
    /\n\nplanner: claim 2026-11-21-001-aaa\n\nspec: \S+\nstate: held\nby: Ann\nclone: [0-9a-f]{32}\n/,
  );
});
