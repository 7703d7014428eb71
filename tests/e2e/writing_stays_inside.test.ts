import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";

const ID = "2026-11-21-001-abc";
const TEXT = `---\nid: ${ID}\nstatus: pending\n---\n\n# T\n\n- [ ] a\n`;

let project: GitProject;
let outside: string;
let programs: string;

beforeEach(async () => {
  project = await gitProject();
  outside = mkdtempSync(join(tmpdir(), "outside-"));
  programs = mkdtempSync(join(tmpdir(), "programs-"));
  writeFileSync(join(programs, "claude"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  project.spec(ID, TEXT);
  await project.mustGit("add", ".");
  await project.mustGit("commit", "--quiet", "-m", "start");
});

afterEach(() => {
  for (const folder of [outside, programs]) rmSync(folder, { recursive: true, force: true });
  project.remove();
});

/** Commands that write, each into some folder below `.planner`. */
const WRITING: readonly (readonly string[])[] = [
  ["add", "something new"],
  ["check", ID, "1"],
  ["update", ID, "--priority", "high"],
  ["work", ID],
  ["work", ID, "--no-worktree"],
  ["finalize", ID],
  ["archive", ID],
  ["init", "--yes"],
  ["watch", "--once"],
  ["doctor", "--fix"],
];

function files(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

async function writeEverything(): Promise<readonly string[]> {
  const said: string[] = [];
  for (const words of WRITING) {
    const { stdout, stderr } = await project.planner(words, { env: { PATH: `${programs}:${process.env["PATH"]}` } });
    expect(stderr).not.toContain("bug in planner");
    said.push(stdout + stderr);
  }
  return said;
}

for (const folder of ["locks", "archive", "logs", "worktrees", "processes", "specs"]) {
  test(`nothing is written through .planner/${folder} as a link out of the project`, async () => {
    const path = join(project.root, ".planner", folder);
    mkdirSync(path, { recursive: true });
    cpSync(path, outside, { recursive: true });
    const before = files(outside);
    rmSync(path, { recursive: true });
    symlinkSync(outside, path);

    const said = await writeEverything();

    expect(files(outside)).toEqual(before);
    expect(said.join("")).toContain(`".planner/${folder}": it is a symbolic link that leads out of the project`);
  });
}

test("nothing is written through .planner as a link out of the project", async () => {
  const path = join(project.root, ".planner");
  rmSync(outside, { recursive: true });
  renameSync(path, outside);
  symlinkSync(outside, path);
  const before = files(outside);

  const said = await writeEverything();

  expect(files(outside)).toEqual(before);
  expect(said.join("")).toContain('".planner": it is a symbolic link that leads out of the project');
});

test("a lock's database and a log are not written through a link of their name", async () => {
  for (const file of ["locks/edit.db", "locks/merge.db", `logs/${ID}.log`, "processes/background.log"]) {
    mkdirSync(join(project.root, ".planner", file, ".."), { recursive: true });
    symlinkSync(join(outside, "made"), join(project.root, ".planner", file));
  }
  await writeEverything();

  expect(files(outside)).toEqual([]);
});

test("nothing is removed through a folder below .planner as a link out of the project", async () => {
  const leftover = ".planner-zzzzzz-0123456789ab.tmp";
  const claim = JSON.stringify({ pid: 4_194_300, host: hostname(), token: "x", process_id: `${ID}-1` });
  for (const folder of ["locks", "processes", "worktrees", "archive"]) {
    const path = join(project.root, ".planner", folder);
    rmSync(path, { recursive: true, force: true });
    symlinkSync(outside, path);
  }
  writeFileSync(join(outside, `${ID}.lock`), claim);
  writeFileSync(join(outside, `${ID}.git.json`), "{}");
  writeFileSync(join(outside, leftover), "x");
  const before = files(outside);

  await writeEverything();

  expect(files(outside)).toEqual(before);
});

test("a link inside of the project is followed", async () => {
  mkdirSync(join(project.root, "kept"));
  const path = join(project.root, ".planner", "archive");
  rmSync(path, { recursive: true, force: true });
  symlinkSync("../kept", path);

  project.spec(ID, TEXT.replace("pending", "completed").replace("[ ]", "[x]"));
  const { code, stderr } = await project.planner(["archive", ID]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(files(join(project.root, "kept"))).toContain(`2026-11-21/${ID}.md`);
});

test("a file of another kind in a lock's place is set aside, and work goes on", async () => {
  const lock = join(project.root, ".planner/locks/edit.db");
  const kinds = [
    () => writeFileSync(lock, "no database\n".repeat(1000)),
    () => mkdirSync(join(lock, "folder"), { recursive: true }),
    () => symlinkSync("nowhere", lock),
  ];
  for (const [index, make] of kinds.entries()) {
    mkdirSync(join(lock, ".."), { recursive: true });
    rmSync(lock, { recursive: true, force: true });
    make();
    const { code, stderr } = await project.planner(["add", `number ${index}`]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('".planner/locks/edit.db" was no lock'),
    });
  }
});

/** A git before the real one that plants a link when it gets a command with these words. */
function plantingGit(words: string, plant: string): void {
  const real = Bun.which("git") ?? "git";
  const script = `#!/bin/sh\ncase "$*" in *"${words}"*) ${plant};; esac\nexec '${real}' "$@"\n`;
  writeFileSync(join(programs, "git"), script, { mode: 0o755 });
}

test("a half-made worktree is removed in its folder, not through a link that takes the folder's place", async () => {
  const worktrees = join(project.root, ".planner/worktrees");
  const admin = join(project.root, ".git/worktrees", ID);
  mkdirSync(worktrees, { recursive: true });
  await project.mustGit("worktree", "add", "--quiet", "-b", `planner/${ID}`, join(worktrees, ID));
  writeFileSync(join(admin, "locked"), "initializing");
  mkdirSync(join(outside, ID));
  writeFileSync(join(outside, ID, "mine.txt"), "mine");
  plantingGit("worktree unlock", `mv '${worktrees}' '${worktrees}.was' && ln -s '${outside}' '${worktrees}'`);

  const { stdout, stderr } = await project.planner(["work", ID], {
    env: { PATH: `${programs}:${process.env["PATH"]}` },
  });

  expect(files(outside)).toEqual([ID, `${ID}/mine.txt`]);
  expect(stdout + stderr).toContain('".planner/worktrees": it is a symbolic link that leads out of the project');
});

test("a folder of specs that an agent has replaced with a link to the project's loses no spec", async () => {
  const agent = `#!/bin/sh
cd "$(dirname "$PLANNER_SPEC_FILE")/.." && rm -r specs && ln -s '${join(project.root, ".planner/specs")}' specs
`;
  writeFileSync(join(programs, "claude"), agent, { mode: 0o755 });
  const env = { PATH: `${programs}:${process.env["PATH"]}` };
  project.spec("2026-11-21-002-new", TEXT.replace(ID, "2026-11-21-002-new"));
  const before = files(join(project.root, ".planner/specs"));

  const said: string[] = [];
  for (const words of [
    ["work", ID],
    ["merge", ID],
    ["work", ID],
    ["doctor", "--fix"],
  ]) {
    const { stdout, stderr } = await project.planner(words, { env });
    said.push(`${words.join(" ")}: ${stdout}${stderr}`);
  }

  expect(said.join("")).not.toContain("bug in planner");
  expect(said.join("")).toContain(`"${join(project.root, project.tree(ID))}/.planner/specs": it is a symbolic link`);
  expect(files(join(project.root, ".planner/specs"))).toEqual(before);
});
