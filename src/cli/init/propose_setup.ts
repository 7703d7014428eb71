import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOCK_FILES, type Proposal, proposeSetup as propose } from "#planner/work/setup_proposals.ts";

/** The commands that make a fresh worktree of this project build, by the lock files in its root. */
export function proposeSetup(root: string): readonly Proposal[] {
  const there = LOCK_FILES.filter((file) => existsSync(join(root, file)));
  return propose(new Map(there.map((file) => [file, readFileSync(join(root, file), "utf8")])));
}
