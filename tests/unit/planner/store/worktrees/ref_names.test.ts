import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { Git } from "#planner/store/git/git.ts";
import { openClaimRemote } from "#planner/store/remote_claims/claim_remote.ts";
import { deleteRequestNote, readRequestNotes, writeRequestNote } from "#planner/store/requests/requests.ts";
import { keepObjects } from "#planner/store/worktrees/keep_commits.ts";
import { formatPlace } from "#planner/store/worktrees/ref_names.ts";
import { Worktrees } from "#planner/store/worktrees/worktrees.ts";
import { buildClaimRef } from "#planner/work/claims/decide_claim.ts";
import { PLAIN_COMMIT_WRITER } from "#planner/work/commit_message.ts";
import type { RequestNote } from "#planner/work/requests/request_note.ts";
import { ID, OPTIONS, SPEC } from "../../../../support/worktree_project.ts";
import "../../../../support/trusted_project.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "planner-refs-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const runGit = (cwd: string, ...args: readonly string[]) => spawnSync("git", args, { cwd, encoding: "utf8" });

function git(cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = runGit(cwd, ...args);
  if (status !== 0) throw new Error(`git ${args.join(" ")} in ${cwd}: ${stderr}`);
  return stdout.trim();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

let made = 0;

/** A repository with a project with the same spec in each folder; `branch` is in the spec's frontmatter. */
function makeRepository(projects: readonly string[], branch: string | null = null): string {
  const top = join(home, `repository ${++made}`);
  mkdirSync(top);
  git(top, "init", "--quiet", "--initial-branch=main");
  for (const [name, value] of [
    ["user.name", "Ann"],
    ["user.email", "ann@example.org"],
  ] as const)
    git(top, "config", name, value);
  const spec = branch === null ? SPEC : SPEC.replace("pending\n", `pending\nbranch: ${branch}\n`);
  for (const project of projects) {
    write(join(top, project, `.planner/specs/${ID}.md`), spec);
    write(join(top, project, ".planner/.gitignore"), "logs/\nprocesses/\nlocks/\nworktrees/\n");
  }
  git(top, "add", "-A");
  git(top, "commit", "--quiet", "-m", "begin");
  return top;
}

const open = (root: string) => new Worktrees(root, { now: () => new Date() });
const listRefs = (top: string, kind: string) =>
  git(top, "for-each-ref", "--format=%(refname)", `refs/planner/${kind}`)
    .split("\n")
    .filter((ref) => ref !== "");

const LONG = Array.from({ length: 12 }, (_, index) => `a-long-folder-${index}`).join("/");
const PLACES: readonly (readonly [path: string, place: string | RegExp])[] = [
  ["", ""],
  ["app", "in/app/-/"],
  ["packages/app", "in/packages/app/-/"],
  ["packages/app/", "in/packages/app/-/"],
  ["packages/app/1", "in/packages/app/1/-/"],
  ["my app", "in/my%20app/-/"],
  [".hidden/app", "in/%2Ehidden/app/-/"],
  ["a..b", "in/a%2E.b/-/"],
  ["app.", "in/app%2E/-/"],
  ["x.lock/y", "in/x%2Elock/y/-/"],
  ["@{u}/~1", "in/%40%7Bu%7D/%7E1/-/"],
  ["@scope/app", "in/%40scope/app/-/"],
  ["größe/日本", "in/gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC/-/"],
  ["-", "in/%2D/-/"],
  ["-/a", "in/%2D/a/-/"],
  ["100%2F/a:b?*[^\\", "in/100%252F/a%3Ab%3F%2A%5B%5E%5C/-/"],
  [LONG, /^in\/[0-9a-f]{16}[\w-]{40}\/-\/$/],
  [`${LONG}b`, /^in\/[0-9a-f]{16}[\w-]{40}\/-\/$/],
];

test.each(PLACES)("the project in %p is named %p in refs", (path, place) => {
  const found = formatPlace(path);

  if (typeof place === "string") expect(found).toBe(place);
  else expect(found).toMatch(place);
  for (const name of [`refs/heads/planner/${found}x`, `refs/heads/${found}x`, `refs/planner/runs/${found}x/1`])
    expect([name, runGit(home, "check-ref-format", name).status]).toEqual([name, 0]);
});

test("no name of a project is the name of another one, or its folder", () => {
  const names = [...new Set(PLACES.map(([path]) => path.replace(/\/$/, "")))].flatMap((path) =>
    ["app", "1", "x"].map((id) => `${formatPlace(path)}${id}`),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((one) => names.some((other) => other.startsWith(`${one}/`)))).toEqual([]);
});

test("projects with the same spec that run and merge at once share no branch, record or kept commit", async () => {
  const projects = ["", "packages/app", "packages/app/plugin", "my app", "größe"];
  const top = makeRepository(projects);
  const names = ["planner/", ...projects.slice(1).map((path) => `planner/${formatPlace(path)}`)].map((one) => one + ID);
  const runs = await Promise.all(
    projects.map(async (path) => {
      const worktrees = open(join(top, path));
      const worktree = await worktrees.prepareWorktree(ID, OPTIONS);
      write(join(worktree.root, "work.txt"), `of ${path}\n`);
      git(worktree.root, "add", "work.txt");
      git(worktree.root, "commit", "--quiet", "-m", `planner(${ID}): work`);
      const number = await worktrees.storeRecord(ID, worktree.branch, () => ({ of: path }));
      const project = new Git(join(top, path));
      await keepObjects(project, ID, [git(worktree.root, "rev-parse", "HEAD")]);
      return { worktrees, branch: worktree.branch, number, path: worktree.path };
    }),
  );

  expect(runs.map(({ branch }) => branch)).toEqual(names);
  expect(new Set(runs.map(({ path }) => path)).size).toBe(projects.length);
  expect(runs.map(({ number }) => number)).toEqual(projects.map(() => 1));
  const rests = names.map((name) => name.slice("planner/".length));
  expect(listRefs(top, "runs").sort()).toEqual(rests.map((name) => `refs/planner/runs/${name}/1`).sort());
  expect(listRefs(top, "kept").sort()).toEqual(rests.map((name) => `refs/planner/kept/${name}/1`).sort());
  for (const [index, { worktrees }] of runs.entries()) {
    expect((await worktrees.readRecord(ID, null))?.record).toEqual({ of: projects[index] });
    const latest = await worktrees.listLatestRuns();
    expect(latest.map(({ id, run, head }) => [id, run, head !== null])).toEqual([[ID, 1, true]]);
  }
  const merged = await Promise.all(runs.map(({ worktrees }) => worktrees.mergeBranch(ID)));

  expect(merged.map(({ kind }) => kind)).toEqual(projects.map(() => "merged"));
  for (const path of projects) expect(git(top, "show", `main:${join(path, "work.txt")}`)).toBe(`of ${path}`.trim());
});

test("a note of a pull request is its project's", async () => {
  const top = makeRepository(["", "packages/app"]);
  const [outer, inner] = [new Git(top), new Git(join(top, "packages/app"))];
  const note = (number: number): RequestNote => ({
    ...{ forge: "github", host: "example.org", path: "a/b", number, state: "open", url: "https://example.org" },
    ...{ remote: "origin", branch: "b", base: "main", head: null, began: null, pushed: [] },
  });
  const read = async (project: Git) => [...(await readRequestNotes(project))].map(([id, { number }]) => [id, number]);
  await writeRequestNote(outer, ID, note(1));
  expect(listRefs(top, "pr")).toEqual([`refs/planner/pr/${ID}`]);
  await writeRequestNote(inner, ID, note(2));
  expect(listRefs(top, "pr")).toEqual([`refs/planner/pr/${ID}`, `refs/planner/pr/in/packages/app/-/${ID}`]);
  expect([await read(outer), await read(inner)]).toEqual([[[ID, 1]], [[ID, 2]]]);
  await deleteRequestNote(outer, ID);
  expect(listRefs(top, "pr")).toEqual([`refs/planner/pr/in/packages/app/-/${ID}`]);
  expect([await read(outer), await read(inner)]).toEqual([[], [[ID, 2]]]);
});

describe("work that began under a name without the project's path", () => {
  const PLAIN = `planner/${ID}`;
  const NAMED = `planner/in/packages/app/-/${ID}`;
  const refOf = (branch: string) => branch.replace(/^planner\//, "refs/planner/runs/");
  interface Situation {
    readonly has: string;
    readonly projects?: readonly string[];
    readonly root?: string;
    readonly branch: string | null;
    readonly arrange?: (top: string, root: string) => void;
    readonly name: string;
    readonly records: string;
  }
  const addBranch = (top: string) => git(top, "branch", PLAIN);
  const origin = (branch: string) => (_: string, root: string) =>
    write(
      join(root, `.planner/worktrees/${ID}.origin.json`),
      JSON.stringify({ branch, mainBranch: "main", brought: [] }),
    );
  const both = (top: string, root: string) => {
    addBranch(top);
    origin(PLAIN)(top, root);
  };
  test.each<Situation>([
    { has: "nothing", branch: null, name: NAMED, records: NAMED },
    {
      has: "a branch of that name that the spec does not name",
      branch: null,
      arrange: addBranch,
      name: NAMED,
      records: NAMED,
    },
    { has: "the spec's old branch", branch: PLAIN, arrange: addBranch, name: PLAIN, records: PLAIN },
    { has: "an old record of the worktree and its branch", branch: null, arrange: both, name: PLAIN, records: PLAIN },
    { has: "a spec whose old branch is merged and gone", branch: PLAIN, name: NAMED, records: PLAIN },
    { has: "a spec with a branch of today", branch: NAMED, arrange: addBranch, name: NAMED, records: NAMED },
    { has: "a worktree of today", branch: PLAIN, arrange: origin(NAMED), name: NAMED, records: NAMED },
    {
      has: "an old branch that another checkout has",
      branch: PLAIN,
      arrange: (top) => git(top, "worktree", "add", "--quiet", "-b", PLAIN, join(home, `other ${made}`)),
      name: NAMED,
      records: PLAIN,
    },
    { has: "a project at the top", root: "", branch: null, name: PLAIN, records: PLAIN },
    {
      has: "a project at the top, with its branch",
      root: "",
      branch: PLAIN,
      arrange: addBranch,
      name: PLAIN,
      records: PLAIN,
    },
    {
      has: "a project at the top, with a worktree",
      root: "",
      branch: null,
      arrange: origin(PLAIN),
      name: PLAIN,
      records: PLAIN,
    },
    {
      has: "a project at the top whose spec names another branch",
      root: "",
      branch: NAMED,
      name: PLAIN,
      records: PLAIN,
    },
  ])("$has", async ({ root = "packages/app", projects = [root], branch, arrange, name, records }) => {
    const top = makeRepository(projects, branch);
    const folder = join(top, root);
    arrange?.(top, folder);

    expect(await open(folder).nameBranch(ID, "planner/")).toBe(name);
    await open(folder).storeRecord(ID, null, () => ({}));
    expect(listRefs(top, "runs")).toEqual([`${refOf(records)}/1`]);
    expect((await open(folder).listLatestRuns()).map(({ id }) => id)).toEqual([ID]);
  });

  test("a run goes on in its old worktree", async () => {
    const top = makeRepository(["packages/app"], PLAIN);
    const root = join(top, "packages/app");
    addBranch(top);
    const first = await open(root).prepareWorktree(ID, OPTIONS);
    const again = await open(root).prepareWorktree(ID, OPTIONS);
    expect([first.branch, again.branch, again.path]).toEqual([PLAIN, PLAIN, first.path]);
  });
});

describe("claims at a remote", () => {
  const CLAIM = buildClaimRef(ID);
  const NAMED = `refs/planner/claims/in/packages/app/-/${ID}`;
  const prepare = (projects: readonly string[]) => {
    const top = makeRepository(projects);
    const remote = join(home, `remote ${made}.git`);
    git(top, "init", "--quiet", "--bare", remote);
    git(top, "remote", "add", "origin", remote);
    const list = () =>
      git(remote, "for-each-ref", "--format=%(refname)", "refs/planner/claims").split("\n").filter(Boolean);
    const claim = async (path: string, base: string | null = null) => {
      const opened = await openClaimRemote(join(top, path), "origin");
      const about = { spec: ID as SpecId, state: "held", clone: `of ${path}`, process: "p", base } as const;
      const next = await opened.createClaimCommit(PLAIN_COMMIT_WRITER, about);
      const { lines } = await opened.pushChanges([{ ref: CLAIM, base, next }]);
      return { outcome: lines.get(CLAIM)?.outcome, next, opened };
    };
    return { top, list, claim };
  };

  test("each project has its own", async () => {
    const { list, claim } = prepare(["", "packages/app"]);
    const [outer, inner] = [await claim(""), await claim("packages/app")];

    expect([outer.outcome, inner.outcome]).toEqual(["won", "won"]);
    expect(list()).toEqual([CLAIM, NAMED]);
    expect((await outer.opened.listRefs()).claims).toEqual(new Map([[ID, outer.next]]));
    expect((await inner.opened.fetchClaims()).claims).toEqual(new Map([[ID, inner.next]]));
    expect((await claim("packages/app")).outcome).not.toBe("won");
  });

  test("an old one counts and goes on until it is released, the next has the project's path", async () => {
    const { top, list, claim } = prepare(["packages/app"]);
    // As an earlier version claims.
    const first = git(top, "commit-tree", "HEAD^{tree}", "-m", "claim");
    git(top, "push", "--quiet", "origin", `${first}:${CLAIM}`);

    expect((await claim("packages/app")).outcome).not.toBe("won");
    const { opened, next, outcome } = await claim("packages/app", first);
    expect([outcome, list()]).toEqual(["won", [CLAIM]]);
    await opened.pushChanges([{ ref: CLAIM, base: next, next: null }]);
    expect(list()).toEqual([]);
    await opened.pushChanges([{ ref: CLAIM, base: null, next }]);
    expect(list()).toEqual([NAMED]);
  });
});
