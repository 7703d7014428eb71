import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TempProject, tempProject } from "../../../../support/temp_project.ts";
import { useStore } from "../../../../support/use_store.ts";

const ID = "2026-11-01-001-aaa";
const FILE = `.planner/specs/${ID}.md`;
const TEXT = "---\nstatus: pending\n---\n# T\n";

/** A user without rights of its own; root is let into every folder, so its tests become this one. */
const NOBODY = 65534;
const asNobody = process.getuid?.() === 0 ? { env: { STORE_UID: String(NOBODY) } } : {};

let project: TempProject;

beforeEach(() => {
  project = tempProject();
  project.spec(ID, TEXT);
});

afterEach(() => {
  spawnSync("umount", ["-q", project.root]);
  project.remove();
});

function expectWhole(): void {
  expect(project.read(FILE)).toBe(TEXT);
  expect(project.list(".planner/specs")).toEqual([`${ID}.md`]);
}

test("SpecStore refuses a write beyond the size limit of files and leaves the old file", async () => {
  const limited = { within: ["bash", "-c", 'ulimit -f 8; exec "$@"', "-"] };

  expect(await useStore(project.root, ["grow", ID, "20000"], limited)).toEqual({
    refused: "resource_exhausted",
    message: `Cannot write "${FILE}": the file would exceed the size limit (EFBIG): raise the limit (ulimit -f)`,
  });
  expect(await useStore(project.root, ["create", "2026-11-02", "20000"], limited)).toMatchObject({
    refused: "resource_exhausted",
    message: expect.stringMatching(/^Cannot create "\.planner\/specs\/2026-11-02-001-...\.md": /),
  });
  expectWhole();
});

test("SpecStore refuses to write where the folder belongs to somebody else", async () => {
  project.write(".planner/locks/edit.db", "");
  chmodSync(join(project.root, ".planner/locks/edit.db"), 0o666);
  chmodSync(join(project.root, ".planner/locks"), 0o777);
  chmodSync(project.root, 0o755);
  chmodSync(join(project.root, ".planner/specs"), 0o555);
  chmodSync(join(project.root, FILE), 0o666);

  expect(await useStore(project.root, ["set", ID, "status", "failed"], asNobody)).toEqual({
    refused: "permission_denied",
    message: `Cannot write "${FILE}": permission denied (EACCES)`,
  });
  chmodSync(join(project.root, ".planner/specs"), 0o755);
  expectWhole();
});

test("SpecStore refuses to write a file that is write-protected", async () => {
  for (const folder of [".", ".planner", ".planner/specs"]) chmodSync(join(project.root, folder), 0o777);
  chmodSync(join(project.root, FILE), 0o444);

  expect(await useStore(project.root, ["set", ID, "status", "failed"], asNobody)).toEqual({
    refused: "permission_denied",
    message: `Cannot write "${FILE}": permission denied (EACCES)`,
  });
  expectWhole();
});

test("SpecStore reports a file that it may not read and reads the rest", async () => {
  project.spec("good", TEXT);
  for (const folder of [".", ".planner", ".planner/specs"]) chmodSync(join(project.root, folder), 0o755);
  chmodSync(join(project.root, FILE), 0o000);

  expect(await useStore(project.root, ["read"], asNobody)).toMatchObject({
    specs: [{ id: "good" }],
    unreadable: [{ file: FILE, line: null, column: null, message: "Permission denied (EACCES)" }],
  });
});

test("SpecStore refuses when it may not list the folder", async () => {
  for (const folder of [".", ".planner"]) chmodSync(join(project.root, folder), 0o755);
  chmodSync(join(project.root, ".planner/specs"), 0o000);

  expect(await useStore(project.root, ["read"], asNobody)).toEqual({
    refused: "permission_denied",
    message: 'Cannot read ".planner/specs": permission denied (EACCES)',
  });
});

test("SpecStore keeps a file's permissions and owner", async () => {
  const path = join(project.root, FILE);
  chmodSync(path, 0o640);
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
  const { mode, uid, gid, ino } = statSync(path);

  await useStore(project.root, ["set", ID, "status", "failed"]);

  const after = statSync(path);
  expect([after.mode, after.uid, after.gid]).toEqual([mode, uid, gid]);
  expect(after.ino).not.toBe(ino);
  expect(readFileSync(path, "utf8")).toContain("status: failed");
});

test("SpecStore sets aside a lock that is no lock", async () => {
  const text = "something else that is long enough to be no database\n".repeat(20);
  project.write(".planner/locks/edit.db", text);

  expect(await useStore(project.root, ["set", ID, "status", "failed"])).toBe(true);

  const [aside = ""] = project.list(".planner/locks").filter((name) => name.includes("spoilt"));
  expect(project.read(`.planner/locks/${aside}`)).toBe(text);
});
