import { OperationError } from "#kernel/errors.ts";
import type { ClaimHolder } from "#planner/store/locks/local_claims.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { AGENT_GRACE_MS } from "../../limits.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { endStaleClaim, PROCESS_GONE_REASON } from "../claims.ts";
import { keepCutOffRecord } from "../run/keep_record.ts";
import { endStartedSpec } from "../run/write_end.ts";
import type { RepairDeps } from "../run_types.ts";

/** Kinds of problems in the order in which `doctor` checks and repairs them: processes first, then their leftovers. */
export const PROBLEM_KINDS = {
  stale_claim: "a claim of a process that no longer runs",
  dead_record: "a record of a process that no longer runs",
  stale_watch: "a `watch.pid` of a process that no longer runs",
  git_lock: "an index lock of a killed git",
  planted_change: "changed hooks, filters or includes of git",
  mirror_remote: "a remote that mirrors all refs",
  failed_check: "a check that could not run, with git's words",
  shared_claims: "what keeps claims from protecting specs in other clones, docs/claims.md",
  orphaned_worktree: "a worktree without a run",
  stranded_spec: "an in_progress spec without a run; one that was paused, taken over or begun by hand is only reported",
  broken_config: "broken settings",
  missing_agent: "an agent whose program is not installed, so that no run can start",
  unreadable_file: "an unreadable file",
  leftover_file: "a temporary file of a killed writer",
} as const;

type ProblemKind = keyof typeof PROBLEM_KINDS;

/** A problem that `doctor` found in the project. */
export interface ProjectProblem {
  readonly kind: ProblemKind;
  /** Path or id of the file, folder or spec with the problem. */
  readonly subject: string;
  readonly message: string;
  /** What a person can do; null if the repair suffices. */
  readonly advice: string | null;
  /**
   * Repairs the problem and returns a sentence about it, or null if nothing is left to repair. Absent if no repair is
   * safe.
   *
   * @throws OperationError if the repair is no longer possible
   */
  readonly repair?: () => Promise<string | null>;
}

/**
 * Records the end of an interrupted run: marks its spec failed, unless the spec has another status by now, and its
 * worktree as unused. The agent's work stays in the worktree, and the next run of the spec continues it.
 *
 * @returns a sentence about the spec's new status; null if the spec has not changed
 */
export async function endInterruptedRun(deps: RepairDeps, id: SpecId): Promise<string | null> {
  const failed = await markSpecFailed(deps, id);
  await deps.ports.worktrees.restoreReplacedFiles(id);
  await markWorktreeEnded(deps, id);
  return failed ? `set spec ${id} to failed` : null;
}

async function markSpecFailed(deps: RepairDeps, id: SpecId): Promise<boolean> {
  try {
    return await endStartedSpec(deps, id, "failed");
  } catch (error) {
    // The spec was archived or deleted, or cannot be read, which is a separate finding.
    if (error instanceof OperationError) return false;
    throw error;
  }
}

async function markWorktreeEnded({ context, ports }: RepairDeps, id: SpecId): Promise<void> {
  const found = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  if (found?.status !== "working") return;
  const { specs } = await context.specs.readActive();
  const completed = specs.find((spec) => spec.id === id)?.status === "completed";
  await ports.worktrees.writeStatus({
    spec_id: id,
    status: completed ? "done" : "failed",
    error: completed ? null : PROCESS_GONE_REASON,
  });
}

/** Finds claims whose holder has ended. The repair also ends agents that the holder left running. */
export async function findStaleClaims(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { claims } = deps.ports;
  const found: ProjectProblem[] = [];
  for (const id of await claims.listIds()) {
    const holder = await claims.readHolder(id);
    if (holder === null || holder.alive) continue;
    found.push({
      kind: "stale_claim",
      subject: `.planner/locks/${id}.lock`,
      message: `process ${holder.pid}, which claimed the spec, is gone`,
      advice: null,
      repair: () => releaseClaim(deps, id, holder),
    });
  }
  return found;
}

async function releaseClaim(deps: RepairDeps, id: SpecId, holder: ClaimHolder): Promise<string | null> {
  let spec: string | null = null;
  const ended = await endStaleClaim(deps, { id, holder }, async () => {
    spec = await endInterruptedRun(deps, id);
  });
  if (ended === null) return null;
  return ["released the claim", ...describeEndedProcesses(ended), ...(spec === null ? [] : [spec])].join(", ");
}

function describeEndedProcesses(ended: number): readonly string[] {
  return ended === 0 ? [] : [`ended ${formatCountWithNoun(ended, "process")} that it had left`];
}

/** Finds records with status `running` whose process has ended. */
export async function findDeadRecords(deps: RepairDeps): Promise<readonly ProjectProblem[]> {
  const { ports } = deps;
  return (await ports.records.listDeadRecords()).map(({ process_id, spec_id, pid }) => ({
    kind: "dead_record",
    subject: `.planner/processes/${process_id}.json`,
    message: `process ${pid} is gone without an end`,
    advice: null,
    async repair() {
      const ended = await ports.agents.endRun({ processId: process_id, agent: null }, AGENT_GRACE_MS);
      const holder = await ports.claims.readHolder(spec_id as SpecId);
      const held = holder?.alive === true;
      if (!held)
        await keepCutOffRecord(deps, spec_id as SpecId, { processId: process_id, reason: PROCESS_GONE_REASON });
      const spec = held ? null : await endInterruptedRun(deps, spec_id as SpecId);
      const status = (await ports.records.endDeadRecord(process_id))?.status;
      // Another reader may have repaired the record meanwhile.
      const record = status === undefined ? "the record has its end" : `marked the record ${status}`;
      return [record, ...describeEndedProcesses(ended), ...(spec === null ? [] : [spec])].join(", ");
    },
  }));
}

/** Finds a `.planner/watch.pid` that names an ended process. */
export async function findStaleWatchFile({ ports: { watch } }: RepairDeps): Promise<readonly ProjectProblem[]> {
  const holder = await watch.readHolder();
  if (holder === null || holder.alive) return [];
  return [
    {
      kind: "stale_watch",
      subject: ".planner/watch.pid",
      message: holder.pid === 0 ? "it names no process" : `watch process ${holder.pid} is gone`,
      advice: null,
      repair: async () => ((await watch.clearStale()) ? "removed it" : null),
    },
  ];
}
