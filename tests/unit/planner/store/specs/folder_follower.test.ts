import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOnLocalDisk } from "#planner/store/files/local_disk.ts";
import { EventFence } from "#planner/store/specs/event_fence.ts";
import { FolderFollower } from "#planner/store/specs/folder_follower.ts";
import { LinesOfProcess } from "../../../../support/lines_of_process.ts";
import { tempProject } from "../../../../support/temp_project.ts";

const ONCE = join(import.meta.dirname, "../../../../support/scripts/follow_once.ts");

async function taken(follower: FolderFollower): Promise<readonly string[] | null> {
  await follower.settle();
  return follower.take();
}

async function withTemporaryFolder(path: string, run: () => Promise<void>): Promise<void> {
  const given = process.env["TMPDIR"];
  process.env["TMPDIR"] = path;
  try {
    await run();
  } finally {
    if (given === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = given;
  }
}

test("EventFence.pass answers each of many calls, waiting together or in turn", async () => {
  const fence = new EventFence();

  for (let round = 0; round < 200; round++) expect(await fence.pass()).toBe(true);
  expect(await Promise.all(Array.from({ length: 50 }, () => fence.pass()))).toEqual(Array(50).fill(true));

  fence.close();
});

test("EventFence.pass answers false once it is closed, also to who waits", async () => {
  const fence = new EventFence();
  const waiting = [fence.pass(), fence.pass()];
  fence.close();
  fence.close();

  expect(await Promise.all(waiting)).toEqual([false, false]);
  expect(await fence.pass()).toBe(false);
});

test("EventFence leaves nothing in the folder of temporary files", async () => {
  using project = tempProject();
  await withTemporaryFolder(project.root, async () => {
    const fence = new EventFence();
    expect(await fence.pass()).toBe(true);

    expect(project.list(".")).toEqual([".planner"]);
    fence.close();
  });
});

test("FolderFollower knows nothing at first, then what changed", async () => {
  using project = tempProject();
  const follower = new FolderFollower(join(project.root, ".planner/specs"));

  expect(await taken(follower)).toBeNull();
  expect(await taken(follower)).toEqual([]);
  project.spec("a", "1");
  project.write(".planner/specs/.hidden.md", "");
  project.write(".planner/specs/note.txt", "");
  expect(await taken(follower)).toEqual(["a.md"]);

  // A file is named again for a few milliseconds, because an event like the last one may have been swallowed.
  await Bun.sleep(20);
  expect(await taken(follower)).toEqual(["a.md"]);
  expect(await taken(follower)).toEqual([]);
});

test("FolderFollower takes a change of the folder's own permissions for none", async () => {
  using project = tempProject();
  const follower = new FolderFollower(join(project.root, ".planner/specs"));
  await taken(follower);

  chmodSync(join(project.root, ".planner/specs"), 0o700);

  expect(await taken(follower)).toEqual([]);
});

test("FolderFollower knows nothing where no events can be had", async () => {
  using project = tempProject();
  const follower = new FolderFollower(join(project.root, ".planner/specs"));
  await withTemporaryFolder(join(project.root, "gone"), async () => {
    for (let tries = 0; tries < 5; tries++) expect(await taken(follower)).toBeNull();
  });

  // It does not try for ever: each try costs more than it could save.
  expect(await taken(follower)).toBeNull();
  expect(await taken(follower)).toBeNull();
});

test("FolderFollower waits for a folder that is not there", async () => {
  using project = tempProject();
  const specs = join(project.root, ".planner/specs");
  rmSync(specs, { recursive: true });
  const follower = new FolderFollower(specs);
  for (let tries = 0; tries < 5; tries++) expect(await taken(follower)).toBeNull();

  mkdirSync(specs);
  expect(await taken(follower)).toBeNull();
  writeFileSync(join(specs, "a.md"), "");

  expect(await taken(follower)).toEqual(["a.md"]);
});

test("isOnLocalDisk trusts no file system that it does not know", () => {
  expect(isOnLocalDisk("/proc")).toBe(false);
  expect(isOnLocalDisk("/no/such/place")).toBe(false);
});

test("a followed project does not keep a process that has nothing to do", async () => {
  using project = tempProject();
  project.spec("a", "# A\n");
  const reader = new LinesOfProcess([process.execPath, ONCE, project.root], project.root);

  const { code, lines, stderr } = await reader.ended;

  expect({ code, lines, stderr }).toEqual({ code: 0, lines: ['{"count":1}'], stderr: "" });
});
