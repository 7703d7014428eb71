import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProjectOfPath } from "#planner/store/worktrees/worktree_files.ts";
import { Worktrees } from "#planner/store/worktrees/worktrees.ts";
import { ID, OPTIONS, SPEC } from "../../../../support/worktree_project.ts";
import "../../../../support/trusted_project.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "planner-moved-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function git(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")} in ${cwd}: ${stderr}`);
  return stdout.trim();
}

interface Wish {
  /** Path of the project in the repository. */
  readonly project?: string;
  readonly directory?: string;
  /** Whether the worktree is where 0.3.0 made it. */
  readonly old?: boolean;
}

/** A repository with a worktree that holds a commit and a file that is not committed. */
class Moving {
  readonly folder = mkdtempSync(join(home, "place-"));
  readonly #wish: Wish;
  path = "";

  private constructor(wish: Wish) {
    this.#wish = wish;
  }

  static async begin(wish: Wish = {}): Promise<Moving> {
    const made = new Moving(wish);
    made.init("repo");
    if (wish.old === true) made.addOldWorktree();
    const { path } = await made.prepare("repo");
    writeFileSync(join(path, "done.txt"), "done\n");
    git(path, "add", "done.txt");
    git(path, "commit", "--quiet", "-m", "work");
    writeFileSync(join(path, "open.txt"), "open\n");
    made.path = path;
    return made;
  }

  root(name: string): string {
    return join(this.folder, name, this.#wish.project ?? "");
  }

  init(name: string): void {
    const top = join(this.folder, name);
    mkdirSync(join(this.root(name), ".planner", "specs"), { recursive: true });
    git(this.folder, "init", "--quiet", "--initial-branch=main", name);
    for (const [key, value] of Object.entries({ name: "Ann", email: "ann@example.org" }))
      git(top, "config", `user.${key}`, value);
    writeFileSync(join(this.root(name), ".planner", "specs", `${ID}.md`), SPEC);
    writeFileSync(join(this.root(name), ".planner", ".gitignore"), "locks/\nworktrees/\n");
    git(top, "add", "--all");
    git(top, "commit", "--quiet", "-m", `begin ${name}`);
  }

  /** Makes the worktree that 0.3.0 would, with its record. */
  addOldWorktree(): void {
    const [root, path] = [this.root("repo"), join(this.root("repo"), ".planner", "worktrees", ID)];
    mkdirSync(dirname(path), { recursive: true });
    git(root, "worktree", "add", "--quiet", "-b", `planner/${ID}`, path);
    writeFileSync(`${path}.origin.json`, JSON.stringify({ branch: `planner/${ID}`, mainBranch: "main", brought: [] }));
  }

  open(name: string) {
    return new Worktrees(this.root(name), { now: () => new Date() });
  }

  async prepare(name: string) {
    const worktree = await this.open(name).prepareWorktree(ID, { ...OPTIONS, directory: this.#wish.directory ?? null });
    await worktree.takeBaseline();
    return worktree;
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.folder, to)), { recursive: true });
    renameSync(join(this.folder, from), join(this.folder, to));
  }

  copy(from: string, to: string): void {
    spawnSync("cp", ["-a", join(this.folder, from), join(this.folder, to)]);
  }
}

/** What a repository and its worktree hold, and what git says of them. */
function look(path: string, repository: string) {
  return {
    link: readFileSync(join(path, ".git"), "utf8"),
    log: git(path, "log", "--format=%s"),
    open: git(path, "status", "--porcelain", "--", "open.txt"),
    list: git(repository, "worktree", "list", "--porcelain"),
  };
}

/** Goes on in `name`: with the worktree and all that it holds, then with a merge of the branch. */
async function expectGoesOn(moving: Moving, name: string, at?: string): Promise<void> {
  const worktree = await moving.prepare(name);
  const seen = look(worktree.path, moving.root(name));
  expect(worktree.reused).toBe(true);
  expect([seen.log, seen.open]).toEqual([expect.stringContaining("work"), "?? open.txt"]);
  expect(seen.list).toContain(`worktree ${worktree.path}\n`);
  expect(seen.list).not.toContain("prunable");
  expect(worktree.path).toBe(at ?? moving.path);
  expect(findProjectOfPath(worktree.path)?.project).toBe(realpathSync(moving.root(name)));
  rmSync(join(worktree.path, "open.txt"));
  expect(await worktree.settle()).toMatchObject({ problems: [], outside: [] });
  expect((await moving.open(name).mergeBranch(ID)).kind).toBe("merged");
  await moving.open(name).removeWorktree(ID);
  expect(git(join(moving.folder, name), "log", "--format=%s")).toContain("work");
}

/** Goes on in a copy: with the commits in a worktree of its own; the original's stays as it is. */
async function expectCopyHasItsOwn(moving: Moving, name: string, inside: boolean): Promise<void> {
  const before = look(moving.path, moving.root("repo"));
  expect(await moving.open(name).listCommits(ID)).toHaveLength(1);
  const worktree = await moving.prepare(name);
  expect(worktree.path.startsWith(join(moving.folder, name))).toBe(inside);
  expect(worktree.path).not.toBe(moving.path);
  expect(existsSync(join(worktree.path, "open.txt"))).toBe(inside);
  rmSync(join(worktree.path, "open.txt"), { force: true });
  expect((await moving.open(name).mergeBranch(ID)).kind).toBe("merged");
  await moving.open(name).removeWorktree(ID);
  expect(look(moving.path, moving.root("repo"))).toEqual(before);
  await expectGoesOn(moving, "repo");
}

type Row = readonly [name: string, wish: Wish, follow: (moving: Moving) => Promise<void>];

const ROWS: readonly Row[] = [
  ["nothing was moved", {}, (moving) => expectGoesOn(moving, "repo")],
  ["nothing was moved, with a worktree of 0.3.0", { old: true }, (moving) => expectGoesOn(moving, "repo")],
  [
    "opened through a link",
    {},
    async (moving) => {
      symlinkSync("repo", join(moving.folder, "link"));
      await expectGoesOn(moving, "link");
    },
  ],
  [
    "there and back",
    {},
    async (moving) => {
      moving.move("repo", "moved");
      moving.move("moved", "repo");
      await expectGoesOn(moving, "repo");
    },
  ],
  ...[{}, { project: "packages/app" }, { directory: "../trees" }].map(
    (wish): Row => [
      `moved ${JSON.stringify(wish)}`,
      wish,
      async (moving) => {
        moving.move("repo", "moved");
        await expectGoesOn(moving, "moved");
      },
    ],
  ),
  [
    "moved twice, used in between",
    {},
    async (moving) => {
      moving.move("repo", "first");
      await moving.prepare("first");
      moving.move("first", "deep/second");
      await expectGoesOn(moving, "deep/second");
    },
  ],
  ...[{ old: true }, { directory: ".trees" }, { old: true, project: "packages/app" }].map(
    (wish): Row => [
      `moved with the worktree inside ${JSON.stringify(wish)}`,
      wish,
      async (moving) => {
        moving.move("repo", "moved");
        await expectGoesOn(moving, "moved", moving.path.replace("/repo/", "/moved/"));
      },
    ],
  ),
  [
    "the folder around repository and worktrees was renamed",
    { directory: "../../trees", project: "app" },
    async (moving) => {
      mkdirSync(join(moving.folder, "new"));
      moving.move("repo", "new/repo");
      moving.move("trees", "new/trees");
      await expectGoesOn(moving, "new/repo", moving.path.replace(moving.folder, join(moving.folder, "new")));
    },
  ],
  [
    "the user's state folder was moved with the repository",
    {},
    async (moving) => {
      const state = process.env["XDG_STATE_HOME"] ?? "";
      moving.move("repo", "moved");
      cpSync(state, join(moving.folder, "state"), { recursive: true });
      rmSync(moving.path, { recursive: true });
      process.env["XDG_STATE_HOME"] = join(moving.folder, "state");
      try {
        await expectGoesOn(moving, "moved", moving.path.replace(state, join(moving.folder, "state")));
      } finally {
        process.env["XDG_STATE_HOME"] = state;
      }
    },
  ],
  ...[{}, { old: true }, { directory: ".trees" }, { project: "packages/app" }].map(
    (wish): Row => [
      `copied ${JSON.stringify(wish)}`,
      wish,
      async (moving) => {
        moving.copy("repo", "copy");
        await expectCopyHasItsOwn(moving, "copy", wish.old === true || wish.directory !== undefined);
      },
    ],
  ),
  [
    "copied, and the original deleted",
    {},
    async (moving) => {
      moving.copy("repo", "copy");
      rmSync(join(moving.folder, "repo"), { recursive: true });
      await expectGoesOn(moving, "copy");
    },
  ],
  [
    "copied, and the original moved, which is used first",
    {},
    async (moving) => {
      moving.copy("repo", "copy");
      moving.move("repo", "moved");
      await moving.prepare("moved");
      expect((await moving.prepare("copy")).path).not.toBe(moving.path);
      await expectGoesOn(moving, "moved");
    },
  ],
  [
    "another repository is where this one was",
    {},
    async (moving) => {
      moving.move("repo", "moved");
      moving.init("repo");
      const { path } = await moving.prepare("repo");
      expect(path).not.toBe(moving.path);
      expect(git(path, "log", "--format=%s")).toBe("begin repo");
      await expectGoesOn(moving, "moved");
      expect(git(path, "status", "--porcelain", "--", "open.txt")).toBe("");
    },
  ],
  [
    "the worktree's folder was deleted",
    {},
    async (moving) => {
      rmSync(moving.path, { recursive: true });
      const worktree = await moving.prepare("repo");
      expect([worktree.path, git(worktree.path, "log", "--format=%s")]).toEqual([moving.path, "work\nbegin repo"]);
    },
  ],
  [
    "a run changed the link",
    {},
    async (moving) => {
      writeFileSync(join(moving.path, ".git"), `gitdir: ${join(moving.folder, "none", "worktrees", ID)}\n`);
      moving.move("repo", "moved");
      expect(moving.prepare("moved")).rejects.toThrow("is not a git worktree");
    },
  ],
];

test.each(ROWS)("a repository that was moved or copied goes on with its worktrees: %s", async (_name, wish, follow) => {
  await follow(await Moving.begin(wish));
});
