import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { openWatchFile } from "#planner/store/processes/process_records.ts";
import { openWorkStore } from "#planner/store/processes/work_store.ts";
import { sleeper } from "../../../../support/sleeper.ts";
import { projectOfEachTest } from "../../../../support/test_project.ts";

const project = projectOfEachTest();

test("take gives the file to one of many and to the next one after its release", async () => {
  const watch = openWatchFile(project.root);

  const holds = (await Promise.all(Array.from({ length: 8 }, () => watch.acquire()))).filter((hold) => hold !== null);

  expect(holds).toHaveLength(1);
  expect(await watch.readHolder()).toMatchObject({ pid: process.pid, alive: true });
  const [first, ...rest] = project.read(".planner/watch.pid").split("\n");
  expect(first).toBe(String(process.pid));
  expect(JSON.parse(rest.join("\n"))).toMatchObject({ pid: process.pid, host: hostname() });
  await holds[0]?.release();
  expect(await watch.readHolder()).toBeNull();
  expect(await watch.acquire()).not.toBeNull();
});

test("take replaces the file of a dead holder, and of a living process that took over its number", async () => {
  await using other = sleeper();
  const watch = openWatchFile(project.root);
  project.write(".planner/watch.pid", JSON.stringify({ pid: other.pid, host: hostname(), began: "another:1" }));

  const hold = await watch.acquire();

  expect(hold).not.toBeNull();
  expect(await hold?.isHeld()).toBe(true);
});

test("take replaces a file whose number another user's process has", async () => {
  // Root may make a process of somebody else's; anybody else finds one of root's.
  const child = process.getuid?.() === 0 ? spawn("sleep", ["600"], { uid: 65_534, stdio: "ignore" }) : null;
  try {
    const pid = child?.pid ?? 1;
    const watch = openWatchFile(project.root);
    project.write(".planner/watch.pid", `${pid}\n`);

    expect(await watch.readHolder()).toMatchObject({ pid, alive: false });
    expect(await openWorkStore(project.root, { now: () => new Date() }).readWatchPid()).toBeNull();
    expect(await watch.acquire()).not.toBeNull();
  } finally {
    child?.kill("SIGKILL");
  }
});

test("take leaves the file of another machine alone", async () => {
  const watch = openWatchFile(project.root);
  project.write(".planner/watch.pid", JSON.stringify({ pid: 1, host: "elsewhere.example" }));

  expect(await watch.acquire()).toBeNull();
  expect(await watch.clearStale()).toBe(false);
});

test("release leaves a file that somebody else has put there", async () => {
  const watch = openWatchFile(project.root);
  const hold = await watch.acquire();
  project.write(".planner/watch.pid", "12345");

  await hold?.release();

  expect(await hold?.isHeld()).toBe(false);
  expect(project.read(".planner/watch.pid")).toBe("12345");
});
