import { OperationError } from "#kernel/errors.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { PROCESS_GONE } from "../claims.ts";
import { failStarted } from "../run/write_end.ts";
import type { CareDeps } from "../run_types.ts";

/** In the order in which they are looked for and repaired: what runs first, then what it left. */
export const TROUBLE_KINDS = [
  "stale_claim",
  "dead_record",
  "stale_watch",
  "git_lock",
  "planted_change",
  "mirror_remote",
  "shared_claims",
  "orphaned_worktree",
  "stranded_spec",
  "broken_config",
  "unreadable_file",
  "leftover_file",
] as const;

export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** Something that is not as it should be. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** The file, folder or spec that it is about. */
  readonly subject: string;
  readonly message: string;
  /** What a person can do; null where a repair does all there is to do. */
  readonly advice: string | null;
  /**
   * Repairs it and returns a sentence about it, or null if nothing is left to repair. Absent if no repair is safe.
   *
   * @throws OperationError if the repair is no longer possible
   */
  readonly repair?: () => Promise<string | null>;
}

/**
 * Records the end of an interrupted run: its spec failed, unless it has another status by now, and no process works in
 * its worktree. The agent's work stays in the worktree, and the next run of the spec continues it.
 *
 * @returns a sentence about the repair, or null
 */
export async function endStranded(deps: CareDeps, id: SpecId): Promise<string | null> {
  const failed = await failSpec(deps, id);
  await deps.ports.worktrees.displace(id);
  await endWorktreeStatus(deps, id);
  return failed ? `set spec ${id} to failed` : null;
}

async function failSpec(deps: CareDeps, id: SpecId): Promise<boolean> {
  try {
    return await failStarted(deps, id);
  } catch (error) {
    // It was archived or deleted, or cannot be read, which is a separate finding.
    if (error instanceof OperationError) return false;
    throw error;
  }
}

async function endWorktreeStatus({ context, ports }: CareDeps, id: SpecId): Promise<void> {
  const found = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  if (found?.status !== "working") return;
  const commits = await ports.worktrees.commits(id);
  const completed = await isCompleted({ context }, id);
  await ports.worktrees.writeStatus({
    spec_id: id,
    status: completed ? "done" : "failed",
    error: completed ? null : PROCESS_GONE,
    commits,
  });
}

async function isCompleted({ context }: Pick<CareDeps, "context">, id: SpecId): Promise<boolean> {
  const { specs } = await context.specs.active();
  return specs.find((spec) => spec.id === id)?.status === "completed";
}
