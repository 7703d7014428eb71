import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ID, OTHER, ScriptedProject } from "../support/misbehaving_agent.ts";

/** A hook that wants a ticket at the beginning of every message. */
const HOOK = `printf '#!/bin/sh\\nhead -n 1 "$1" | grep -Eq "^SHOP-[0-9]+ [a-z]" || { echo "a message begins with a ticket" >&2; exit 1; }\\n' > .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg`;

function configure(project: ScriptedProject, lines: string): void {
  const file = join(project.root, ".planner/config.md");
  writeFileSync(file, readFileSync(file, "utf8").replace(/---\n$/, `${lines}---\n`));
}

function shellCommit(message: string): string {
  return `tick; echo a > a.txt; git add a.txt; git commit -q -m "${message}"`;
}

test("work is committed and merged under a hook that demands tickets, and the trailer names the spec", async () => {
  using project = await ScriptedProject.make();
  await project.sh(HOOK);
  const refused = await project.work("exit 1");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("a message begins with a ticket")]);
  expect(refused.stderr).toContain('set "git.commit_template" in .planner/config.md');
  configure(project, 'git: {commit_template: "SHOP-12 {summary}"}\nverify: {require_commit: true}\n');

  const unnamed = await project.work(`cat > "$out/prompt"; ${shellCommit("SHOP-12 sell shoes")}`);
  expect(unnamed.stdout).toBe(`${ID}: needs_attention: no commit names the spec\n`);
  // The commit that notes this end carries the trailer, and is no work.
  const again = await project.work("true");
  expect(again.stdout).toBe(`${ID}: needs_attention: no commit names the spec\n`);
  const named = await project.work(shellCommit(`SHOP-12 sell boots\n\nPlanner-Spec: ${ID}`).replace("> a", ">> a"));
  expect(named.stdout).toBe(`${ID}: completed\n`);
  const merged = await project.planner("merge", ID);

  expect(merged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Merged spec: /) });
  const log = await project.git("log", "--format=%s|%(trailers:key=Planner-Spec,valueonly,separator=%x2C)", "-4");
  expect(log.trimEnd().split("\n")).toEqual([
    `SHOP-12 note that the run of ${ID} ended as completed|${ID}`,
    `SHOP-12 sell boots|${ID}`,
    `SHOP-12 note that the run of ${ID} ended as needs_attention|${ID}`,
    "SHOP-12 sell shoes|",
  ]);
  const boots = (await project.git("log", "--format=%h", "--grep=sell boots")).trim();
  const { stdout } = await project.planner("diagnose", ID);
  expect(stdout).toContain(`Found: ${boots}`);
  const prompt = readFileSync(join(project.root, "..", "prompt"), "utf8");
  expect(prompt).toContain(`SHOP-12 <what the commit does>\n\nPlanner-Spec: ${ID}\n`);
});

function hook(lines: string): string {
  return `printf '%s\\n' '#!/bin/sh' '${lines}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`;
}

test("a hook that refuses planner's last commit leaves all work, its words and a way on that works", async () => {
  using project = await ScriptedProject.make();
  await project.sh(
    hook("git diff --cached --name-only | grep -q specs/ || exit 0; echo the spelling is bad >&2; exit 1"),
  );

  const worked = await project.work("save a; tick");

  const says =
    /the commit ".*ended as completed" was refused: the spelling is bad: make it pass in ".*", then run "planner merge /;
  expect(worked.stdout).toMatch(new RegExp(`^${ID}: needs_attention: ${says.source}`));
  expect(project.status()).toBe("needs_attention");
  expect(project.read(`${project.tree}/.planner/specs/${ID}.md`)).toMatch(/status: needs_attention\n(?:.*\n)*- \[x\]/);
  expect((await project.planner("log", ID)).stdout).toContain("the spelling is bad");
  const refused = await project.planner("merge", ID);
  expect(refused.stderr).toContain("was refused: the spelling is bad");
  await project.sh("rm .git/hooks/pre-commit");
  expect(await project.planner("merge", ID)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Merged spec: /),
  });
  expect([project.status(), project.has("a.txt"), project.has(project.tree)]).toEqual(["completed", true, false]);
});

test("a hook that puts files into the project's form gets planner's commits once more", async () => {
  using project = await ScriptedProject.make();
  // As formatters of pre-commit do: change the file and refuse.
  const file = `.planner/specs/${ID}.md`;
  await project.sh(hook(`tail -n 1 ${file} | grep -q end && exit 0; echo "<!-- end -->" >> ${file}; exit 1`));

  const worked = await project.work(
    `echo a > a.txt; git add a.txt; git commit -q --no-verify -m "planner($id): a"; tick`,
  );
  const merged = await project.planner("merge", ID);

  expect(worked.stdout).toBe(`${ID}: completed\n`);
  expect(merged).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Merged spec: /) });
  expect(project.read(file)).toEndWith("<!-- end -->\n");
});

test("a hook that refuses to leave other specs alone leaves a merge that can be repeated", async () => {
  using project = await ScriptedProject.make();
  const others = `cd .planner/specs; sed -i s/work/works/ ${OTHER}.md; rm -f nothing; sed s/pending/completed/ ${OTHER}.md > 2026-11-01-009-zzz.md; git add .; git commit -q -m "planner($id): others"`;
  const worked = await project.work(`save a; tick; ${others}`);
  expect(worked.stdout).toBe(`${ID}: completed\n`);
  await project.sh(hook(`git diff --cached --name-only | grep -q zzz || exit 0; echo not so >&2; exit 1`));

  const refused = await project.planner("merge", ID);

  expect(refused.stderr).toContain('the commit "planner: leave other specs as they are" was refused: not so');
  expect((await project.planner("merge", ID)).stderr).toContain("was refused: not so");
  await project.sh("rm .git/hooks/pre-commit");
  expect(await project.planner("merge", ID)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Merged spec: /),
  });
  expect(project.read(`.planner/specs/2026-11-01-009-zzz.md`)).toContain("status: pending");
});
