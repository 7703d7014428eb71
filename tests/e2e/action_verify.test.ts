import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type GitProject, gitProject } from "../support/git_project.ts";
import { PLANNER, type RunResult, runCommand } from "../support/planner_command.ts";
import { REPOSITORY } from "../support/source_code.ts";

interface Step {
  readonly if?: string;
  readonly run: string;
}

const ID = "2026-11-01-001-aaa";
const steps = (parse(readFileSync(join(REPOSITORY, "action.yml"), "utf8")) as { runs: { steps: Step[] } }).runs.steps;
const [refusal, judging] = steps.filter((step) => step.if !== undefined).map(({ run }) => run);

/** Runs a step as GitHub does, with the values that it would put into the environment. */
function runStep(script: string | undefined, cwd: string, env: Readonly<Record<string, string>>): Promise<RunResult> {
  const base = { GITHUB_STEP_SUMMARY: "", ARGS: "", CHECKS: "base", DEFAULT_BRANCH: "main", BASE: "" };
  const planner = `planner() { ${PLANNER.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  return runCommand(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", `${planner}\n${script ?? "exit 99"}`], {
    ...{ cwd, env: { ...base, ...env } },
  });
}

const spec = (status: string): string =>
  `---\nid: ${ID}\nstatus: ${status}\n---\n\n# T\n\n## Acceptance Criteria\n\n- [x] It has a file\n  verify: test -f a.txt\n`;

/** A repository with a pull request that completes a spec, and GitHub's merge of it checked out. */
async function pullRequest(content: string): Promise<GitProject & { readonly base: string }> {
  const made = await gitProject();
  const { mustGit, write } = made;
  made.spec(ID, spec("in_progress"));
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "begin");
  const base = (await mustGit("rev-parse", "HEAD")).trim();
  await mustGit("checkout", "--quiet", "-b", "change");
  made.spec(ID, spec("completed"));
  write(content, "a\n");
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "work");
  await mustGit("checkout", "--quiet", "main");
  write("other.txt", "o\n");
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "meanwhile");
  await mustGit("checkout", "--quiet", "--detach");
  await mustGit("merge", "--quiet", "--no-ff", "-m", "merge", "change");
  return { ...made, base };
}

/** What `actions/checkout` makes by default: the newest commit alone. */
async function shallowClone(made: GitProject): Promise<{ readonly root: string; readonly sha: string }> {
  const sha = (await made.mustGit("rev-parse", "HEAD")).trim();
  await made.mustGit("config", "uploadpack.allowAnySHA1InWant", "true");
  const root = join(made.root, "clone");
  await made.mustGit("init", "--quiet", root);
  await made.mustGit("-C", root, "remote", "add", "origin", `file://${made.root}`);
  await made.mustGit("-C", root, "fetch", "--quiet", "--depth=1", "origin", sha);
  await made.mustGit("-C", root, "checkout", "--quiet", "--detach", sha);
  return { root, sha };
}

test("a pull request with a spec that is not true fails and names the criterion, and one that is true passes", async () => {
  using wrong = await pullRequest("b.txt");
  using right = await pullRequest("a.txt");
  const judge = async (made: GitProject & { readonly base: string }) => {
    const { root, sha } = await shallowClone(made);
    return runStep(judging, root, { GITHUB_EVENT_NAME: "pull_request", GITHUB_SHA: sha, BASE: made.base });
  };

  const [failed, passed] = [await judge(wrong), await judge(right)];

  expect([failed.code, failed.stdout]).toEqual([
    1,
    expect.stringContaining(`disproven ${ID}  T\n  disproven 1: It has a file: "test -f a.txt" ended with status 1\n`),
  ]);
  expect([passed.code, passed.stdout]).toEqual([0, expect.stringContaining(`proven    ${ID}  T\n`)]);
});

test("a push is compared with the commit before, and a new branch with the default branch", async () => {
  using made = await pullRequest("b.txt");
  const sha = (await made.mustGit("rev-parse", "HEAD")).trim();
  await made.mustGit("remote", "add", "origin", `file://${made.root}`);
  const push = (BASE: string) => runStep(judging, made.root, { GITHUB_EVENT_NAME: "push", GITHUB_SHA: sha, BASE });

  const [before, created, same] = [await push(made.base), await push("0".repeat(40)), await push(sha)];

  expect([before.code, created.code, same.code]).toEqual([1, 1, 0]);
  expect(same.stdout).toStartWith("0 specs completed");
});

test("events that run a change with the rights of the target branch are refused", async () => {
  const run = async (GITHUB_EVENT_NAME: string) => (await runStep(refusal, REPOSITORY, { GITHUB_EVENT_NAME })).code;

  expect(await Promise.all(["pull_request_target", "workflow_run", "schedule", ""].map(run))).toEqual([1, 1, 1, 1]);
  expect(await Promise.all(["pull_request", "merge_group", "push"].map(run))).toEqual([0, 0, 0]);
});
