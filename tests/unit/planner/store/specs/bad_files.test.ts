import { afterEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { ftruncateSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { parseSpecId, type SpecId } from "#planner/spec/spec_id.ts";
import { SpecStore } from "#planner/store/specs/spec_store.ts";
import { tempProject } from "../../../../support/temp_project.ts";
import { projectOfEachTest } from "../../../../support/test_project.ts";

let store: SpecStore;
let socket: Server | undefined;
const project = projectOfEachTest((made) => {
  made.spec("good", "---\nstatus: pending\n---\n# Good\n");
  store = new SpecStore(made.root);
});

afterEach(() => {
  socket?.close();
  socket = undefined;
});

const specs = (name: string): string => join(project.root, ".planner/specs", name);

/** Every way in which a file can be no spec: how it is made, and what is said of it. */
const BAD: Readonly<Record<string, readonly [make: () => unknown, says: readonly unknown[]]>> = {
  "a folder": [() => mkdirSync(specs("x.md")), [null, null, "It is a folder: expected a file"]],
  "a link to nothing": [
    () => symlinkSync("nowhere", specs("x.md")),
    [null, null, "It is a symbolic link to a file that does not exist"],
  ],
  "a link to itself": [
    () => symlinkSync("x.md", specs("x.md")),
    [null, null, "It is a symbolic link that leads back to itself (ELOOP)"],
  ],
  "a link to a folder": [() => symlinkSync(".", specs("x.md")), [null, null, "It is a folder: expected a file"]],
  "a named pipe": [() => execFileSync("mkfifo", [specs("x.md")]), [null, null, "It is a named pipe: expected a file"]],
  "a link to a device": [
    () => symlinkSync("/dev/zero", specs("x.md")),
    [null, null, "It is a symbolic link that leads out of the project"],
  ],
  "a socket": [() => listen(specs("x.md")), [null, null, "It is a socket: expected a file"]],
  "a file of 50 MB": [
    () => ftruncateSync(openSync(specs("x.md"), "w"), 50_000_000),
    [null, null, "File of 50000000 bytes is not read: expected at most 4194304"],
  ],
  "a file with a NUL character": [
    () => writeFileSync(specs("x.md"), "---\nstatus: pen\0ding\n---\n"),
    [2, 12, "The text holds a NUL character: expected Markdown"],
  ],
  "a file with a byte that is not UTF-8": [
    () => writeFileSync(specs("x.md"), Buffer.from("---\nstatus: pending\n---\n\n# Caf\xe9\n", "latin1")),
    [5, 6, "Byte 0xe9 is not valid UTF-8: expected UTF-8 text"],
  ],
  "a file with a duplicate key": [
    () => writeFileSync(specs("x.md"), "---\nstatus: pending\nstatus: failed\n---\n"),
    [3, 1, expect.stringContaining("status")],
  ],
  "frontmatter in a programming language": [
    () => writeFileSync(specs("x.md"), "---js\nglobalThis.ran = true\n---\n"),
    [1, 4, expect.stringContaining("---")],
  ],
};

/** Resolves when the socket is there. */
function listen(path: string): Promise<void> {
  return new Promise((resolve) => {
    socket = createServer().listen(path, resolve);
  });
}

for (const [name, [make, says]] of Object.entries(BAD)) {
  test(`SpecStore reports ${name} and reads the rest`, async () => {
    await make();
    const [line, column, message] = says;
    const report = expect.objectContaining({ file: ".planner/specs/x.md", line, column, message });

    expect(await store.readActive()).toEqual({
      specs: [expect.objectContaining({ id: "good" })],
      unreadable: [report],
    });
    expect((await new SpecStore(project.root).readActive()).unreadable).toEqual([report]);
    expect(await store.listIds()).toEqual(["good" as SpecId, "x" as SpecId]);
    const place = line === null ? "" : `:${line}:${column}`;
    await expect(store.load("x" as SpecId)).rejects.toMatchObject({
      kind: "failed_precondition",
      message: typeof message === "string" ? `.planner/specs/x.md${place}: ${message}` : expect.any(String),
    });
  });
}

test("SpecStore refuses to edit what it could not write back", async () => {
  const bytes = Buffer.from("# Caf\xe9\n", "latin1");
  writeFileSync(specs("x.md"), bytes);

  await expect(store.edit("x" as SpecId, (text) => `${text}more`)).rejects.toMatchObject({
    kind: "failed_precondition",
    message: 'Cannot edit ".planner/specs/x.md:1:6": Byte 0xe9 is not valid UTF-8: expected UTF-8 text',
  });
  expect(execFileSync("cat", [specs("x.md")])).toEqual(bytes);
});

test("SpecStore reports names that can be no id", async () => {
  writeFileSync(specs("back\\slash.md"), "# T\n");
  execFileSync("sh", ["-c", 'printf "# T\\n" > "$1/$(printf "caf\\351").md"', "sh", specs("")]);

  const { unreadable } = await store.readActive();

  expect(unreadable.map(({ message }) => message)).toEqual([
    "The file's name cannot be a spec id: expected at most 200 characters and no backslash",
    'The file\'s name is not valid UTF-8: expected a spec id and ".md"',
  ]);
  expect(await store.listIds()).toEqual(["good" as SpecId]);
});

test("SpecStore takes a file that vanishes while it is read for absent", async () => {
  for (let number = 0; number < 300; number++) project.spec(`v${number}`, "# V\n");
  const remover = Bun.spawn(["sh", "-c", 'for f in "$1"/v*.md; do rm "$f"; done', "sh", specs("")]);

  let rounds = 0;
  for (; remover.exitCode === null || rounds === 0; rounds++) {
    const { unreadable } = await new SpecStore(project.root).readActive();
    expect(unreadable).toEqual([]);
    await Bun.sleep(0);
  }

  expect((await store.readActive()).specs.map(({ id }) => id as string)).toEqual(["good"]);
  expect(rounds).toBeGreaterThan(1);
});

test("SpecStore neither reads nor writes a file outside the project through a link", async () => {
  using other = tempProject();
  const text = "---\nstatus: pending\n---\n# Secret\n";
  other.write("secret.md", text);
  symlinkSync(join(other.root, "secret.md"), specs("x.md"));
  const id = "x" as SpecId;
  const refusal = { kind: "failed_precondition", message: expect.stringContaining("leads out of the project") };

  await expect(store.load(id)).rejects.toMatchObject(refusal);
  await expect(store.readText(id)).rejects.toMatchObject(refusal);
  await expect(store.edit(id, () => "taken")).rejects.toMatchObject(refusal);
  expect(other.read("secret.md")).toBe(text);
});

test("SpecStore reads links within a .planner folder that lies elsewhere", async () => {
  using other = tempProject();
  project.write(".planner/specs/real.md", "# Real\n");
  symlinkSync("real.md", specs("x.md"));
  symlinkSync(join(project.root, ".planner"), join(other.root, "link"));
  rmSync(join(other.root, ".planner"), { recursive: true });
  renameSync(join(other.root, "link"), join(other.root, ".planner"));

  const { specs: found, unreadable } = await new SpecStore(other.root).readActive();

  expect(found.map(({ title }) => title)).toEqual(["Good", "Real", "Real"]);
  expect(unreadable).toEqual([]);
});

test("SpecStore reads a spec behind a link and edits the file itself", async () => {
  project.write("shared/real.md", "---\nstatus: pending\n---\n# Shared\n");
  symlinkSync("../../shared/real.md", specs("x.md"));

  await store.edit("x" as SpecId, (text) => text.replace("pending", "completed"));

  expect(project.read("shared/real.md")).toContain("completed");
  expect(execFileSync("readlink", [specs("x.md")], { encoding: "utf8" })).toBe("../../shared/real.md\n");
  expect(project.list("shared")).toEqual(["real.md"]);
  expect(await store.load(parseSpecId("x") as SpecId)).toMatchObject({ status: "completed" });
});

test("SpecStore archives a link so that it still leads to its file", async () => {
  project.write("shared/real.md", "# Shared\n");
  symlinkSync("../../shared/real.md", specs("2026-11-01-001-lnk.md"));

  const file = await store.moveToArchive("2026-11-01-001-lnk" as SpecId);

  expect(project.read(file)).toBe("# Shared\n");
  expect(await store.listIds()).toEqual(["good" as SpecId]);
  expect(execFileSync("readlink", [join(project.root, file)], { encoding: "utf8" })).toBe("../../../shared/real.md\n");
});
