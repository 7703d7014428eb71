import { afterEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { NO_PSEUDO_TERMINAL } from "../support/pseudo_terminal.ts";
import { sleeper } from "../support/sleeper.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const ID = "2026-11-01-001-abc";
const DONE = ["tick", "commit"] as const;

let project: WorkProject;

afterEach(() => project.remove());

function endOf(): readonly unknown[] {
  return [project.field(ID, "status"), project.records().map(({ status }) => status)];
}

test.skipIf(NO_PSEUDO_TERMINAL !== null)(
  "work on a terminal that is closed ends its agent and puts the spec back",
  async () => {
    project = await workProject({ plan: { [ID]: ["child", "say:x", "hang"] } });
    await project.add(ID);
    const words = [...PLANNER, "work", ID].join(" ");
    const terminal = spawn("script", ["--quiet", "--command", `exec ${words}`, "/dev/null"], {
      cwd: project.root,
      env: { ...process.env, TERM: "xterm", SHELL: "/bin/sh" },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await project.noted("steps", "say");
    const [planner = 0] = project.records().map(({ process_id }) => Number(process_id.split("-").at(-1)));

    // The terminal is gone, and with it whoever would read what planner prints.
    terminal.kill("SIGKILL");
    while (isRunning(planner)) await sleep(10);

    expect(project.pids().filter(isRunning)).toEqual([]);
    expect(endOf()).toEqual(["pending", ["failed"]]);
    expect(project.list(".planner/locks").filter((name) => name.endsWith(".lock"))).toEqual([]);
    expect((await project.planner(["doctor"])).code).toBe(0);
  },
);

test("SIGHUP ends work as SIGTERM does", async () => {
  project = await workProject({ plan: { [ID]: ["commit", "say:x", "hang"] } });
  await project.add(ID);
  await using running = new LinesOfProcess([...PLANNER, "work", ID], project.root);
  await project.noted("steps", "say");

  running.child.kill("SIGHUP");

  expect((await running.ended).code).toBe(143);
  expect(project.pids().filter(isRunning)).toEqual([]);
  expect(endOf()).toEqual(["failed", ["failed"]]);
});

test.skipIf(process.platform !== "linux")("work that was started with nohup goes on after SIGHUP", async () => {
  project = await workProject({ plan: { [ID]: ["say:x", "wait:go", ...DONE] } });
  await project.add(ID);
  await using running = new LinesOfProcess(["nohup", ...PLANNER, "work", ID], project.root);
  await project.noted("steps", "say");

  running.child.kill("SIGHUP");
  project.release("go");

  expect((await running.ended).code).toBe(0);
  expect(endOf()).toEqual(["completed", ["completed"]]);
});

test.skipIf(!existsSync("/dev/full"))(
  "work whose output goes to a full disk comes to its true end all the same",
  async () => {
    for (const json of ["", "--json"]) {
      project = await workProject({ plan: { [ID]: ["say:x", ...DONE] } });
      await project.add(ID);
      const command = ["sh", "-c", `exec "$@" ${json} >/dev/full`, "-", ...PLANNER, "work", ID];
      await using running = new LinesOfProcess(command, project.root);

      const { code, stderr } = await running.ended;

      expect({ json, code, end: endOf() }).toEqual({ json, code: 1, end: ["completed", ["completed"]] });
      expect(stderr).toContain("error: Cannot write to standard output");
      project.remove();
    }
    project = await workProject({ plan: {} });
  },
);

test("a run whose spec another process has taken touches nothing of that one's", async () => {
  project = await workProject({ plan: { [ID]: ["say:x", "wait:go", ...DONE] } });
  await project.add(ID);
  await using other = sleeper();
  await using running = new LinesOfProcess([...PLANNER, "work", ID], project.root);
  await project.noted("steps", "say");
  // From then on planner writes its claim no more until it beats.
  while (JSON.parse(project.read(`.planner/locks/${ID}.lock`)).agent === null) await sleep(10);
  const lock = JSON.stringify({ pid: other.pid, process_id: `${ID}-${other.pid}`, token: "theirs" });
  project.write(`.planner/locks/${ID}.lock`, lock);
  const spec = project.read(`.planner/specs/${ID}.md`);
  const status = project.read(`.planner/worktrees/${ID}.status.json`);

  project.release("go");
  const { code, lines } = await running.ended;

  expect({ code, lines }).toEqual({ code: 1, lines: [`${ID}: paused: another process has taken the spec over`] });
  expect(project.read(`.planner/specs/${ID}.md`)).toBe(spec);
  expect(project.read(`.planner/worktrees/${ID}.status.json`)).toBe(status);
  expect(project.read(`.planner/locks/${ID}.lock`)).toBe(lock);
  expect(endOf()).toEqual(["in_progress", ["failed"]]);
});

/** Git that notes and hangs when its arguments contain `HANG`, and is git otherwise. */
const HANGING_GIT = `#!/bin/sh
case " $* " in *"$HANG"*) echo x >> "$MARK"; sleep 1000;; esac
exec "${Bun.which("git")}" "$@"
`;

// Each row: what hangs, and the command that SIGTERM ends while it does.
test.skipIf(process.platform === "win32").each([
  [" ", ["work", ID]],
  [" worktree add ", ["work", ID]],
  [" commit ", ["work", ID]],
  [" status ", ["work", ID]],
  [" for-each-ref ", ["work", ID]],
  [" ", ["work", ID, "--no-worktree"]],
  [" ", ["merge", ID]],
  [" ", ["review", ID, "--accept"]],
  [" ", ["verify", "--since", "HEAD"]],
  [" ", ["watch"]],
  [" ", ["doctor", "--fix"]],
  [" ", ["diagnose", ID]],
  [" ", ["lint", "--staged"]],
  [" ", ["pr", ID]],
])("SIGTERM ends a command while git hangs, and what hung with it: %p %p", async (hang, words) => {
  project = await workProject({ plan: { [ID]: [...DONE] } });
  await project.add(ID);
  project.write("bin/git", HANGING_GIT);
  await project.planner(["doctor"]);
  chmodSync(join(project.root, "bin/git"), 0o755);
  const mark = join(project.root, "mark");
  const env = [`PATH=${project.root}/bin:${process.env["PATH"]}`, `HANG=${hang}`, `MARK=${mark}`];
  await using running = new LinesOfProcess(["/usr/bin/env", ...env, ...PLANNER, ...words], project.root);
  while (!existsSync(mark) && running.child.exitCode === null) await sleep(10);
  expect(existsSync(mark)).toBe(true);

  running.child.kill("SIGTERM");

  // Without a limit the command would end with the hanging git, after the test's own time.
  const { code, signal } = await running.ended;
  expect(code ?? signal).not.toBe(0);
});
