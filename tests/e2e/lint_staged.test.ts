import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";
import { runPlanner } from "../support/planner_command.ts";
import { tempProject } from "../support/temp_project.ts";

const ONE = "2026-11-21-001-abc";
const TWO = "2026-11-21-002-def";
const path = (id: string): string => `.planner/specs/${id}.md`;
const good = (id: string, more = ""): string =>
  `---\nid: ${id}\nstatus: pending\nlabels: [a]\ntype: code\n${more}---\n\n# T\n`;
const bad = (id: string): string => good(id).replace("pending", "nearly");

let project: GitProject;

beforeEach(async () => {
  project = await gitProject();
  project.spec(ONE, good(ONE));
  project.spec(TWO, good(TWO, `depends_on: [${ONE}]\n`));
  await project.mustGit("add", ".");
  await project.mustGit("commit", "--quiet", "-m", "start");
});

afterEach(() => project.remove());

/** Status, findings and the files that they are about. */
async function staged(): Promise<{ code: number | null; files: string[]; messages: string[] }> {
  const { code, stdout } = await project.planner(["lint", "--staged", "--json"]);
  const { errors, warnings } = JSON.parse(stdout);
  const all: { file: string; message: string }[] = [...errors, ...warnings];
  return { code, files: [...new Set(all.map(({ file }) => file))], messages: all.map(({ message }) => message) };
}

const CLEAN = { code: 0, files: [], messages: [] };

test("lint --staged has nothing to say where nothing is staged", async () => {
  project.spec(ONE, bad(ONE));
  project.spec("2026-11-21-009-new", bad("2026-11-21-009-new"));

  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged judges the staged text, not the working tree's", async () => {
  project.spec(ONE, bad(ONE));
  await project.mustGit("add", ".");
  project.spec(ONE, good(ONE));

  expect(await staged()).toMatchObject({ code: 1, files: [path(ONE)] });

  await project.mustGit("add", ".");
  project.spec(ONE, "---\nbroken: [\n---\n");
  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged judges staged specs alone", async () => {
  project.spec(TWO, bad(TWO));
  await project.mustGit("add", ".");
  await project.mustGit("commit", "--quiet", "--no-verify", "-m", "bad");
  project.write("other.txt", "x");
  project.spec(ONE, good(ONE, "prompt: x\n"));
  await project.mustGit("add", ".");

  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged looks for dependencies in the index", async () => {
  const unborn = "2026-11-21-003-ghi";
  project.spec(ONE, good(ONE, `depends_on: [${unborn}]\n`));
  await project.mustGit("add", ".");
  project.spec(unborn, good(unborn));

  expect((await staged()).messages).toEqual([`depends_on '${unborn}' does not exist`]);

  await project.mustGit("add", ".");
  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged sees a cycle that runs through specs that are not staged", async () => {
  project.spec(ONE, good(ONE, `depends_on: [${TWO}]\n`));
  await project.mustGit("add", ".");

  expect((await staged()).messages).toEqual([`depends_on cycle: ${ONE} -> ${TWO} -> ${ONE}`]);
});

test("lint --staged takes a deleted spec for deleted, and names those that are left depending on it", async () => {
  await project.mustGit("rm", "--quiet", path(ONE));

  expect(await staged()).toEqual({ code: 1, files: [path(TWO)], messages: [`depends_on '${ONE}' does not exist`] });

  await project.mustGit("rm", "--quiet", path(TWO));
  // Git takes the empty folder away, and without it there is no project.
  mkdirSync(join(project.root, ".planner/specs"), { recursive: true });
  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged takes an archived spec for known", async () => {
  mkdirSync(join(project.root, ".planner/archive/2026-11-21"), { recursive: true });
  renameSync(join(project.root, path(ONE)), join(project.root, `.planner/archive/2026-11-21/${ONE}.md`));
  await project.mustGit("add", ".");
  expect(await staged()).toEqual(CLEAN);

  await project.mustGit("commit", "--quiet", "-m", "archive");
  await project.mustGit("rm", "--quiet", `.planner/archive/2026-11-21/${ONE}.md`);
  expect(await staged()).toMatchObject({ code: 1, messages: [`depends_on '${ONE}' does not exist`] });
});

test("lint --staged judges a renamed spec under its new name", async () => {
  const renamed = "2026-11-21-00b-xyz";
  await project.mustGit("mv", path(TWO), path(renamed));

  expect(await staged()).toEqual({
    code: 1,
    files: [path(renamed)],
    messages: [`id '${TWO}' differs from the file name '${renamed}'`],
  });
});

test("lint --staged works before the first commit", async () => {
  rmSync(join(project.root, ".git"), { recursive: true });
  await project.mustGit("init", "--quiet");
  project.spec(ONE, bad(ONE));
  await project.mustGit("add", path(ONE));

  expect(await staged()).toMatchObject({ code: 1, files: [path(ONE)] });
});

test("lint --staged follows the staged configuration", async () => {
  project.write(".planner/config.md", "---\nschema: {spec: {required: [model]}}\n---\n");
  project.spec(ONE, good(ONE, "prompt: x\n"));
  await project.mustGit("add", ".");
  project.write(".planner/config.md", "---\n---\n");

  expect((await staged()).messages).toEqual(["missing required field 'model'"]);
});

test("lint --staged reports what cannot be read", async () => {
  project.write(path("2026-11-21-004-bin"), Uint8Array.from([0x23, 0xff]));
  symlinkSync("nowhere", join(project.root, path("2026-11-21-005-lnk")));
  project.spec("2026-11-21-006-yml", "---\nstatus: [\n---\n");
  await project.mustGit("add", ".");

  const { code, files } = await staged();

  expect(code).toBe(1);
  expect(files).toEqual(["004-bin", "005-lnk", "006-yml"].map((end) => path(`2026-11-21-${end}`)));
});

test("lint --staged finds a project in a folder of the repository, from anywhere", async () => {
  for (const file of [path(ONE), path(TWO)]) project.write(`apps/my shop/${file}`, bad(ONE));
  await project.mustGit("add", ".");
  const root = join(project.root, "apps/my shop");
  mkdirSync(join(root, "src"));

  for (const [cwd, args] of [
    [root, []],
    [join(root, "src"), []],
    [project.root, ["--root", "apps/my shop"]],
  ] as const) {
    const { code, stdout } = await project.planner(["lint", "--staged", "--format", "github", ...args], { cwd });
    expect(code).toBe(1);
    expect(stdout).toStartWith(`::error file=apps/my shop/${path(ONE)},line=3,`);
  }
  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged reads the index of a linked worktree", async () => {
  const tree = join(project.root, "tree");
  await project.mustGit("worktree", "add", "--quiet", tree);
  project.write(`tree/${path(ONE)}`, bad(ONE));
  await project.git(["add", "."], { cwd: tree });

  expect((await project.planner(["lint", "--staged"], { cwd: tree })).code).toBe(1);
  expect(await staged()).toEqual(CLEAN);
});

test("lint --staged reads hundreds of specs through one process", async () => {
  const ids = Array.from({ length: 600 }, (_, n) => `2026-11-22-${n.toString(36).padStart(3, "0")}-abc`);
  for (const [n, id] of ids.entries())
    project.spec(id, n % 100 === 99 ? bad(id) : good(id, `note: ${"x".repeat(n * 20)}\n`));
  await project.mustGit("add", ".");

  const { files } = await staged();

  expect(files).toEqual(ids.filter((_, n) => n % 100 === 99).map(path));
});

test("lint --staged refuses to run outside a git repository", async () => {
  using loose = tempProject();

  const { code, stderr } = await runPlanner(["lint", "--staged"], { cwd: loose.root });

  expect(code).toBe(1);
  expect(stderr).toContain("Not in a git repository");
});

test("lint --staged refuses a conflict in a spec, in its frontmatter and below, with the line", async () => {
  const sides = (ours: string, theirs: string): string => `<<<<<<< HEAD\n${ours}\n=======\n${theirs}\n>>>>>>> other\n`;
  project.spec(ONE, good(ONE).replace("status: pending\n", sides("status: pending", "status: failed")));
  project.spec(TWO, `${good(TWO)}\n${sides("One way", "Another way")}`);
  await project.mustGit("add", ".");

  const { code, stdout } = await project.planner(["lint", "--staged"]);

  expect(code).toBe(1);
  expect(stdout).toContain(`${path(ONE)}:3:1`);
  expect(stdout).toContain(`${path(TWO)}:10`);
  expect(stdout.match(/a conflict of git is not resolved/g)).toHaveLength(2);
});
