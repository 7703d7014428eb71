import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ForgeProject, forgeProject } from "../support/forge_project.ts";

let project: ForgeProject;

afterEach(() => project[Symbol.dispose]());

/** Quicker than an agent that speaks MCP: there are many. */
const AGENT = [
  'echo "the work of $PLANNER_SPEC_ID" >"$PLANNER_SPEC_ID.txt"',
  'sed -i "s/^- \\[ \\]/- [x]/" ".planner/specs/$PLANNER_SPEC_ID.md"',
  'git add "$PLANNER_SPEC_ID.txt" && git commit --quiet -m "planner($PLANNER_SPEC_ID): do the work"',
].join("\n");

function id(name: string): string {
  return `2026-11-01-001-${name}`;
}

/** Specs whose check judges by the agent's file. Each costs a new worktree; no check judges the others. */
const CHECKED: readonly string[] = ["merge", "undone", "part", "same"];

function body(name: string): string {
  const check = !CHECKED.includes(name) ? "" : `  verify: grep -q 'work of' ${id(name)}.txt\n`;
  return `# ${name}\n\n## Acceptance Criteria\n\n- [ ] It is there\n${check}`;
}

/** A project with the pull requests of finished work. */
async function requested(names: readonly string[], program: "gh" | "glab" = "gh"): Promise<void> {
  project = await forgeProject({ program, plan: {} });
  const command = { command: "/bin/sh", args: ["-c", AGENT], prompt_via: "stdin" };
  project.write(
    ".planner/config.md",
    `---\n${JSON.stringify({ defaults: { provider: "command" }, providers: { command } })}\n---\n`,
  );
  for (const name of names) project.spec(id(name), `---\nid: ${id(name)}\nstatus: pending\n---\n\n${body(name)}`);
  await project.mustGit("add", "--all");
  await project.mustGit("commit", "--quiet", "-m", "specify");
  await project.mustGit("push", "--quiet", "origin", "main");
  await project.planner(["work", ...names.map(id), "--parallel", "4"]);
  const { code, stderr } = await project.pr(...names.map(id));
  if (code !== 0) throw new Error(stderr);
  await project.maintainer("fetch", "--quiet", "origin");
  await project.maintainer("reset", "--quiet", "--hard", "origin/main");
}

const file = (name: string): string => `${id(name)}.txt`;

/** Marks a request as merged with a commit. */
async function mark(name: string, merged: string): Promise<void> {
  const head = (await project.maintainer("rev-parse", branch(name))).trim();
  project.change(({ requests }) => {
    const request = requests.find((one) => one.branch === `planner/${id(name)}`);
    Object.assign(request ?? {}, { state: "merged", head, merged });
  });
}

/** The branch as the forge has it. */
const branch = (name: string): string => `origin/planner/${id(name)}`;

async function tip(): Promise<string> {
  return (await project.maintainer("rev-parse", "HEAD")).trim();
}

async function mergeCommit(name: string): Promise<string> {
  await project.maintainer("merge", "--quiet", "--no-ff", "--no-edit", branch(name));
  return tip();
}

async function squash(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  await project.maintainer("merge", "--quiet", "--squash", branch(name));
  return project.maintain(`${name} (#1)`, files);
}

async function rebase(name: string): Promise<string> {
  await project.maintainer("cherry-pick", `origin/main..${branch(name)}`);
  return tip();
}

async function push(): Promise<void> {
  await project.maintainer("push", "--quiet", "origin", "main");
}

interface Synced {
  readonly spec_id: string;
  readonly outcome: string;
  readonly sign: string | null;
  readonly reason: string | null;
  readonly notes: readonly string[];
  readonly result: { readonly outcome: string; readonly commits?: readonly string[]; readonly reason?: string } | null;
}

async function sync(...words: readonly string[]): Promise<(name: string) => Synced> {
  const { stdout, stderr } = await project.pr("--sync", "--json", ...words);
  if (!stdout.startsWith("{")) throw new Error(stderr);
  const { results } = JSON.parse(stdout) as { readonly results: readonly Synced[] };
  return (name) => {
    const found = results.find(({ spec_id }) => spec_id === id(name));
    if (found === undefined) throw new Error(`no result of ${name} in ${stdout}`);
    return found;
  };
}

const status = (name: string): string | undefined => project.field(id(name), "status");

async function kept(name: string): Promise<string> {
  return (await project.mustGit("for-each-ref", `refs/planner/kept/${id(name)}/`)).trim();
}

function isThere(name: string): boolean {
  return existsSync(join(project.root, project.tree(id(name))));
}

test("pr --sync completes what was merged by merge commit, squash, rebase and with edits, and nothing that was reverted", async () => {
  const names = ["merge", "squash", "rebase", "edits", "undone", "manualundone", "open"];
  await requested(names);
  const commits = new Map([
    ["merge", await mergeCommit("merge")],
    ["squash", await squash("squash")],
    ["rebase", await rebase("rebase")],
    ["edits", await squash("edits", { [file("edits")]: "edited work of the maintainer\n" })],
    ["undone", await squash("undone")],
    ["manualundone", await mergeCommit("manualundone")],
  ]);
  for (const [name, commit] of commits) await mark(name, commit);
  await project.maintainer("revert", "--no-edit", commits.get("undone") ?? "");
  await project.maintainer("revert", "--no-edit", "-m", "1", commits.get("manualundone") ?? "");
  await push();
  // The forge deletes the branches of most.
  for (const name of ["merge", "squash", "rebase", "edits", "undone"]) {
    await project.maintainer("push", "--quiet", "origin", `:planner/${id(name)}`);
  }
  const open = (await project.mustGit("rev-parse", `planner/${id("open")}`)).trim();

  const result = await sync();

  expect(await project.mustGit("rev-parse", "main")).toBe(await project.maintainer("rev-parse", "HEAD"));
  for (const name of ["merge", "squash", "rebase", "edits"]) {
    expect(result(name)).toMatchObject({
      ...{ outcome: "found", sign: "forge", reason: null },
      result: { outcome: "found", commits: [commits.get(name)], kept: null, notes: [] },
    });
    expect([name, status(name), isThere(name), await kept(name)]).toEqual([name, "completed", false, ""]);
    expect(await project.mustGit("branch", "--list", `planner/${id(name)}`)).toBe("");
  }
  // Its check fails on the main branch as it is now.
  const undone = commits.get("undone")?.slice(0, 10);
  expect(result("undone").result).toMatchObject({ outcome: "refused" });
  expect(result("undone").result?.reason).toStartWith(
    `merged in ${undone}, its checks fail on main: reverted or changed since? ("grep -q`,
  );
  // No check says whether what was merged still holds.
  expect(result("manualundone").result?.reason).toContain(
    `--as ${commits.get("manualundone")?.slice(0, 10)}" takes it as done`,
  );
  for (const name of ["undone", "manualundone"])
    expect([status(name), isThere(name)]).toEqual(["needs_attention", true]);
  expect(result("open")).toMatchObject({ outcome: "open", result: null });
  expect(await project.mustGit("rev-parse", `planner/${id("open")}`)).toBe(`${open}\n`);
  expect(await project.mustGit("for-each-ref", "--format=%(refname)", "refs/planner/pr/")).toBe(
    ["manualundone", "open", "undone"].map((name) => `refs/planner/pr/${id(name)}\n`).join(""),
  );
  // Merged specs are committed as completed; only what needs attention differs.
  expect(await project.mustGit("status", "--porcelain", "--untracked-files=no")).toBe(
    ["manualundone", "open", "undone"].map((name) => ` M .planner/specs/${id(name)}.md\n`).join(""),
  );
  const review = JSON.parse((await project.planner(["review", id("undone"), "--json"])).stdout);
  expect(review.need.why).toStartWith(`merged in ${undone}, its checks fail on main`);

  // Once the main branch has it again, it is done; a person decides about what no check judges.
  await project.mustGit("checkout", "--quiet", commits.get("undone") ?? "", "--", file("undone"));
  await project.mustGit("commit", "--quiet", "-m", "again", "--", file("undone"));
  const again = await project.planner(["merge", id("undone")]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`Merged before: ${id("undone")}`) });
  expect([status("undone"), isThere("undone")]).toEqual(["completed", false]);
  const as = (commit: string) => project.planner(["merge", id("manualundone"), "--as", commit]);
  expect((await as("nothing")).stderr).toContain(
    'Invalid value "nothing" of flag "--as": expected a commit of branch "main"',
  );
  expect((await as(`planner/${id("open")}`)).stderr).toContain("expected a commit of branch");
  expect(status("manualundone")).toBe("needs_attention");
  expect(await as(commits.get("manualundone") ?? "")).toMatchObject({ code: 0 });
  expect(status("manualundone")).toBe("completed");
  // The main branch's history has its commits.
  expect([isThere("manualundone"), await kept("manualundone")]).toEqual([false, ""]);
});

test("without the forge git alone shows merges, copies and squashes, and what it does not show is left alone", async () => {
  const names = ["merge", "squash", "rebase", "edits", "settled", "part", "same", "unpushed"];
  await requested(names, "glab");
  project.change((state) => Object.assign(state, { broken: "glab: no connection" }));
  await mergeCommit("merge");
  await squash("squash");
  await rebase("rebase");
  const edits = await squash("edits", { [file("edits")]: "edited work of the maintainer\n" });
  // Someone else has the same line, and more; the maintainer settles the conflict for the branch.
  await project.maintain("conflict", { [file("settled")]: "other\n" });
  const settled = await project.maintain("settled (#5)", { [file("settled")]: `the work of ${id("settled")}\n` });
  await project.maintain("part", { [file("part")]: "half\n" });
  await project.maintain("by someone else", { [file("same")]: `the work of ${id("same")}\n` });
  await squash("unpushed");
  await push();
  // What the branch got after it was pushed is not in there.
  project.write(`${project.tree(id("unpushed"))}/more.txt`, "more\n");
  const cwd = join(project.root, project.tree(id("unpushed")));
  await project.git(["add", "more.txt"], { cwd });
  await project.git(["commit", "--quiet", "-m", "more"], { cwd });

  const result = await sync();

  const signs = { merge: "ancestor", squash: "patch", rebase: "cherry", settled: "merge_tree", same: "cherry" };
  for (const [name, sign] of Object.entries(signs)) {
    expect([name, result(name).sign, status(name), isThere(name), await kept(name)]).toEqual([
      name,
      sign,
      "completed",
      false,
      "",
    ]);
    expect(result(name).notes.join()).toContain("glab: no connection: only git was asked");
  }
  expect(result("settled").result?.commits).toEqual([settled]);
  for (const name of ["edits", "part", "unpushed"]) {
    expect([name, result(name).outcome, status(name), isThere(name)]).toEqual([name, "open", "completed", true]);
  }
  // A person knows of the edits; the branch, which the main branch does not have, is kept.
  expect((await project.planner(["merge", id("edits"), "--as", edits])).code).toBe(0);
  expect([status("edits"), isThere("edits")]).toEqual(["completed", false]);
  expect(await kept("edits")).toContain("commit");
  // One that fails its check is not done, whoever says so.
  const part = await project.planner(["merge", id("part"), "--as", "main"]);
  expect([part.code, status("part"), isThere("part")]).toEqual([1, "needs_attention", true]);
  expect(part.stderr).toContain("its checks fail on main: reverted or changed since?");
});

test("pr --sync takes up no main branch that went another way, and says so", async () => {
  await requested(["squash", "gone"]);
  const made = await squash("squash");
  await mark("squash", made);
  await push();
  project.write("local.txt", "local\n");
  await project.mustGit("add", "local.txt");
  await project.mustGit("commit", "--quiet", "-m", "local");
  const before = await project.mustGit("rev-parse", "main");

  const diverged = (await sync(id("squash")))("squash");
  expect(diverged).toMatchObject({ outcome: "missing", result: null });
  expect(diverged.notes.join()).toContain('"git pull --rebase" joins them');
  expect(diverged.notes.join()).toContain("your main branch does not have it yet");
  expect(diverged.reason).toContain(`"planner merge ${id("squash")} --as <commit>"`);
  expect(await project.mustGit("rev-parse", "main")).toBe(before);
  expect([status("squash"), isThere("squash")]).toEqual(["completed", true]);
  const need = JSON.parse((await project.planner(["review", id("squash"), "--json"])).stdout).need;
  expect(need.why).toContain("was merged, and your main branch does not show its work");

  // A file of the person is in the way; then it is not.
  await project.mustGit("reset", "--quiet", "--keep", "HEAD^");
  project.write(file("squash"), "mine\n");
  const inTheWay = (await sync(id("squash")))("squash");
  expect(inTheWay.notes.join()).toContain("your main branch was not brought up to date");
  expect(project.read(file("squash"))).toBe("mine\n");
  expect(isThere("squash")).toBe(true);
  await project.mustGit("clean", "--quiet", "--force", file("squash"));
  expect((await sync(id("squash")))("squash").result?.outcome).toBe("found");

  // Nothing to look at, and a spec without a branch.
  expect((await project.pr("--sync", id("squash"))).stderr).toContain("it has no branch");
  expect((await project.planner(["merge", id("gone")])).code).toBe(0);
  expect(await project.pr("--sync")).toMatchObject({ code: 0, stdout: "No pull requests to look at\n" });
});
