import { afterEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { sleeper } from "../support/sleeper.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-abc";
const LONG_AGO = "2020-01-01T00:00:00.000Z";

let project: WorkProject;

afterEach(() => project.remove());

interface Finding {
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
  readonly advice: string | null;
  readonly fixed: string | null;
}

async function doctor(...flags: readonly string[]) {
  const { code, stdout, stderr } = await project.planner(["doctor", "--json", ...flags]);
  if (stderr !== "") throw new Error(stderr);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return { code, findings, kinds: findings.map(({ kind }) => kind).sort() };
}

/** A number that no process has. */
async function deadPid(): Promise<number> {
  await using gone = sleeper();
  return gone.pid;
}

/** Kills planner while its agent hangs. */
async function killedRun(): Promise<void> {
  const [program = "", ...args] = PLANNER;
  const child = spawn(program, [...args, "work", ID], { cwd: project.root, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await project.noted("steps", "child");
  child.kill("SIGKILL");
  await ended;
}

test("doctor finds nothing in a project where nothing is amiss", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);

  const { code, stdout } = await project.planner(["doctor"]);

  const trusted = 'Every command of this project runs without a question ("planner trust --off" ends that)';
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Nothing found\n${trusted}\n` });
});

test("doctor finds and mends what dead processes left, and the second time finds nothing", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  const pid = await deadPid();
  const name = `.planner-${pid.toString(36)}-0123456789ab.tmp`;
  const record = { process_id: `${ID}-${pid}`, spec_id: ID, pid, status: "running", started_at: LONG_AGO };
  project.write(`.planner/locks/${ID}.lock`, JSON.stringify({ pid, process_id: `${ID}-${pid}`, heartbeat: LONG_AGO }));
  project.write(
    `.planner/processes/${ID}-${pid}.json`,
    JSON.stringify({ ...record, completed_at: null, mode: "single" }),
  );
  project.write(".planner/watch.pid", String(pid));
  project.write(`.planner/specs/${name}`, "half a spec");
  await project.planner(["update", ID, "--status", "in_progress"]);
  project.write(`.planner/specs/${name}`, "half a spec");

  const found = await doctor();
  const first = await doctor("--fix");
  const second = await doctor("--fix");

  const kinds = ["dead_record", "leftover_file", "stale_claim", "stale_watch", "stranded_spec"];
  expect({ code: found.code, kinds: found.kinds }).toEqual({ code: 1, kinds });
  expect(first.code).toBe(0);
  expect(first.findings.every(({ fixed }) => fixed !== null)).toBe(true);
  expect(second).toEqual({ code: 0, findings: [], kinds: [] });
  expect(project.field(ID, "status")).toBe("failed");
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
  expect(project.list(".planner/locks")).not.toContain(`${ID}.lock`);
  expect(existsSync(join(project.root, ".planner/watch.pid"))).toBe(false);
  expect(JSON.parse(project.read(`.planner/processes/${ID}-${pid}.json`))).toMatchObject({ status: "failed" });
});

test("doctor leaves alone what a living process holds", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  await using worker = sleeper("planner", "watch");
  project.write(`.planner/locks/${ID}.lock`, String(worker.pid));
  project.write(".planner/watch.pid", String(worker.pid));
  await project.planner(["update", ID, "--status", "in_progress"]);

  const { code, findings } = await doctor("--fix");

  expect({ code, findings }).toEqual({ code: 0, findings: [] });
  expect(project.field(ID, "status")).toBe("in_progress");
});

test("doctor tells of a spec that is in_progress by hand and of files that cannot be read, and changes neither", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  await project.planner(["update", ID, "--status", "in_progress"]);
  const broken = "2026-11-01-002-bad";
  project.spec(broken, "---\nstatus: [\n---\n");

  const { code, findings } = await doctor("--fix");

  expect(code).toBe(1);
  expect(findings).toMatchObject([
    { kind: "stranded_spec", fixed: null, advice: `continue with "planner work ${ID}", or "planner reset ${ID}"` },
    { kind: "unreadable_file", subject: `.planner/specs/${broken}.md`, fixed: null },
  ]);
  expect(project.field(ID, "status")).toBe("in_progress");
});

test("doctor tells of a configuration that cannot be read, and goes on to the rest", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  await project.planner(["update", ID, "--status", "in_progress"]);
  project.write(".planner/config.md", "---\nlint:\n  disable: [everything]\n---\n");

  const { code, findings } = await doctor("--fix");

  expect(code).toBe(1);
  expect(findings).toMatchObject([
    { kind: "stranded_spec" },
    {
      kind: "broken_config",
      subject: ".planner/config.md",
      message: expect.stringContaining(':3:13: Invalid setting "lint.disable[0]": expected one of parse, '),
      advice: "fix its text; `planner config --validate` lists the faults",
      fixed: null,
    },
  ]);
});

test("doctor --fix ends what a killed planner left running and keeps what the agent did", async () => {
  project = await workProject({ plan: { [ID]: ["commit", "child", "hang"] } });
  await project.add(ID);
  await killedRun();
  const left = project.pids();
  const running = left.filter(isRunning);

  const { code, findings } = await doctor("--fix");

  expect(running).toHaveLength(2);
  expect(left.filter(isRunning)).toEqual([]);
  expect(code).toBe(1);
  expect(findings.filter(({ fixed }) => fixed === null)).toMatchObject([
    { kind: "orphaned_worktree", message: "no process works in it, and it holds 1 commit not merged" },
  ]);
  expect(project.field(ID, "status")).toBe("failed");
  expect(await project.mustGit("log", "--format=%s", `planner/${ID}`)).toStartWith(`planner(${ID}): do the work\n`);
  const { kinds } = await doctor("--fix");
  expect(kinds).toEqual(["orphaned_worktree"]);
});

test("doctor --fix keeps a worktree with uncommitted changes and removes one that holds nothing", async () => {
  const empty = "2026-11-01-002-emp";
  project = await workProject({ plan: {} });
  await project.add(ID);
  await project.add(empty);
  for (const id of [ID, empty]) {
    await project.mustGit("worktree", "add", "--quiet", "-b", `planner/${id}`, project.tree(id));
  }
  project.write(`${project.tree(ID)}/work.txt`, "not committed\n");

  const { code, findings } = await doctor("--fix");

  expect(code).toBe(1);
  expect(findings).toMatchObject([
    { subject: join(project.root, project.tree(ID)), fixed: null },
    { subject: join(project.root, project.tree(empty)), fixed: "removed it with its branch" },
  ]);
  expect(findings[0]?.message).toContain("uncommitted changes (work.txt)");
  expect(project.read(`${project.tree(ID)}/work.txt`)).toBe("not committed\n");
  expect(existsSync(join(project.root, project.tree(empty)))).toBe(false);
  expect(await project.mustGit("branch", "--list", "planner/*", "--format=%(refname:short)")).toBe(`planner/${ID}\n`);
});

test("doctor's advice drops the worktree of a deleted spec", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  await project.mustGit("worktree", "add", "--quiet", "-b", `planner/${ID}`, project.tree(ID));
  const folder = join(project.root, project.tree(ID));
  project.write(`${project.tree(ID)}/work.txt`, "done\n");
  await project.git(["add", "work.txt"], { cwd: folder });
  await project.git(["commit", "--quiet", "-m", "work"], { cwd: folder });
  rmSync(join(project.root, `.planner/specs/${ID}.md`));

  const { findings } = await doctor("--fix");
  const words = [...(findings[0]?.advice ?? "").matchAll(/"git ([^"]+)"/g)].map((match) => match[1]?.split(" ") ?? []);
  for (const command of words) await project.mustGit(...command);
  await doctor("--fix");

  expect(findings).toMatchObject([{ kind: "orphaned_worktree", fixed: null }]);
  expect(findings[0]?.advice).toContain(`.md" brings it back, then run "planner merge ${ID}", or drop all of it`);
  expect(words).toHaveLength(2);
  expect(await doctor()).toEqual({ code: 0, findings: [], kinds: [] });
  expect(await project.mustGit("branch", "--list", "planner/*")).toBe("");
});

test("doctor names a lock that a killed git has left, and removes none that is in use", async () => {
  project = await workProject({ plan: {} });
  await project.add(ID);
  const lock = join(project.root, ".git/index.lock");
  writeFileSync(lock, "");

  const young = await doctor("--fix");
  const kept = existsSync(lock);
  const past = new Date(Date.now() - 3 * 60_000);
  utimesSync(lock, past, past);
  await using holder = new LinesOfProcess(["sh", "-c", "exec 3<.git/index.lock; echo '{}'; read line"], project.root);
  await holder.next();
  const held = await doctor("--fix");
  const keptAgain = existsSync(lock);
  await holder.end();
  const left = await doctor();
  const fixed = await doctor("--fix");

  expect({ findings: young.findings, kept }).toEqual({ findings: [], kept: true });
  expect(held.findings).toMatchObject([{ kind: "git_lock", fixed: null, advice: "wait for that process, or end it" }]);
  expect(held.findings[0]?.message).toBe(`git's index has been locked for 3 min, by process ${holder.child.pid}`);
  expect(keptAgain).toBe(true);
  expect(left.findings).toMatchObject([{ subject: lock, message: expect.stringContaining("no process holds it") }]);
  expect(fixed.findings).toMatchObject([{ fixed: "removed it" }]);
  expect(existsSync(lock)).toBe(false);
});

test("doctor --fix removes the lock that a killed git has left in a worktree at once", async () => {
  project = await workProject({ plan: { [ID]: ["commit", "child", "hang"] } });
  await project.add(ID);
  await killedRun();
  const lock = join(project.root, `.git/worktrees/${ID}/index.lock`);
  writeFileSync(lock, "");

  const { findings } = await doctor("--fix");

  expect(findings.filter(({ kind }) => kind === "git_lock")).toMatchObject([{ subject: lock, fixed: "removed it" }]);
  expect(existsSync(lock)).toBe(false);
});

test("doctor warns of a remote that mirrors all refs, whose pruning deletes the records of runs", async () => {
  project = await workProject({ plan: {} });
  await project.mustGit("remote", "add", "--mirror=fetch", "copy", "https://example.org/x.git");
  await project.mustGit("remote", "add", "origin", "https://example.org/y.git");

  const { code, stdout } = await project.planner(["doctor", "--json"]);

  const { findings } = JSON.parse(stdout) as { findings: { kind: string; subject: string }[] };
  expect([code, findings.map(({ kind, subject }) => [kind, subject])]).toEqual([1, [["mirror_remote", "remote copy"]]]);
});

test("doctor's advice for the work of a cancelled spec works to its end, either way", async () => {
  for (const way of ["continue", "reject"] as const) {
    project = await workProject({ plan: { "*": ["tick", "commit"] } });
    await project.add(ID);
    await project.planner(["work", ID]);
    const file = `.planner/specs/${ID}.md`;
    project.write(file, project.read(file).replace(/^status: \w+$/m, "status: cancelled"));

    const { advice } = (await doctor()).findings.find(({ kind }) => kind === "orphaned_worktree") ?? {};
    const commands = [...(advice ?? "").matchAll(/"planner (.*?)"/g)].map(([, command]) => command ?? "");
    expect(advice).toContain("its spec is cancelled");
    for (const command of commands.filter((each) => each.includes("--reject") === (way === "reject"))) {
      expect([command, (await project.planner(command.split(" "))).code]).toEqual([command, 0]);
    }

    const merged = way === "continue" ? await project.planner(["merge", ID]) : null;
    await doctor("--fix");

    expect([merged?.code ?? 0, (await doctor()).kinds]).toEqual([0, []]);
    if (way === "continue") project.remove();
  }
});
