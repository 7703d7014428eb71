import { afterEach, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";
import { isRunning } from "../support/work_project.ts";

const AGENT = join(import.meta.dirname, "..", "support", "agent.ts");
const TITLES = ["Count the words", "Print a table", "Tell both in one report"];

let project: GitProject;

afterEach(() => project.remove());

/** Runs the command, expects it to go well, and gives what it printed. */
async function planner(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.planner(args);
  if (code !== 0) throw new Error(`planner ${args.join(" ")} (${code}): ${stdout}${stderr}`);
  return stdout;
}

/** A repository with something in it already, set up for planner. */
async function begin(): Promise<void> {
  project = await gitProject();
  await project.mustGit("config", "user.name", "Ann");
  await project.mustGit("config", "user.email", "ann@example.org");
  project.write("README.md", "# Words\n");
  await planner("init", "--yes");
}

/** Makes the agent of the tests the project's own; those whose specs wait for nothing meet, so both are at work at once. */
function configure([one = "", two = "", both = ""]: readonly string[]): void {
  const plan = {
    [one]: ["meet:2", "say:counted", "commit", "tick"],
    [two]: ["meet:2", "say:printed", "commit", "tick", "finalize"],
    [both]: [`need:${one}.txt`, `need:${two}.txt`, "say:told", "commit", "tick"],
  };
  const env = { AGENT_PLAN: JSON.stringify(plan), AGENT_NOTES: join(project.root, ".planner", "logs", "notes") };
  const command = { command: process.execPath, args: [AGENT, "{mcp_config}"], stream: "text", env };
  const config = project
    .read(".planner/config.md")
    .replace("defaults:\n", "defaults:\n  provider: command\n")
    .replace("\nlint:", () => `\nproviders: ${JSON.stringify({ command })}\nlint:`);
  project.write(".planner/config.md", config);
}

async function addSpecs(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const title of TITLES) {
    const said = await planner("add", title);
    ids.push(/^Created spec: (\S+)$/m.exec(said)?.[1] ?? "");
  }
  return ids;
}

const specFile = (id: string): string => `.planner/specs/${id}.md`;

/** Writes down what is wanted, each spec in another hand: with comments, with CRLF, with unusual quoting. */
async function specify([one = "", two = "", both = ""]: readonly string[]): Promise<readonly string[]> {
  for (const id of [one, two, both]) await planner("update", id, "--label", "words");
  await planner("update", both, "--depends-on", one, "--depends-on", two);
  const criteria = "\n\n## Acceptance Criteria\n\n- [ ] A test shows it\n- [ ] It is told in the README\n";
  const edit = (id: string, change: (text: string) => string): void =>
    project.spec(id, change(project.read(specFile(id)).trimEnd() + criteria));
  edit(one, (text) =>
    text
      .replace("\nstatus: pending\n", "\n# Ann: not before March\nstatus: pending   # as of today\n")
      .replace("\n---\n", "\nowner:   'Ann''s team'\nnotes: >-\n  folded\n  text\n---\n"),
  );
  edit(two, (text) => text.replaceAll("\n", "\r\n"));
  edit(both, (text) => text.replace("status: pending", 'status:   "pending"'));
  return [one, two, both].map((id) => project.read(specFile(id)));
}

/** The spec as it was, with no more than the lines changed that a run touches. */
function worked(
  before: string,
  { id, output, completedAt }: { id: string; output: string; completedAt: string },
): string {
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const fields = [`branch: planner/${id}`, `completed_at: ${completedAt}`, "---", "", "# "].join(end);
  const text = before
    .replace(/^(status: +"?)pending/m, "$1completed")
    .replace(["---", "", "# "].join(end), fields)
    .replaceAll("- [ ]", "- [x]");
  return text + ["", "## Output", "", output, ""].join(end);
}

function processesHere(): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return isRunning(Number(name)) && readlinkSync(`/proc/${name}/cwd`).startsWith(project.root);
    } catch {
      return false;
    }
  });
}

test("a project goes from init to the archive, worked by agents two at a time", async () => {
  await begin();
  const ids = await addSpecs();
  configure(ids);
  await planner("approve", "--commands", "--yes");
  const before = await specify(ids);
  await project.mustGit("add", "--all");
  await project.mustGit("commit", "--quiet", "-m", "begin");

  const said = await planner("work", "--parallel", "2");
  await planner("watch", "--once");

  expect(said.trimEnd().split("\n").toSorted()).toEqual(ids.map((id) => `${id}: completed`));
  const after = ids.map((id) => project.read(specFile(id)));
  for (const [index, id] of ids.entries()) {
    const completedAt = /^completed_at: (\S+)/m.exec(after[index] ?? "")?.[1] ?? "";
    expect(Date.parse(completedAt)).toBeGreaterThan(0);
    const output = ["counted", "printed", "told"][index] ?? "";
    expect(after[index]).toBe(worked(before[index] ?? "", { id, output, completedAt }));
    expect(project.read(`${id}.txt`)).toBe(`the work of ${id}\n`);
  }
  await expectHistory(ids);
  expect(await project.mustGit("status", "--porcelain")).toBe("");

  for (const id of ids) await planner("archive", id);

  expect(ids.map((id) => project.read(`.planner/archive/${id.slice(0, 10)}/${id}.md`))).toEqual([...after]);
  await project.mustGit("add", "--all");
  await project.mustGit("commit", "--quiet", "-m", "archive");
  expect(await project.mustGit("show", "--format=", "--name-status", "-M100%")).toBe(
    ids.map((id) => `R100\t${specFile(id)}\t.planner/archive/${id.slice(0, 10)}/${id}.md\n`).join(""),
  );
  await expectNothingLeft(ids);
});

/** One commit of work and one of the spec's end for each spec, in a line, what builds upon others last. */
async function expectHistory(ids: readonly string[]): Promise<void> {
  const log = await project.mustGit("log", "--reverse", "--format=%s", "main");
  const [first, ...subjects] = log.trimEnd().split("\n");
  const pair = (id: string): string =>
    `planner(${id}): do the work\nplanner: note that the run of ${id} ended as completed`;
  const pairs = [0, 2, 4].map((index) => subjects.slice(index, index + 2).join("\n"));
  expect([first, subjects.length]).toEqual(["begin", 6]);
  expect(pairs.slice(0, 2).toSorted()).toEqual(ids.slice(0, 2).map(pair));
  expect(pairs[2]).toBe(pair(ids[2] ?? ""));
  expect(await project.mustGit("log", "--merges", "--format=%s", "main")).toBe("");
  for (const id of ids) {
    const files = await project.mustGit("log", "--format=", "--name-only", `--grep=${id}`, "main");
    expect(files.trim().split("\n").toSorted()).toEqual([specFile(id), `${id}.txt`]);
  }
}

async function expectNothingLeft(ids: readonly string[]): Promise<void> {
  expect((await project.mustGit("worktree", "list")).trimEnd().split("\n").length).toBe(1);
  expect(await project.mustGit("branch", "--format=%(refname:short)")).toBe("main\n");
  expect(project.list(".planner/worktrees").filter((name) => ids.includes(name))).toEqual([]);
  expect(project.list(".planner/locks").filter((name) => name.endsWith(".lock"))).toEqual([]);
  expect(processesHere()).toEqual([]);
  expect(await planner("doctor")).toBe("Nothing found\n");
  expect(await planner("lint")).toContain("0 errors, 0 warnings");
}
