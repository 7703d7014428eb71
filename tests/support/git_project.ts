import { join } from "node:path";
import { type RunResult, runCommand, runPlanner } from "./planner_command.ts";
import { type TempProject, tempProject } from "./temp_project.ts";

/** Keeps a person's own git settings out of the tests. */
const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};

export interface GitProject extends TempProject {
  /** Runs git in the root, or in `cwd`; the caller looks at the status. */
  git(args: readonly string[], options?: GitOptions): Promise<RunResult>;
  /** The same; throws when git fails. */
  mustGit(...args: readonly string[]): Promise<string>;
  planner(args: readonly string[], options?: GitOptions): Promise<RunResult>;
}

interface GitOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function gitProject(): Promise<GitProject> {
  const project = tempProject();
  const git = (args: readonly string[], { cwd = project.root, env }: GitOptions = {}): Promise<RunResult> =>
    runCommand(["git", ...args], { cwd, env: { ...GIT_ENV, ...env } });
  const mustGit = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await git(args);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  await mustGit("init", "--quiet", "--initial-branch=main");
  return {
    ...project,
    git,
    mustGit,
    planner: (args, { cwd = project.root, env } = {}) => runPlanner(args, { cwd, env: { ...GIT_ENV, ...env } }),
  };
}

/** Settings of a project whose agent is a command, with further lines. */
export function commandSettings(provider: object, more = ""): string {
  return `---\ndefaults: {provider: command}\nproviders: ${JSON.stringify({ command: provider })}\n${more}---\n`;
}

/** Writes an agent that runs a shell script and commits its work; returns it as a provider. It is removed with the project. */
export function scriptProvider({ root, write }: TempProject, script: string) {
  const path = ".planner/logs/agent.sh";
  write(path, `${script}\ngit add -A && git commit -q -m "planner($PLANNER_SPEC_ID): work"\n`);
  return { command: "/bin/sh", args: [join(root, path)] };
}

/** Commits everything but what runs leave, and lets git know who commits. */
export async function commitProject({ write, mustGit }: GitProject): Promise<void> {
  write(".planner/.gitignore", "logs/\nprocesses/\nlocks/\nworktrees/\nwatch.pid\n");
  await mustGit("config", "user.name", "Ann");
  await mustGit("config", "user.email", "ann@example.org");
  await mustGit("add", "--all");
  await mustGit("commit", "--quiet", "-m", "begin");
}
