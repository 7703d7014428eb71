import { execFile } from "node:child_process";
import type { GitHistory } from "../../ports.ts";
import { namesSpec, namingTexts } from "../../work/commit_message.ts";

/** Longest wait for git, in milliseconds. Ours: a history of a million commits takes seconds; longer is a hang. */
const GIT_TIMEOUT_MS = 10_000;

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The git repository around `root`; every answer is empty where git or the repository is missing. */
export function openGitHistory(root: string): GitHistory {
  return {
    async commitsNaming(id, { branch = null, template = null } = {}) {
      const grep = ["--fixed-strings", ...namingTexts(id, template).flatMap((text) => ["--grep", text])];
      const more = branch === null ? [] : ["HEAD", exactBranch(branch)];
      const log = ["log", "--no-show-signature", "--no-color", ...grep, "--format=%h%n%B%x00", ...more, "--"];
      const answer = await git(root, log);
      const commits = answer.split("\0").map((commit) => commit.trimStart().split("\n"));
      return commits.flatMap(([hash = "", ...lines]) =>
        hash !== "" && namesSpec(lines.join("\n"), id, template) ? [hash] : [],
      );
    },
  };
}

/** A pattern for this one branch: unlike its name, it is no error where there is no such branch. */
function exactBranch(name: string): string {
  const escaped = name.replace(/[\\*?[]/g, "\\$&");
  return `--branches=${escaped.slice(0, -1)}[${escaped.slice(-1)}]`;
}

function git(root: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = {
      cwd: root,
      env: environment(),
      timeout: GIT_TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_ANSWER_BYTES,
      windowsHide: true,
    } as const;
    execFile("git", args, options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}

/** Returns an environment without password prompts. Git uses the root's repository, even if a hook calls planner. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = process.env;
  return { ...rest, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
}
