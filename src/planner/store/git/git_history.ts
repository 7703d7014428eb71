import type { GitHistory } from "../../ports.ts";
import { namesSpec, namingTexts } from "../../work/commit_message.ts";

/** Longest wait for git, in milliseconds. Ours: a history of a million commits takes seconds; longer is a hang. */
const GIT_TIMEOUT_MS = 10_000;

/** The git repository around `root`; every answer is empty where git or the repository is missing. */
export function openGitHistory(root: string): GitHistory {
  return {
    async commitsNaming(id, { branch = null, template = null } = {}) {
      const grep = ["--fixed-strings", ...namingTexts(id, template).flatMap((text) => ["--grep", text])];
      const more = branch === null ? [] : ["HEAD", exactBranch(branch)];
      const log = ["log", "--no-color", ...grep, "--format=%h%n%B%x00", ...more, "--"];
      const answer = await ask(root, log);
      const text = answer?.status === 0 ? answer.stdout.toString() : "";
      const commits = text.split("\0").map((commit) => commit.trimStart().split("\n"));
      return commits.flatMap(([hash = "", ...lines]) =>
        hash !== "" && namesSpec(lines.join("\n"), id, template) ? [hash] : [],
      );
    },
    async lastWriting(file, texts) {
      const format = "--format=%h %an, %ad: %s";
      const pattern = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
      const log = ["log", "-1", "--no-color", "--date=short", format, "--pickaxe-regex", `-S${pattern}`, "--", file];
      const answer = await ask(root, log);
      return answer?.status === 0 ? answer.stdout.toString().trim() || null : null;
    },
  };
}

/** The answer of git; null where it could not be started. */
async function ask(root: string, args: readonly string[]) {
  // Few commands ask git, and what starts it loads the engine's streams: a quarter of the time of a short list.
  const { Git } = await import("./git.ts");
  return new Git(root).try(args, { limitMs: GIT_TIMEOUT_MS }).catch(() => null);
}

/** A pattern for this one branch: unlike its name, it is no error where there is no such branch. */
function exactBranch(name: string): string {
  const escaped = name.replace(/[\\*?[]/g, "\\$&");
  return `--branches=${escaped.slice(0, -1)}[${escaped.slice(-1)}]`;
}
