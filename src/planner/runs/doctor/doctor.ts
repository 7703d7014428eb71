import { OperationError } from "#kernel/errors.ts";
import { brokenConfig } from "./check_config.ts";
import { gitLocks } from "./check_git_locks.ts";
import { plantedChanges } from "./check_planted.ts";
import { deadRecords, staleClaims, staleWatch } from "./check_processes.ts";
import { mirrorRemotes } from "./check_remotes.ts";
import { leftoverFiles, strandedSpecs, unreadableFiles } from "./check_specs.ts";
import { orphanedWorktrees } from "./check_worktrees.ts";
import type { CareDeps, Trouble, TroubleKind } from "./trouble.ts";

/** One trouble as it is reported. */
export interface DoctorFinding {
  readonly kind: TroubleKind;
  readonly subject: string;
  readonly message: string;
  /** What a person can do, or null. */
  readonly advice: string | null;
  /** Whether `--fix` can repair something of it. */
  readonly fixable: boolean;
  /** What was done, or null. */
  readonly fixed: string | null;
  /** Why it could not be repaired, or null. */
  readonly failed: string | null;
}

export interface DoctorReport {
  /** True when nothing is left to be seen to. */
  readonly healthy: boolean;
  readonly findings: readonly DoctorFinding[];
}

/**
 * In this order, because each goes by what the one before it has settled: a claim's end marks its spec and its worktree,
 * reading the records for the later checks makes dead ones failed, and a worktree whose index is locked is not removed.
 * Source: docs/decisions.md#s-23, docs/decisions.md#s-26, docs/decisions.md#s-27.
 */
const CHECKS: readonly ((deps: CareDeps) => Promise<readonly Trouble[]>)[] = [
  staleClaims,
  deadRecords,
  staleWatch,
  gitLocks,
  plantedChanges,
  mirrorRemotes,
  orphanedWorktrees,
  strandedSpecs,
  brokenConfig,
  unreadableFiles,
  leftoverFiles,
];

/**
 * Finds leftovers of killed processes. With `fix`, repairs those that need no loss of uncommitted changes or unmerged
 * commits. Each check repairs before the next check runs, so a second run finds nothing to repair.
 *
 * Without `fix`, changes only records of dead processes, which any reader marks failed.
 */
export async function runDoctor(deps: CareDeps, { fix }: { readonly fix: boolean }): Promise<DoctorReport> {
  const findings: DoctorFinding[] = [];
  for (const check of CHECKS) {
    for (const trouble of await check(deps)) findings.push(await seenTo(trouble, fix));
  }
  return { healthy: findings.every(({ fixed, advice }) => fixed !== null && advice === null), findings };
}

async function seenTo({ repair, ...trouble }: Trouble, fix: boolean): Promise<DoctorFinding> {
  const finding = { ...trouble, fixable: repair !== undefined, fixed: null, failed: null };
  if (!fix || repair === undefined) return finding;
  try {
    return { ...finding, fixed: (await repair()) ?? "nothing was left to do" };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { ...finding, failed: error.message };
  }
}
