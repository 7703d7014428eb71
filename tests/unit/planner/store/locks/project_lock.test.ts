import { expect, spyOn, test } from "bun:test";
import { rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { runWithProjectLock } from "#planner/store/locks/project_lock.ts";
import { LinesOfProcess } from "../../../../support/lines_of_process.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const HOLD = join(import.meta.dirname, "../../../../support/scripts/hold_lock.ts");

test("runWithProjectLock runs tasks of one process in turn, in the order of the calls", async () => {
  using project = tempProject();
  const steps: string[] = [];
  const task = (name: string) => async (): Promise<string> => {
    steps.push(`${name} begins`);
    await Bun.sleep(2);
    steps.push(`${name} ends`);
    return name;
  };

  const names = await Promise.all(["a", "b", "c"].map((name) => runWithProjectLock(project.root, task(name))));

  expect(names).toEqual(["a", "b", "c"]);
  expect(steps).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("runWithProjectLock goes on behind a task that fails", async () => {
  using project = tempProject();
  const failing = runWithProjectLock(project.root, () => Promise.reject(new Error("no")));

  await expect(failing).rejects.toThrow("no");
  expect(await runWithProjectLock(project.root, async () => "next")).toBe("next");
});

test("runWithProjectLock keeps two ways to one project apart", async () => {
  using project = tempProject();
  const alias = `${project.root}.alias`;
  symlinkSync(project.root, alias);
  let inside = 0;
  const task = async (): Promise<void> => {
    expect(++inside).toBe(1);
    await Bun.sleep(5);
    inside--;
  };

  await Promise.all([project.root, alias, project.root, alias].map((root) => runWithProjectLock(root, task)));

  rmSync(alias);
});

test("runWithProjectLock waits for another process and keeps this one free meanwhile", async () => {
  using project = tempProject();
  await using holder = new LinesOfProcess([process.execPath, HOLD, project.root], project.root);
  await holder.next();

  const waiting = runWithProjectLock(project.root, async () => "mine");
  let turns = 0;
  while (turns < 20) {
    await Bun.sleep(1);
    turns++;
  }
  expect(Bun.peek.status(waiting)).toBe("pending");
  holder.child.kill("SIGKILL");

  expect(await waiting).toBe("mine");
});

test("runWithProjectLock gives up when another process does not finish", async () => {
  using project = tempProject();
  await using holder = new LinesOfProcess([process.execPath, HOLD, project.root], project.root);
  await holder.next();

  await expect(runWithProjectLock(project.root, async () => "mine", 100)).rejects.toMatchObject({
    kind: "aborted",
    message: 'Cannot lock ".planner/locks/edit.db": another process held it for 0.1 seconds',
  });
});

test("runWithProjectLock waits its whole time again when the lock changes hands", async () => {
  using project = tempProject();
  await runWithProjectLock(project.root, async () => undefined);
  const file = join(project.root, ".planner/locks/edit.db");
  await using holder = new LinesOfProcess([process.execPath, HOLD, project.root], project.root);
  await holder.next();
  let now = 0;
  using clock = spyOn(performance, "now").mockImplementation(() => now);
  const tries = async (count: number): Promise<void> => {
    for (const until = clock.mock.calls.length + count; clock.mock.calls.length < until; ) await Bun.sleep(1);
  };

  const waiting = runWithProjectLock(project.root, async () => "mine", 100);
  await tries(3);
  now = 80;
  utimesSync(file, 1, 1);
  await tries(2);
  now = 150;
  await tries(2);
  expect(Bun.peek.status(waiting)).toBe("pending");
  now = 181;

  await expect(waiting).rejects.toMatchObject({ kind: "aborted" });
});

test("runWithProjectLock locks again when its file was deleted", async () => {
  using project = tempProject();
  await runWithProjectLock(project.root, async () => undefined);
  rmSync(join(project.root, ".planner/locks"), { recursive: true });

  expect(await runWithProjectLock(project.root, async () => "again")).toBe("again");
  expect(project.list(".planner/locks")).toEqual(["edit.db"]);
});
