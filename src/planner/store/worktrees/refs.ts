import type { Git } from "../git/git.ts";

/** Branches and the stash by their full names, with the hashes that they point to. */
export type Refs = ReadonlyMap<string, string>;

export async function refsOf(git: Git): Promise<Refs> {
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/stash"]);
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}
