import type { SpecId } from "#planner/spec/spec_id.ts";
import { isSpecCommit, listCommitSearchTexts } from "../../work/commit_message.ts";

/** Maximum duration of a git call in ms. Chosen by planner: a million commits take seconds; longer means a hang. */
const GIT_TIMEOUT_MS = 10_000;

export type GitHistory = ReturnType<typeof openGitHistory>;

/** Opens the git history of the repository around `root`. Without a repository, queries find nothing. */
export function openGitHistory(root: string) {
  return {
    /**
     * Returns abbreviated hashes of commits whose messages name the spec as their work, newest first.
     *
     * @param how `branch` is searched beside HEAD; `template` is the template of commit messages
     */
    async listCommitsNaming(
      id: SpecId,
      how: { readonly branch?: string | null; readonly template?: string | null } = {},
    ): Promise<readonly string[]> {
      const { branch = null, template = null } = how;
      const grep = ["--fixed-strings", ...listCommitSearchTexts(id, template).flatMap((text) => ["--grep", text])];
      const more = branch === null ? [] : ["HEAD", buildBranchPattern(branch)];
      const log = ["log", "--no-color", ...grep, "--format=%h%n%B%x00", ...more, "--"];
      const commits = ((await runGit(root, log)) ?? "").split("\0").map((commit) => commit.trimStart().split("\n"));
      return commits.flatMap(([hash = "", ...lines]) =>
        hash !== "" && isSpecCommit(lines.join("\n"), id, template) ? [hash] : [],
      );
    },
    /** The last commit that added or removed one of the texts in a file, as `<hash> <author>, <day>: <subject>`. */
    async findLastChange(file: string, texts: readonly string[]): Promise<string | null> {
      const format = "--format=%h %an, %ad: %s";
      const pattern = texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
      const log = ["log", "-1", "--no-color", "--date=short", format, "--pickaxe-regex", `-S${pattern}`, "--", file];
      return (await runGit(root, log))?.trim() || null;
    },
  };
}

/** Returns git's output; null without a repository or a commit. */
async function runGit(root: string, args: readonly string[]): Promise<string | null> {
  // Loaded only when needed: few commands use git, and loading streams would slow the start of all others.
  const { Git } = await import("./git.ts");
  return new Git(root).tryReadOutput(args, { limitMs: GIT_TIMEOUT_MS });
}

/** Returns a pattern that matches only this branch and, unlike a name, causes no error if the branch does not exist. */
function buildBranchPattern(name: string): string {
  const escaped = name.replace(/[\\*?[]/g, "\\$&");
  return `--branches=${escaped.slice(0, -1)}[${escaped.slice(-1)}]`;
}
