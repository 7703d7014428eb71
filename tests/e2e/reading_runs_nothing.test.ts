import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GitProject, gitProject } from "../support/git_project.ts";
import { runCommand, runPlanner } from "../support/planner_command.ts";

const ONE = "2026-11-21-001-abc";
const TWO = "2026-11-21-002-def";
const spec = (id: string): string => `---\nid: ${id}\nstatus: pending\n---\n\n# T\n\n- [ ] a\n`;

let project: GitProject;
let canaries: string;

/** Writes a program that leaves a file of its name behind, and returns its path. */
function canary(name: string, after = "cat"): string {
  const path = join(canaries, `run-${name}`);
  writeFileSync(path, `#!/bin/sh\n: > "${join(canaries, `met-${name}`)}"\n${after}\n`);
  chmodSync(path, 0o755);
  return path;
}

function met(): readonly string[] {
  return readdirSync(canaries).filter((name) => name.startsWith("met-"));
}

function forgetMet(): void {
  for (const name of met()) rmSync(join(canaries, name));
}

beforeEach(async () => {
  project = await gitProject();
  canaries = join(project.root, "..", `${project.root.split("/").at(-1)}-canaries`);
  mkdirSync(canaries);
  for (const id of [ONE, TWO]) project.spec(id, spec(id));
  project.write("code.txt", "one\n");
  await project.mustGit("add", ".");
  await project.mustGit("commit", "--quiet", "-m", `start ${ONE}`);
  await addWorktrees();
  project.spec(ONE, `${spec(ONE)}\nmore\n`);
  await project.mustGit("add", ".planner/specs");
  await plantSettings();
  plantHooks();
  // The same text with a later time: git has to compare, for which it would run the filters.
  project.write(`${project.tree(ONE)}/code.txt`, "code of 2026-11-21-001-abc\n");
  utimesSync(join(project.root, `${project.tree(ONE)}/code.txt`), 2e9, 2e9);
  forgetMet();
});

afterEach(() => {
  rmSync(canaries, { recursive: true, force: true });
  project.remove();
});

/** Two branches that change the same file, as runs leave them. */
async function addWorktrees(): Promise<void> {
  for (const id of [ONE, TWO]) {
    const path = project.tree(id);
    await project.mustGit("worktree", "add", "--quiet", "-b", `planner/${id}`, path);
    project.write(`${path}/code.txt`, `code of ${id}\n`);
    await project.git(["commit", "--quiet", "-am", `work on ${id}`], { cwd: join(project.root, path) });
    const origin = { branch: `planner/${id}`, mainBranch: "main", brought: [] };
    project.write(`.planner/worktrees/${id}.origin.json`, JSON.stringify(origin));
  }
}

async function plantSettings(): Promise<void> {
  const set = (key: string, value: string): Promise<string> => project.mustGit("config", key, value);
  await set("core.fsmonitor", canary("fsmonitor"));
  for (const key of ["clean", "smudge", "process"]) await set(`filter.a=b.c.${key}`, canary(`filter-${key}`));
  await set("filter.a=b.c.required", "true");
  await set("diff.own.textconv", canary("textconv"));
  await set("diff.own.command", canary("diff-command"));
  await set("diff.external", canary("diff-external"));
  await set("merge.own.driver", canary("merge-driver"));
  await set("log.showSignature", "true");
  await set("gpg.program", canary("gpg"));
  for (const key of ["core.pager", "pager.log", "pager.config", "core.editor", "core.askPass"])
    await set(key, canary(key.replace(".", "-")));
  await set("core.sshCommand", canary("ssh"));
  await set("core.alternateRefsCommand", canary("alternate-refs"));
  await set("credential.helper", canary("credentials"));
  for (const name of ["rev-parse", "log", "status", "config"]) await set(`alias.${name}`, `!${canary("alias")}`);
  await set("hook.own.command", canary("configured-hook"));
  await set("hook.own.event", "post-index-change");
  await set("remote.origin.promisor", "true");
  await set("remote.origin.partialCloneFilter", "blob:none");
  await set("remote.origin.uploadpack", canary("uploadpack"));
  await set("remote.origin.url", project.root);
  await set("protocol.allow", "always");
  await set("protocol.file.allow", "always");
  await set("extensions.partialClone", "origin");
  project.write(".git/info/attributes", "* filter=a=b.c diff=own merge=own\n");
}

function plantHooks(): void {
  const events = ["post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman"];
  for (const event of events) {
    const path = join(project.root, ".git/hooks", event);
    writeFileSync(path, `#!/bin/sh\n: > "${join(canaries, `met-hook-${event}`)}"\n`);
    chmodSync(path, 0o755);
  }
}

const CALLS = "list show diagnose verify status get_worktree_status lint ready search get_spec"
  .split(" ")
  .map((name, id) => {
    const args = { id: ONE, query: "a" };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: `planner_${name}`, arguments: args } })}\n`;
  });

/** Every command that only reads, one after the other. */
async function readEverything(): Promise<void> {
  const commands = [
    ["list"],
    ["lint"],
    ["lint", "--staged"],
    ["lint", "--format", "sarif"],
    ["show", ONE],
    ["diagnose", ONE],
    ["verify", ONE],
    ["verify", ONE, "--record"],
    ["status"],
    ["status", "--activity"],
    ["log", ONE],
    ["ready"],
    ["doctor"],
    ["usage"],
    ["prime"],
    ["hook", "status"],
  ];
  for (const words of commands) {
    const { stderr } = await project.planner(words);
    expect(stderr).not.toContain("bug in planner");
    expect({ words, met: met() }).toEqual({ words, met: [] });
  }
  await runPlanner(["mcp"], { cwd: project.root, input: CALLS.join("") });
  expect({ words: "mcp", met: met() }).toEqual({ words: "mcp", met: [] });
}

test("no command that reads runs a program that the repository's settings name", async () => {
  await readEverything();
});

test("no command that reads fetches an object that is not there", async () => {
  const staged = (await project.mustGit("rev-parse", `:.planner/specs/${ONE}.md`)).trim();
  rmSync(join(project.root, ".git/objects", staged.slice(0, 2), staged.slice(2)));
  forgetMet();

  await readEverything();
  const { code, stderr } = await project.planner(["lint", "--staged"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("Cannot read ");
});

test("the hook of the project's checks runs no program of the repository's settings", async () => {
  rmSync(join(project.root, ".git/hooks/pre-commit"));
  await project.planner(["hook", "install"]);
  const path = join(project.root, ".git/hooks/pre-commit");
  // As git calls it.
  const env = { GIT_INDEX_FILE: ".git/index", GIT_PREFIX: "" };
  const { code, stdout } = await runCommand([path], { cwd: project.root, env });

  expect(code).toBe(0);
  expect(stdout).toContain(ONE);
  expect(met()).toEqual([]);
});

test("a filter of the person's own settings stays in use, whatever the repository sets", async () => {
  for (const key of ["process", "smudge"]) await project.mustGit("config", "--unset", `filter.a=b.c.${key}`);
  forgetMet();
  const global = join(canaries, "global");
  writeFileSync(global, `[filter "a=b.c"]\n\tclean = ${canary("own-clean")}\n\trequired = true\n`);

  await project.planner(["doctor"], { env: { GIT_CONFIG_GLOBAL: global } });

  expect(met()).toEqual(["met-own-clean"]);
});
