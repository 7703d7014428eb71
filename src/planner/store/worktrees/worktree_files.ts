import { WORKTREES } from "../project/places.ts";

/** Files of one worktree, paths from the project's root. */
export const worktreeFiles = {
  folder: (id: string) => `${WORKTREES}/${id}`,
  status: (id: string) => `${WORKTREES}/${id}.status.json`,
  origin: (id: string) => `${WORKTREES}/${id}.origin.json`,
  /** The spec's text as it was brought into the worktree: what both sides have changed since shows against it. */
  base: (id: string) => `${WORKTREES}/${id}.base.md`,
  /** What git overlooks in the worktree, in the format of a .gitignore. */
  exclude: (id: string) => `${WORKTREES}/${id}.exclude`,
  /** The repository when the run began, see snapshot.ts. */
  snapshot: (id: string) => `${WORKTREES}/${id}.git.json`,
} as const;
