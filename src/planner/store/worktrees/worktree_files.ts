import { WORKTREES_FOLDER } from "../project/places.ts";

/** Paths of one worktree's files, from the project's root. */
export const worktreeFiles = {
  folder: (id: string) => `${WORKTREES_FOLDER}/${id}`,
  status: (id: string) => `${WORKTREES_FOLDER}/${id}.status.json`,
  origin: (id: string) => `${WORKTREES_FOLDER}/${id}.origin.json`,
  /** The spec's text as it was brought into the worktree: the common origin when both versions are merged. */
  base: (id: string) => `${WORKTREES_FOLDER}/${id}.base.md`,
  /** Files that git ignores in the worktree, in the format of a .gitignore. */
  exclude: (id: string) => `${WORKTREES_FOLDER}/${id}.exclude`,
  /** Snapshot of the repository when the run began, see snapshot.ts. */
  snapshot: (id: string) => `${WORKTREES_FOLDER}/${id}.git.json`,
} as const;
