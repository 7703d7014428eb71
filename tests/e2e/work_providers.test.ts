import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LinesOfProcess } from "../support/lines_of_process.ts";
import { PLANNER } from "../support/planner_command.ts";
import { isRunning, type WorkProject, workProject } from "../support/work_project.ts";

const A = "2026-11-01-001-aaa";
const AGENT = join(import.meta.dirname, "..", "support", "agent.ts");

interface Case {
  readonly provider: string;
  readonly program: string;
  /** Where the agent looks for its servers; null for one that learns of them by its arguments. */
  readonly file: string | null;
  /** What a person has written there and committed. */
  readonly own: string | null;
}

const OTHER = '{\r\n\t// mine\r\n\t"mcpServers": {"other":   {"command": "x"}},\r\n}';
const CASES: readonly Case[] = [
  { provider: "cursor-agent", program: "cursor-agent", file: ".cursor/mcp.json", own: OTHER },
  { provider: "gemini", program: "gemini", file: ".gemini/settings.json", own: '{"theme": "dark" /* mine */}\n' },
  { provider: "opencode", program: "opencode", file: null, own: null },
  { provider: "kiro", program: "kiro-cli", file: ".kiro/settings/mcp.json", own: null },
  { provider: "codex", program: "codex", file: null, own: null },
];

/** A project whose agent is found under the provider's own program name, and the environment to find it in. */
async function standIn({ provider, program, file, own }: Case, plan: readonly string[]) {
  const project = await workProject({ plan: {} });
  const env = { AGENT_PLAN: JSON.stringify({ "*": plan }), AGENT_NOTES: project.notes, AGENT_PROVIDER: provider };
  const settings = { defaults: { provider }, providers: { [provider]: { env } } };
  project.write(".planner/config.md", `---\n${JSON.stringify(settings)}\n---\n`);
  if (file !== null && own !== null) project.write(file, own);
  await project.add(A);
  const bin = join(project.root, ".planner/logs/bin");
  project.write(`.planner/logs/bin/${program}`, `#!/bin/sh\nexec "${process.execPath}" "${AGENT}" "$@"\n`);
  chmodSync(join(bin, program), 0o755);
  return { project, env: { PATH: `${bin}:${process.env["PATH"]}` } };
}

function content(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function worktreeOf(project: WorkProject): string {
  return join(project.root, project.tree(A));
}

for (const one of CASES) {
  const { provider, file, own } = one;

  test(`${provider} finds planner's server as it looks for one, and what a person wrote there stays`, async () => {
    const { project, env } = await standIn(one, ["tick", "commit_all", "finalize"]);
    using _ = project;

    const { code, stdout } = await project.planner(["work", A], { env });

    expect([code, stdout]).toEqual([0, `${A}: completed\n`]);
    const committed = await project.mustGit("log", "--name-only", "--format=", `main..planner/${A}`);
    const files = new Set(committed.split("\n").filter(Boolean));
    expect([...files].sort()).toEqual([`.planner/specs/${A}.md`, `${A}.txt`]);
    const words = readFileSync(join(project.notes, "arguments"), "utf8");
    if (provider === "codex") {
      const parts = ["objects", "refs/heads/planner", "logs/refs/heads/planner", `worktrees/${A}`];
      const folders = parts.map((part) => join(project.root, ".git", part));
      expect(words).toContain(`sandbox_workspace_write.writable_roots=${JSON.stringify(folders)}`);
    }
    if (file === null) return;
    expect(content(join(worktreeOf(project), file))).toBe(own);
    expect(content(join(project.root, file))).toBe(own);
    expect((await project.git(["status", "--porcelain"], { cwd: worktreeOf(project) })).stdout).toBe("");
  });

  // One that a person has committed, and one that the run makes.
  if (file === null || !["cursor-agent", "kiro"].includes(provider)) continue;

  for (const flags of [[], ["--no-worktree"]]) {
    test(`doctor puts the file of ${provider} back after a kill ${flags.join("")}`, async () => {
      const { project, env } = await standIn(one, ["tick", "hang"]);
      using _ = project;
      const place = flags.length === 0 ? worktreeOf(project) : project.root;
      await using work = new LinesOfProcess(["env", `PATH=${env.PATH}`, ...PLANNER, "work", A, ...flags], project.root);
      await project.noted("steps", "tick");
      expect(content(join(place, file))).toContain("planner");

      work.child.kill("SIGKILL");
      await work.ended;
      await project.planner(["doctor", "--fix"]);

      expect(content(join(place, file))).toBe(own);
      expect(content(join(project.root, file))).toBe(own);
      expect(project.pids().filter(isRunning)).toEqual([]);
    });
  }
}

test("without a worktree the file is put back at the end, and one that the run changed is left and told of", async () => {
  const [cursor] = CASES as readonly [Case, ...Case[]];
  for (const [steps, changed] of [
    [["tick"], false],
    [["tick", "append:.cursor/mcp.json"], true],
  ] as const) {
    const { project, env } = await standIn(cursor, steps);
    using _ = project;

    expect((await project.planner(["work", A, "--no-worktree"], { env })).code).toBe(0);

    if (changed) expect(project.read(".cursor/mcp.json")).toMatch(/"planner"[\s\S]*\/\/ appended\n$/);
    else expect(project.read(".cursor/mcp.json")).toBe(OTHER);
    expect(project.read(`.planner/logs/${A}.log`).includes("was changed by the run")).toBe(changed);
    expect(project.list(".planner/worktrees").filter((name) => name.includes("placed"))).toEqual([]);
  }
});

test("an agent in a worktree can read the prompt by the path that it is given", async () => {
  using project = await workProject({ plan: {} });
  const cat = JSON.stringify({ command: { command: "cat", args: ["{prompt_file}"] } });
  project.write(".planner/config.md", `---\ndefaults: {provider: command}\nproviders: ${cat}\n---\n`);
  await project.add(A, "evidence: none\n", "# Saw the plank\n\nLengthwise.\n");

  expect((await project.planner(["work", A])).code).toBe(0);

  expect(project.read(`.planner/logs/${A}.log`)).toContain("Z Lengthwise.\n");
});
