import type { CareDeps, Trouble } from "./trouble.ts";

/**
 * Reports remotes that are mirrors: a fetch that prunes deletes the records of runs, which the other side lacks, and a push
 * deletes what others keep there.
 */
export async function mirrorRemotes({ ports }: CareDeps): Promise<readonly Trouble[]> {
  return (await ports.worktrees.mirrors()).map((name) => ({
    kind: "mirror_remote",
    subject: `remote ${name}`,
    message:
      "it mirrors all refs: a fetch that prunes deletes refs/planner with the records of runs, a push deletes those of others",
    advice: `limit it to branches and tags: git config --unset remote.${name}.mirror; git config --replace-all remote.${name}.fetch "+refs/heads/*:refs/remotes/${name}/*"`,
  }));
}
