import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { openWorkStore, type WorkStore } from "#planner/store/processes/work_store.ts";
import { type Sleeper, sleeper } from "../../../../support/sleeper.ts";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";

const ID = "2026-11-01-001-aaa" as SpecId;
/** Beyond the largest pid that Linux gives. */
const NO_PID = 4_194_305;
const NOW = new Date();
const LONG_AGO = "2026-01-01T00:00:00.000Z";
const canTellReuse = process.platform === "linux";

let project: TempProject;
let work: WorkStore;
let worker: Sleeper;

beforeEach(() => {
  project = tempProject();
  work = openWorkStore(project.root, { now: () => NOW });
  worker = sleeper();
});

afterEach(async () => {
  await worker[Symbol.asyncDispose]();
  project.remove();
});

const record = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  process_id: `${ID}-1`,
  spec_id: ID,
  pid: NO_PID,
  status: "running",
  started_at: NOW.toISOString(),
  completed_at: null,
  mode: "single",
  ...fields,
});

function write(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written = record(fields);
  project.write(`.planner/processes/${written["process_id"]}.json`, JSON.stringify(written));
  return written;
}

describe("processes", () => {
  test("are none where there is no folder", async () => {
    expect(await work.readProcesses()).toEqual([]);
    expect(await work.listBrokenRecords()).toEqual([]);
  });

  test("come oldest first, with the contract's fields only", async () => {
    const later = {
      process_id: "a-2",
      status: "completed",
      started_at: "2026-11-02T00:00:00Z",
      completed_at: LONG_AGO,
    };
    write({ ...later, host: "h", note: 1 });
    write({ process_id: "b-1", status: "failed", started_at: "2026-11-01T00:00:00Z", completed_at: LONG_AGO });

    expect((await work.readProcesses()).map(({ process_id }) => process_id)).toEqual(["b-1", "a-2"]);
    expect((await work.readProcesses())[1]).toEqual(record(later) as never);
  });

  test("have failed when their process is gone, and stay so", async () => {
    write({ note: "kept" });

    const failed = { status: "failed", completed_at: NOW.toISOString() };
    expect(await work.readProcesses()).toEqual([record(failed) as never]);
    expect(JSON.parse(project.read(`.planner/processes/${ID}-1.json`))).toEqual(record({ ...failed, note: "kept" }));
    const later = openWorkStore(project.root, { now: () => new Date(NOW.getTime() + 60_000) });
    expect(await later.readProcesses()).toEqual([record(failed) as never]);
    expect(project.list(".planner/processes")).toEqual([`${ID}-1.json`]);
  });

  test.skipIf(!canTellReuse)("have failed when another process has their number", async () => {
    write({ pid: worker.pid, started_at: LONG_AGO });

    expect(await work.readProcesses()).toMatchObject([{ status: "failed" }]);
  });

  test.skipIf(!canTellReuse)("have failed when their process ended and nobody took note", async () => {
    // The shell becomes a program that never asks how its child ended; only then the child may end.
    const script = 'exec 3<&0; sh -c "read line <&3" & echo $!; exec sleep 600';
    const parent = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
    while ((await Bun.file(`/proc/${parent.pid}/comm`).text()) !== "sleep\n") await Bun.sleep(1);
    parent.stdin.write("\n");
    while (!(await Bun.file(`/proc/${pid}/stat`).text()).includes(") Z ")) await Bun.sleep(1);
    write({ pid });

    expect(await work.readProcesses()).toMatchObject([{ status: "failed" }]);
    parent.kill("SIGKILL");
  });

  test("run on another machine as far as this one knows", async () => {
    write({ host: `not-${hostname()}` });

    expect(await work.readProcesses()).toMatchObject([{ status: "running" }]);
  });

  test("ended when their file was last written, where it does not say when", async () => {
    write({ status: "completed", completed_at: null });
    project.touch(`.planner/processes/${ID}-1.json`, new Date(LONG_AGO));

    expect(await work.readProcesses()).toMatchObject([{ status: "completed", completed_at: LONG_AGO }]);
  });

  test("tell of files that are no records, and hide none", async () => {
    write({ pid: worker.pid });
    project.write(".planner/processes/cut.json", '{"process_id": "x"');
    project.write(".planner/processes/list.json", "[]");
    project.write(".planner/processes/pid.json", JSON.stringify(record({ pid: "7" })));
    project.write(".planner/processes/status.json", JSON.stringify(record({ status: "asleep" })));
    project.write(".planner/processes/readme.txt", "not ours");
    mkdirSync(join(project.root, ".planner/processes/folder.json"));

    expect((await work.readProcesses()).map(({ process_id }) => process_id)).toEqual([`${ID}-1`]);
    const place = { line: null, column: null };
    expect(await work.listBrokenRecords()).toEqual([
      { file: ".planner/processes/cut.json", ...place, message: expect.stringMatching(/^Invalid JSON: /) },
      { file: ".planner/processes/folder.json", ...place, message: "It is a folder: expected a file" },
      { file: ".planner/processes/list.json", ...place, message: "Expected a JSON object" },
      { file: ".planner/processes/pid.json", ...place, message: 'Invalid "pid": expected an integer' },
      {
        file: ".planner/processes/status.json",
        ...place,
        message: 'Invalid "status": expected one of running, completed, failed',
      },
    ]);
  });
});

describe("lockHolder", () => {
  const FILE = `.planner/locks/${ID}.lock`;
  const holder = (fields: object): string =>
    JSON.stringify({ pid: worker.pid, host: hostname(), started_at: NOW.toISOString(), ...fields });

  test("may be named by a pid alone", async () => {
    project.write(FILE, `${worker.pid}\n`);
    expect(await work.readLockHolder(ID)).toEqual({ pid: worker.pid, alive: true, file: FILE });

    project.write(FILE, `${NO_PID}`);
    expect(await work.readLockHolder(ID)).toEqual({ pid: NO_PID, alive: false, file: FILE });
  });

  test.skipIf(!canTellReuse)("is gone when its number belongs to a process that began later", async () => {
    project.write(FILE, holder({ started_at: LONG_AGO }));
    expect(await work.readLockHolder(ID)).toMatchObject({ alive: false });

    project.write(FILE, String(worker.pid));
    project.touch(FILE, new Date(LONG_AGO));
    expect(await work.readLockHolder(ID)).toMatchObject({ alive: false });
  });
});

describe("worktrees", () => {
  const path = (id: string): string => join(project.root, project.tree(id));

  test("are none where there is no folder", async () => {
    expect(await work.worktrees()).toEqual([]);
  });

  test("tell what their worker wrote beside them", async () => {
    mkdirSync(path("b"), { recursive: true });
    mkdirSync(path("a"));
    project.write(
      ".planner/worktrees/a.status.json",
      JSON.stringify({ spec_id: "a", status: "failed", updated_at: LONG_AGO, error: "no", commits: ["c1", 2] }),
    );
    project.write(".planner/worktrees/gone.status.json", "{}");

    expect(await work.worktrees()).toEqual([
      { spec_id: "a", path: path("a"), status: "failed", updated_at: LONG_AGO, error: "no", commits: ["c1"] },
      { spec_id: "b", path: path("b"), status: "unknown", updated_at: null, error: null, commits: [] },
    ]);
  });

  test("say that what was written beside them cannot be read", async () => {
    mkdirSync(path("a"), { recursive: true });
    project.write(".planner/worktrees/a.status.json", "{");

    expect(await work.worktrees()).toMatchObject([
      {
        status: "unknown",
        error: expect.stringMatching(/^Cannot read "\.planner\/worktrees\/a\.status\.json": Invalid/),
      },
    ]);
  });
});

describe("watchPid", () => {
  test("is the process that the file names while it lives", async () => {
    expect(await work.readWatchPid()).toBeNull();

    await using watch = sleeper("/usr/bin/planner", "watch");
    project.write(".planner/watch.pid", `${watch.pid}\n`);
    expect(await work.readWatchPid()).toBe(watch.pid);

    project.write(".planner/watch.pid", JSON.stringify({ pid: worker.pid, started_at: NOW.toISOString() }));
    expect(await work.readWatchPid()).toBe(worker.pid);

    await worker[Symbol.asyncDispose]();
    expect(await work.readWatchPid()).toBeNull();
    expect(statSync(join(project.root, ".planner/watch.pid")).isFile()).toBe(true);
  });

  test("is null when a bare number is that of a process that is no watch", async () => {
    await using editor = sleeper("vim", "watch");
    await using list = sleeper("planner", "list");
    for (const { pid } of [worker, editor, list]) {
      project.write(".planner/watch.pid", `${pid}\n`);
      expect(await work.readWatchPid()).toBeNull();
    }
  });
});
