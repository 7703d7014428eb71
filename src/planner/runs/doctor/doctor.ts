import { OperationError } from "#kernel/errors.ts";
import { liveWorker } from "#planner/operations/shared/live_worker.ts";
import { gitLocks } from "./check_git_locks.ts";
import { deadRecords, staleClaims, staleWatch } from "./check_processes.ts";
import { leftoverFiles, strandedSpecs, unreadableFiles } from "./check_specs.ts";
import { orphanedWorktrees } from "./check_worktrees.ts";
import type { CareDeps, Trouble, TroubleKind } from "./trouble.ts";

/** Path of the settings from the project root. Source: docs/decisions.md#s-01. */
const CONFIG_FILE = ".planner/config.md";

/** Reports settings that cannot be read. No agent starts without them, and only a person can correct them. */
async function brokenConfig({ context }: CareDeps): Promise<readonly Trouble[]> {
  try {
    await context.config();
    return [];
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    const advice = "fix its text; `planner config --validate` lists the faults";
    return [{ kind: "broken_config", subject: CONFIG_FILE, message: error.message, advice }];
  }
}

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

/**
 * Reports changes by runs to programs that git runs in every checkout. There is no repair, because only a person can
 * decide whether they made the change. Until then planner runs no git command that would run these programs.
 */
async function plantedChanges({ context, ports }: CareDeps): Promise<readonly Trouble[]> {
  const found: Trouble[] = [];
  for (const { spec_id, what, undo, note } of await ports.worktrees.planted()) {
    // The run checks this itself when it ends.
    if ((await liveWorker(context, spec_id)) !== null) continue;
    found.push({
      kind: "planted_change",
      subject: spec_id,
      message: `${what} during its run or since, and git would run it with your rights`,
      advice: `undo it with: ${undo}; if it is yours, remove ${note}`,
    });
  }
  return found;
}

/**
 * Reports remotes that are mirrors: a fetch that prunes deletes the records of runs, which the other side lacks, and a push
 * deletes what others keep there.
 */
async function mirrorRemotes({ ports }: CareDeps): Promise<readonly Trouble[]> {
  return (await ports.worktrees.mirrors()).map((name) => ({
    kind: "mirror_remote",
    subject: `remote ${name}`,
    message:
      "it mirrors all refs: a fetch that prunes deletes refs/planner with the records of runs, a push deletes those of others",
    advice: `limit it to branches and tags: git config --unset remote.${name}.mirror; git config --replace-all remote.${name}.fetch "+refs/heads/*:refs/remotes/${name}/*"`,
  }));
}
