import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

const REFS = `refs/planner/runs/${ID}`;

async function record(project: ScriptedProject, run: string): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await project.planner("log", ID, "--run", run, "--json");
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

async function patchOf(project: ScriptedProject, commit: string): Promise<string> {
  const { stdout } = await project.sh(`git show ${commit} | git patch-id --stable | cut -d' ' -f1`);
  return stdout.trim();
}

test("each run leaves a record on top of its work, and the merge adds as what it was merged", async () => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  const verify = 'verify: {commands: ["test -e b.txt", "echo ok"]}\n';
  writeFileSync(config, readFileSync(config, "utf8").replace(/---\n$/, `${verify}---\n`));
  const base = (await project.git("rev-parse", "main")).trim();

  const first = await project.work("save a; tick");
  const second = await project.work("save b");
  const head = (await project.git("rev-parse", `planner/${ID}`)).trim();
  const made = (await project.git("log", "-1", "--format=%H", "--grep=: b$", `planner/${ID}`)).trim();
  const patch = await patchOf(project, made);
  await project.sh("echo more >> base.txt; git commit -q -a -m more");
  const merged = await project.planner("merge", ID);

  expect(first.stdout).toContain('needs_attention: "test -e b.txt" ended with status 1');
  expect([second.stdout, merged.code]).toEqual([`${ID}: completed\n`, 0]);
  expect(await record(project, "1")).toMatchObject({
    ...{ version: 1, spec_id: ID, run: 1, status: "needs_attention", base, mode: "single", merged: null },
    reasons: ['"test -e b.txt" ended with status 1'],
    commits: [{ subject: `planner(${ID}): a` }],
    files: expect.arrayContaining(["a.txt"]),
    criteria: [{ label: "It is done", checked: true, lost: false, check: null }],
    verify: [
      { command: "test -e b.txt", status: 1 },
      { command: "echo ok", status: 0, output_hash: new Bun.CryptoHasher("sha256").update("ok\n").digest("hex") },
    ],
    prompt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    agent: { name: "command", model: null, session: null },
  });
  const last = await record(project, "last");
  expect(last).toMatchObject({ run: 2, status: "completed", reasons: [], head });
  const now = (await project.git("log", "-1", "--format=%H", "--grep=: b$", "main")).trim();
  expect(now).not.toBe(made);
  expect((last["merged"] as { commits: unknown }).commits).toContainEqual({ hash: now, patch_id: patch });
  // The head before the rebase outlives the branch and the collection of garbage; main's history has nothing of it.
  await project.git("reflog", "expire", "--expire=now", "--all");
  await project.git("gc", "--quiet", "--prune=now");
  expect((await project.git("rev-parse", `${REFS}/2^`)).trim()).toBe(head);
  expect(await project.git("show", `${REFS}/2^:b.txt`)).toBe("the work in b\n");
  expect(await project.git("log", "--format=%s", "main")).not.toContain("record");
  expect(await project.git("status", "--porcelain")).toBe("");
});

test("log --run shows a record in words, and refuses what is none by saying what there is", async () => {
  using project = await ScriptedProject.make();
  const before = await project.planner("log", ID, "--run", "last");
  await project.work("save a; tick; exit 3");

  const shown = await project.planner("log", ID, "--run", "1");
  const missing = await project.planner("log", ID, "--run", "7");
  const wrong = await project.planner("log", ID, "--run", "first");
  const both = await project.planner("log", ID, "--run", "1", "-n", "3");

  expect([before.code, before.stderr]).toEqual([1, expect.stringContaining("no run has left a record")]);
  expect(shown.stdout).toMatch(/^run {7}1 of 1: failed\nbecause {3}the agent ended with status 3\n/);
  expect(shown.stdout).toMatch(/\ncommit {4}[0-9a-f]{10} planner\(.*\): a\n/);
  expect(missing.stderr).toContain('has no record of run "7": runs with a record: 1');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("expected the number of a run from 1, or last"),
  ]);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('"--run" and "--lines 3" exclude each other')]);
});

test("a record does not stand for work that a later run dropped: it is kept and named as before", async () => {
  using project = await ScriptedProject.make();
  await project.work("save a; exit 3");

  await project.work("git reset -q --hard main; save b; tick");
  const merged = await project.planner("merge", ID);

  expect(merged.code).toBe(0);
  expect(await project.git("for-each-ref", "--format=%(refname)", "refs/planner/kept")).toContain(
    `refs/planner/kept/${ID}/`,
  );
  expect(await project.git("show", `${REFS}/1^:a.txt`)).toBe("the work in a\n");
});

test("a run without a worktree leaves a record on top of what was checked out", async () => {
  using project = await ScriptedProject.make();
  const base = (await project.git("rev-parse", "main")).trim();
  project.script("save a; tick");

  const worked = await project.planner("work", ID, "--no-worktree");

  expect(worked.stdout).toBe(`${ID}: completed\n`);
  const head = (await project.git("rev-parse", "main")).trim();
  expect(await record(project, "last")).toMatchObject({
    ...{ run: 1, status: "completed", branch: "main", main_branch: null, base, head, files: ["a.txt"] },
    commits: [{ hash: head, subject: `planner(${ID}): a` }],
    criteria: [{ label: "It is done", checked: true }],
  });
  expect((await project.git("rev-parse", `${REFS}/1^`)).trim()).toBe(head);
});

for (const cleaner of [
  ["doctor", "--fix"],
  ["watch", "--once"],
  ["work", ID],
]) {
  test(`a killed run's record is kept by the next ${cleaner.join(" ")}, once`, async () => {
    using project = await ScriptedProject.make();
    project.script("save a; tick; echo unsaved > b.txt; kill -9 $PPID; sleep 60");
    const killed = await project.planner("work", ID);
    project.script("save c; tick; git add -A; git commit -q -m rest");

    await project.planner(...cleaner);
    await project.planner("doctor", "--fix");

    expect(killed.code).not.toBe(0);
    expect(await record(project, "1")).toMatchObject({
      ...{ run: 1, status: "failed", reasons: ["the process that ran it is gone"], mode: "single" },
      commits: [{ subject: `planner(${ID}): a` }],
      files: ["a.txt"],
      criteria: [{ label: "It is done", checked: true }],
      agent: { name: "command" },
      prompt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const runs = (await project.git("for-each-ref", "--format=%(refname)", REFS)).trim().split("\n");
    expect(runs).toEqual([`${REFS}/1`, ...(cleaner[0] === "work" ? [`${REFS}/2`] : [])]);
    expect(await project.keeps("a")).toBe(true);
    expect(await project.keeps("b")).toBe(true);
  });
}

test("a run that could not start its agent leaves a record that says why", async () => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  writeFileSync(
    config,
    readFileSync(config, "utf8").replace(/worktree: .*\n---\n$/, 'worktree: {setup: ["exit 4"]}\n---\n'),
  );

  await project.work("tick");

  const reason = expect.stringContaining('worktree.setup: "exit 4" ended with status 4');
  expect(await record(project, "1")).toMatchObject({ status: "failed", reasons: [reason], prompt_sha256: null });
});

test("runs.commit writes each record as a file of the branch, which the merge brings into main", async () => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  writeFileSync(config, readFileSync(config, "utf8").replace(/---\n$/, "runs: {commit: true}\n---\n"));

  await project.work("save a; exit 3");
  await project.work("save b; tick");
  const merged = await project.planner("merge", ID);

  expect(merged.code).toBe(0);
  for (const run of ["1", "2"]) {
    const file = JSON.parse(await project.git("show", `main:.planner/runs/${ID}/${run}.json`));
    expect({ ...file, merged: null }).toEqual({ ...(await record(project, run)), merged: null });
  }
  expect(await project.git("status", "--porcelain")).toBe("");
});

interface Verified {
  readonly code: number | null;
  /** Results by part; of several commands the last. */
  readonly parts: Record<string, string>;
  readonly details: string;
}

async function verified(project: ScriptedProject, ...flags: readonly string[]): Promise<Verified> {
  const { code, stdout } = await project.planner("verify", ID, "--record", "--json", ...flags);
  const { checks } = JSON.parse(stdout) as { checks: { part: string; result: string; detail: string }[] };
  const parts = Object.fromEntries(checks.map(({ part, result }) => [part, result]));
  return { code, parts, details: checks.map(({ detail }) => detail).join("\n") };
}

const ALL_OK = { end: "ok", commits: "ok", files: "ok", criteria: "ok", checks: "ok", merged: "ok" };

/** Replaces the record of a run, as someone would who falsifies it. */
async function falsify(project: ScriptedProject, run: string, change: (record: Record<string, unknown>) => object) {
  const text = JSON.stringify(change(await record(project, run)));
  writeFileSync(join(project.root, "forged.json"), text);
  await project.sh(`blob=$(git hash-object -w forged.json); rm forged.json
    tree=$(printf '100644 blob %s\\trecord.json\\n' "$blob" | git mktree)
    commit=$(git commit-tree -p ${REFS}/${run}^ -m forged "$tree"); git update-ref ${REFS}/${run} "$commit"`);
}

test("verify --record confirms a record before and after its merge, and runs its commands again", async () => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  const settings = 'verify: {commands: ["cat b.txt"]}\nworktree: {setup: ["echo set up > ready"]}\n';
  writeFileSync(config, readFileSync(config, "utf8").replace(/worktree: .*\n---\n$/, `${settings}---\n`));
  writeFileSync(join(project.root, ".git/info/exclude"), "ready\n");
  await project.work("save a; exit 3");
  await project.work("save b; tick");

  expect(await verified(project)).toMatchObject({ code: 0, parts: ALL_OK });
  expect(await verified(project, "--run", "1")).toMatchObject({ code: 0, parts: ALL_OK });
  await project.sh("echo more >> base.txt; git commit -q -a -m more");
  expect((await project.planner("merge", ID)).code).toBe(0);
  const again = await verified(project, "--rerun");
  const text = await project.planner("verify", ID, "--record");

  expect(again).toMatchObject({ code: 0, parts: { ...ALL_OK, rerun: "ok" } });
  expect(again.details).toContain('"cat b.txt" passed again, with the same output');
  expect(text.stdout).toMatch(
    /^spec {6}ok .*\nend {7}ok {7}commit [0-9a-f]{10} is there\n[\s\S]*: run 2: the record holds\n$/,
  );
  expect(await project.git("worktree", "list")).not.toContain("planner-verify");
});

const STATE = "git commit -q -m state -- .planner/specs";
const SQUASH = `${STATE}; git merge -q --squash planner/${ID}; git commit -q -m squash`;
const AS = ["--as", "HEAD"];

test.each([
  ["an ordinary commit", "echo more > more.txt; git add more.txt; git commit -q -m more", [], "ok"],
  ["a commit on lines near by", "sed -i '2s/.*/TWO/' base.txt; git commit -q -a -m near", [], "ok"],
  ["a commit of the spec's text", `echo Words. >> .planner/specs/${ID}.md; git commit -q -a -m words`, [], "ok"],
  ["a commit of the branch", 'cd "$W"; echo more > more.txt; git add more.txt; git commit -q -m more', [], "ok"],
  ["a copy of the commits", `git cherry-pick main..planner/${ID}`, [], "ok"],
  ["a squash", SQUASH, [], "ok"],
  ["a squash that a person names", SQUASH, AS, "ok"],
  ["a squash beside other work", `echo m > m.txt; git add m.txt; git commit -q -m m; ${SQUASH}`, AS, "ok"],
  ["a merge", `${STATE}; git merge -q --no-ff --no-edit planner/${ID}`, AS, "ok"],
  ["a squash with other lines", `${SQUASH}; echo other > a.txt; git commit -q -a --amend -m squash`, AS, "differs"],
  ["a squash without a part", `${SQUASH}; git rm -q a.txt; git commit -q --amend -m squash`, AS, "differs"],
])("a record holds what was judged: %s between run and merge", async (_, script, words, merged) => {
  using project = await ScriptedProject.make();
  await project.sh("seq 9 > base.txt; git commit -q -a -m lines");
  await project.work("sed -i '4s/.*/FOUR/' base.txt; git commit -q -a -m four; save a; tick");
  await project.sh(`W='${project.worktree}'; ${script}`);

  const { code, stdout, stderr } = await project.planner("merge", ID, ...words);
  const { parts, details } = await verified(project);

  expect({ code, said: stdout + stderr, details, parts }).toMatchObject({ code: 0, parts: { ...ALL_OK, merged } });
});

test.each([
  ["a missing program", "test -e ready || no-such-program-here"],
  ["a setup that fails", "true"],
])("verify --record --rerun says that it cannot run: %s", async (name, command) => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  const own = readFileSync(config, "utf8");
  const settings = (setup: string): string => `verify: {commands: ["${command}"]}\nworktree: {setup: ["${setup}"]}\n`;
  writeFileSync(join(project.root, ".git/info/exclude"), "ready\n");
  writeFileSync(config, own.replace(/worktree: .*\n---\n$/, `${settings("echo set up > ready")}---\n`));
  await project.work("save a; tick");
  writeFileSync(
    config,
    own.replace(/worktree: .*\n---\n$/, `${settings(name === "a setup that fails" ? "exit 3" : "true")}---\n`),
  );
  expect((await project.planner("approve", "--commands", "--yes")).code).toBe(0);

  expect(await verified(project, "--rerun")).toMatchObject({ code: 0, parts: { ...ALL_OK, rerun: "unknown" } });
});

test("verify --record --rerun finds a check that passes only with the run's own version of its file", async () => {
  using project = await ScriptedProject.make();
  const file = join(project.root, ".planner/specs", `${ID}.md`);
  await project.sh("mkdir t; echo 'grep -q done a.txt' > t/7.sh; git add t; git commit -q -m test");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("- [ ] It is done\n", "- [ ] It is done\n  verify: sh t/7.sh\n"),
  );
  await project.sh("git commit -q -a -m check");

  await project.work("echo nothing > a.txt; echo true > t/7.sh; git add -A; git commit -q -m 'planner: a'; tick");
  const honest = await verified(project, "--rerun");
  const true_ = await record(project, "1");
  const [criterion] = true_["criteria"] as object[];
  await falsify(project, "1", () => ({ ...true_, criteria: [{ ...criterion, verdict: "proven" }] }));
  const forged = await verified(project, "--rerun");

  expect(true_).toMatchObject({ status: "needs_attention", criteria: [{ verdict: "edited" }] });
  expect(honest.parts["rerun"]).toBe("ok");
  expect([forged.code, forged.parts["rerun"]]).toEqual([1, "differs"]);
  expect(forged.details).toContain('"sh t/7.sh" passes only with t/7.sh as the run has changed it');
});

test("verify --record finds what a record says and the repository does not hold", async () => {
  using project = await ScriptedProject.make();
  const config = join(project.root, ".planner/config.md");
  writeFileSync(config, readFileSync(config, "utf8").replace(/---\n$/, 'verify: {commands: ["test -e b.txt"]}\n---\n'));
  await project.work("save b; save a; tick");
  const true_ = await record(project, "1");
  const forged = async (change: object, ...flags: readonly string[]) => {
    await falsify(project, "1", () => ({ ...true_, ...change }));
    return verified(project, ...flags);
  };

  const [first] = true_["commits"] as object[];
  const wrong = { label: "It is done", checked: false, lost: false, check: null };
  expect((await forged({ head: true_["base"] })).parts["end"]).toBe("differs");
  expect((await forged({ commits: [first] })).parts["commits"]).toBe("differs");
  expect((await forged({ commits: [{ hash: "1".repeat(40), subject: "x" }] })).parts["commits"]).toBe("differs");
  expect((await forged({ files: ["a.txt", "c.txt"] })).details).toContain("not changed: c.txt; not named: b.txt");
  expect((await forged({ criteria: [wrong] })).parts).toMatchObject({ criteria: "differs", checks: "differs" });
  const claimed = [{ command: "test -e c.txt", status: 0, problem: null, output_hash: "" }];
  const failing = await forged({ verify: claimed }, "--rerun");
  expect([failing.code, failing.parts["rerun"]]).toEqual([1, "differs"]);
  const merged = { at: "2026-11-01T00:00:00Z", commits: [{ hash: true_["head"], patch_id: "2".repeat(40) }] };
  expect((await forged({ merged })).parts["merged"]).toBe("differs");
});

test("verify --record refuses words that go with something else, and a spec without a record", async () => {
  using project = await ScriptedProject.make();

  for (const [words, why] of [
    [["--rerun"], '"--rerun" needs "--record"'],
    [["--record", "--output"], '"--record" and "--output" exclude each other'],
    [["--record", "file"], '"--record" and <file> "file" exclude each other'],
  ] as const) {
    const { code, stderr } = await project.planner("verify", ID, ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
  const none = await project.planner("verify", ID, "--record");
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no run has left a record")]);
});
