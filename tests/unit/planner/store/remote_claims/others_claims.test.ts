import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ClaimClone, claimRepository, completeSpec, dropTemplates } from "../../../../support/claim_clones.ts";

afterAll(dropTemplates);

const ID = "2026-11-21-001-aaa";

test("others lists claims of other clones, and asks the remote at most every 30 seconds", async () => {
  await using repository = await claimRepository("http");
  const ann = await repository.clone("Ann");
  const ben = await repository.clone("Ben");
  expect(await ben.claims.listOtherClaims()).toEqual([]);
  await ann.begin(ID);
  await ben.begin("other");
  const asked = repository.http?.requests.length;

  expect(await ben.claims.listOtherClaims()).toEqual([
    { id: ID as never, state: "held", by: "Ann", seenForMs: expect.any(Number) },
  ]);
  expect(repository.http?.requests.length).toBe(asked ?? 0);
  agedLook(ben);
  await ann.begin("third");
  expect((await ben.claims.listOtherClaims()).map(({ id, by }) => [id, by]).sort()).toEqual([
    [ID as never, "Ann"],
    ["third" as never, "Ann"],
  ]);
  expect(await ben.git("for-each-ref", "refs/planner")).not.toContain("third");
});

test("others runs no program of the repository's settings, and says what is known of a remote that is away", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann");
  const ben = await repository.clone("Ben");
  await ann.begin(ID);
  await ben.begin("other");
  const trace = join(ben.root, "trace");
  await ben.git("config", "core.sshCommand", `touch '${trace}';:`);
  await ben.git("config", "protocol.ext.allow", "always");
  for (const url of ["ssh://127.0.0.1:1/x", `ext::touch ${trace}`]) {
    const file = join(ben.root, ".planner/locks/claims.json");
    await ben.git("remote", "set-url", "origin", url);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), url }));
    agedLook(ben);
    expect((await ben.claims.listOtherClaims()).map(({ id }) => id)).toEqual([ID as never]);
  }
  expect(existsSync(trace)).toBe(false);
});

/** As if the last look had been a minute ago. */
function agedLook({ root }: ClaimClone): void {
  const file = join(root, ".planner/locks/claims.json");
  const known = JSON.parse(readFileSync(file, "utf8"));
  known.asked.ms -= 60_000;
  writeFileSync(file, JSON.stringify(known));
}

test("examine names what keeps claims from protecting, and repairs what it can", async () => {
  await using repository = await claimRepository();
  const ann = await repository.clone("Ann");
  expect(await ann.claims.findProblems(true)).toEqual([]);
  await repository.git("config", "receive.hideRefs", "refs/planner");
  await ann.begin(ID);
  const [refused] = await ann.claims.findProblems(true);
  expect(refused?.message).toStartWith('Remote "origin" has no claims: it says [remote rejected]');
  await expect(refused?.repair?.()).rejects.toThrow("has no claims");
  await repository.git("config", "--unset", "receive.hideRefs");
  expect(await refused?.repair?.()).toBe("the server has claims now");

  const file = join(ann.root, ".planner/locks/claims.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), pushMs: 12_400 }));
  expect((await ann.claims.findProblems(true)).map(({ message }) => message)).toEqual([
    "the last push of a claim took 12 s",
  ]);

  const { claim } = await ann.begin("2026-11-21-002-bbb");
  await claim.finish({ steal: false, offline: false });
  await completeSpec(ann, "2026-11-21-002-bbb");
  await ann.git("remote", "add", "upstream", "/nowhere");
  expect((await ann.claims.findProblems(false)).length).toBe(1);
  const [fork, done] = await ann.claims.findProblems(true);
  expect(fork?.message).toContain('a fork of remote "upstream"');
  expect(await done?.repair?.()).toBe("deleted 1 claim");
  expect(await repository.refs()).toBe("");

  await ann.git("remote", "set-url", "--push", "--add", "origin", "/a");
  await ann.git("remote", "set-url", "--push", "--add", "origin", "/b");
  expect((await ann.claims.findProblems(true))[0]?.message).toContain("has 2 push addresses");
  await ann.git("config", "--unset-all", "remote.origin.pushurl");
  await ann.git("remote", "set-url", "origin", "/nowhere");
  expect((await ann.claims.findProblems(true)).map(({ message }) => message)).toContainEqual(
    expect.stringContaining('Cannot reach remote "origin"'),
  );
});
