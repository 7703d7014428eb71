import { execFile } from "node:child_process";
import type { GitHistory } from "../ports.ts";

/** Longest wait for git, in milliseconds. Ours: a history of a million commits takes seconds; longer is a hang. */
const GIT_TIMEOUT_MS = 10_000;

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The git repository around `root`; every answer is empty where git or the repository is missing. */
export function openGitHistory(root: string): GitHistory {
  return {
    async commitsNaming(id) {
      const answer = await git(root, ["log", "--fixed-strings", "--grep", `planner(${id})`, "--format=%h"]);
      return answer.split("\n").filter((line) => line !== "");
    },
  };
}

function git(root: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = {
      cwd: root,
      timeout: GIT_TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_ANSWER_BYTES,
      windowsHide: true,
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" },
    } as const;
    execFile("git", args, options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}
