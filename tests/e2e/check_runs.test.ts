import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";
import { McpLines } from "../support/mcp_lines.ts";
import { PLANNER } from "../support/planner_command.ts";
import { trustProject } from "../support/trusted_project.ts";
import { isRunning, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-aaa";

/** A trusted project whose spec has these checks, all boxes ticked unless `open`; its marks are in git's folder. */
async function project(checks: readonly string[], { settings = "", open = false } = {}): Promise<GitProject> {
  const made = await gitProject();
  const box = open ? " " : "x";
  const criteria = checks.map((check, index) => `- [${box}] Part ${index + 1} is done\n  verify: ${check}\n`).join("");
  made.write(".planner/config.md", `---\n${settings}\n---\n`);
  made.spec(ID, `---\nid: ${ID}\nstatus: in_progress\n---\n\n# T\n\n## Acceptance Criteria\n\n${criteria}`);
  await made.mustGit("add", "--all");
  await made.mustGit("commit", "--quiet", "-m", "begin");
  trustProject(made.root);
  return made;
}

const specIn = (made: GitProject): string => made.read(`.planner/specs/${ID}.md`);

test("checks run side by side as the settings say, and one command of several criteria runs once", async () => {
  const all = "until [ -e .git/1 ] && [ -e .git/2 ] && [ -e .git/3 ]; do sleep 0.05; done";
  const meeting = [1, 2, 3].map((number) => `touch .git/${number}; ${all}`);
  const count = "echo once >> .git/count";
  const settings = (parallel: number, seconds: number): string =>
    `verify: {parallel: ${parallel}, timeout_seconds: ${seconds}}`;
  using wide = await project([...meeting, count, count], { settings: settings(3, 60) });
  using narrow = await project(meeting, { settings: settings(1, 1) });

  const together = await wide.planner(["finalize", ID]);
  const alone = await narrow.planner(["finalize", ID]);

  expect([together.code, together.stderr, wide.read(".git/count")]).toEqual([0, expect.any(String), "once\n"]);
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("took over 1 second")]);
});

test("Ctrl-C ends the checks with all that they started, and changes nothing", async () => {
  const wait = "sleep 600 & echo $$ $! > .git/pids; wait";
  for (const words of [
    ["finalize", ID],
    ["check", ID, "1"],
    ["update", ID, "--status", "completed"],
  ]) {
    using made = await project([wait], { open: words[0] === "check" });
    const before = specIn(made);
    const [program = "", ...args] = PLANNER;
    const child = spawn(program, [...args, ...words], { cwd: made.root, stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    while (!existsSync(join(made.root, ".git/pids"))) await Bun.sleep(20);
    child.kill("SIGINT");
    const code = await ended;
    const pids = readFileSync(join(made.root, ".git/pids"), "utf8").trim().split(" ").map(Number);

    expect([words[0], code, pids.filter(isRunning)]).toEqual([words[0], 130, []]);
    expect(specIn(made)).toBe(before);
    expect(await made.mustGit("for-each-ref", "refs/planner")).toBe("");
  }
});

test("a tool that checks the last criterion and completes runs its check once, beside other calls", async () => {
  const check = "echo once >> .git/count; until [ -e .git/go ]; do sleep 0.05; done";
  using made = await project([check], { open: true });
  const mcp = new McpLines(made.root);
  try {
    const ask = (id: number, name: string, args: object): void =>
      mcp.send(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })}\n`);
    ask(1, "planner_spec_update", { id: ID, check: "1", status: "completed" });
    ask(2, "planner_status", {});
    // Answered while the check waits for it.
    expect(await mcp.next()).toMatchObject({ id: 2 });
    made.write(".git/go", "");
    expect(await mcp.next()).toMatchObject({ id: 1, result: { content: [{ text: `Updated spec: ${ID}` }] } });
  } finally {
    mcp.child.kill();
  }
  expect(made.read(".git/count")).toBe("once\n");
  expect(specIn(made)).toMatch(/^status: completed$[\s\S]*- \[x\] Part 1/m);
});

test("a setup that fails names a log only if one has its output", async () => {
  const settings = 'worktree: {setup: ["echo broken; exit 3"]}';
  using made = await project(["true"], { settings });

  const attested = await made.planner(["verify", ID, "--attest"]);

  expect([attested.code, attested.stderr]).toEqual([
    1,
    expect.stringContaining('worktree.setup: "echo broken; exit 3" ended with status 3\n'),
  ]);
  expect(attested.stderr).toContain("broken\n");
  expect(existsSync(join(made.root, ".planner/logs"))).toBe(false);
});

test("100 MB of a check's output in short lines cost at most three seconds of processor time", async () => {
  using made = await project(["yes x | head -c 100000000; echo the last line; false"]);

  const { exitCode, stdout, stderr, resourceUsage } = Bun.spawnSync([...PLANNER, "finalize", ID], {
    cwd: made.root,
    env: process.env,
  });

  expect(exitCode).toBe(1);
  expect(`${stdout}${stderr}`).toContain("the last line");
  expect(Number(resourceUsage?.cpuTime.total) / 1e6).toBeLessThan(3);
});

test("a worktree's status lists all commits of its branch, also those of an earlier run, with dates of their own", async () => {
  using made = await workProject({ plan: { [ID]: ["append:a.txt", "commit_all"] } });
  await made.add(ID);
  const env = { GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z" };
  const work = () => made.planner(["work", ID], { env });
  const listed = () => JSON.parse(made.read(`.planner/worktrees/${ID}.status.json`)).commits;
  const added = async (format: string) =>
    (await made.mustGit("log", `--format=${format}`, `main..planner/${ID}`)).trim().split("\n");

  await work();
  const first = listed();
  await work();

  expect(first.length).toBeGreaterThan(0);
  expect(listed().length).toBeGreaterThan(first.length);
  expect(listed().toSorted()).toEqual((await added("%H")).toSorted());
  // The agent's commits do not have the dates of a hook that calls planner.
  expect((await added("%as %s")).filter((line) => line.startsWith("2001") && line.includes("work"))).toEqual([]);
});
