import type { Git } from "../git/git.ts";

/** Branches by their full names, each with the path of the checkout that has it checked out: empty for none. */
export type Refs = ReadonlyMap<string, string>;

export async function refsOf(git: Git): Promise<Refs> {
  const listed = await git.run(["for-each-ref", "--format=%(refname) %(worktreepath)", "refs/heads"]);
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}
