import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ID, ScriptedProject } from "../support/misbehaving_agent.ts";

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
