import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLANNER, type RunResult, runCommand } from "../support/planner_command.ts";
import { type TempProject, tempProject } from "../support/temp_project.ts";
import { type ModelServer, openModelServer } from "./model/model_server.ts";
import type { RealAgent } from "./real_agents.ts";

/** A project in a git repository whose agent is a real CLI that asks the scripted model. */
export interface AgentProject extends TempProject {
  readonly model: ModelServer;
  /** Writes a spec with one criterion whose run follows a script, and commits it. */
  add(id: string, script: string, fields?: string): Promise<void>;
  git(...args: readonly string[]): Promise<string>;
  planner(...args: readonly string[]): Promise<RunResult>;
  /** The environment of every command: nothing of the person's own. */
  readonly env: Readonly<Record<string, string>>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function agentProject(agent: RealAgent, bin: string, config = ""): Promise<AgentProject> {
  const project = tempProject();
  const home = mkdtempSync(join(tmpdir(), "planner-home-"));
  mkdirSync(join(home, "tmp"));
  const model = await openModelServer();
  const env: Readonly<Record<string, string>> = {
    HOME: home,
    TMPDIR: join(home, "tmp"),
    PATH: `${bin}:${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    ...agent.settle(home, model.port),
  };
  const run = (command: readonly string[]): Promise<RunResult> =>
    runCommand(["env", "-i", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command], {
      cwd: project.root,
    });
  const git = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(["git", ...args]);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  if (agent.firstCall !== undefined) await run(agent.firstCall);
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Ann");
  await git("config", "user.email", "ann@example.org");
  project.write(".planner/config.md", `---\ndefaults: {provider: ${agent.provider}}\n${config}---\n`);
  project.write(".planner/.gitignore", ["logs/", "processes/", "locks/", "worktrees/", "watch.pid", ""].join("\n"));
  project.write("src/begin.txt", "begin\n");
  await git("add", "--all");
  await git("commit", "--quiet", "-m", "begin");
  return {
    ...project,
    model,
    env,
    git,
    async add(id, script, fields = "") {
      project.spec(
        id,
        `---\nid: ${id}\nstatus: pending\nlabels: [work]\n${fields}---\n\n# Write the file of ${id}\n\nScript: ${script}\n\n## Acceptance Criteria\n\n- [ ] The file is written\n`,
      );
      await git("add", "--all");
      await git("commit", "--quiet", "-m", `specify ${id}`);
    },
    planner: (...args) => run([...PLANNER, ...args]),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      project.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
