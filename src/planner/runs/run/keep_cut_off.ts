import { OperationError } from "#kernel/errors.ts";
import type { StoredReport } from "#planner/run_ports/process_records.ts";
import type { WorktreeState } from "#planner/run_ports/worktree.ts";
import { readableDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { judgeCriteria } from "../../work/judge_criteria.ts";
import { runRecord } from "../../work/records/run_record.ts";
import type { CareDeps } from "../doctor/trouble.ts";

interface CutOff {
  readonly processId: string;
  /** Why the run did not come to its end. */
  readonly reason: string;
}

/**
 * Keeps the record of a run that could not do so itself: its process was killed, or something stood in its way. Does
 * nothing for a run that has one. Call with the spec's claim held, when nothing of the run works any more.
 */
export async function keepCutOffRun(deps: CareDeps, id: SpecId, { processId, reason }: CutOff): Promise<void> {
  const { worktrees, records } = deps.ports;
  const report = (await records.reports()).findLast((one) => one.process_id === processId && one.spec_id === id);
  if (report === undefined) return;
  try {
    const latest = (await worktrees.record(id, null))?.record;
    if (latest?.["process_id"] === processId && latest["started_at"] === report.started_at) return;
    const found = report.base === null ? await inWorktree(deps, id) : await inProject(deps, report.base);
    if (found === null) return;
    const spec = await deps.context.specs.load(id).catch(() => null);
    const completed = isCompletedSince(spec, report);
    const summary = {
      ...{ spec_id: id, process_id: processId, mode: report.mode, report },
      ...found.place,
      criteria: spec === null ? [] : judgeCriteria(spec.body, found.body ?? spec.body),
      ...{ proof: null, unproven: null, outputSchema: null, outputProblem: null, lastWords: null },
      ...{ started_at: report.started_at, ended_at: deps.context.clock.now().toISOString() },
      ...{ status: completed ? "completed" : "failed", reasons: completed ? [] : [reason], warnings: found.warnings },
    };
    await worktrees.keepRecord(id, report.base === null ? found.place.branch : null, (head) =>
      runRecord(summary, head),
    );
  } catch (error) {
    // Continues the cleanup: releasing the claim matters more than the record.
    if (!(error instanceof OperationError)) throw error;
  }
}

interface Found {
  readonly place: {
    readonly branch: string | null;
    readonly mainBranch: string | null;
    readonly base: string | null;
    readonly commits: WorktreeState["commits"];
    readonly files: readonly string[];
  };
  /** Problems that a person must fix, and changes outside of the branch, see `WorktreeState`. */
  readonly warnings: readonly string[];
  /** The spec's text as the agent left it; null if that is the project's. */
  readonly body: string | null;
}

async function inWorktree({ ports }: CareDeps, id: SpecId): Promise<Found | null> {
  const worktree = await ports.worktrees.find(id).catch(() => null);
  if (worktree === null) {
    const branch = await ports.worktrees.branch(id);
    return branch === null
      ? null
      : { place: { branch, mainBranch: null, base: null, commits: [], files: [] }, warnings: [], body: null };
  }
  const { branch, mainBranch } = worktree;
  const { commits, changed, problems, warnings } = await worktree.settle();
  const text = await worktree
    .specs()
    .readText(id)
    .catch(() => null);
  const body = text === null ? null : readableDocument(text.text).body;
  return {
    place: { branch, mainBranch, base: null, commits, files: changed.map(({ path }) => path) },
    warnings: [...problems, ...warnings],
    body,
  };
}

async function inProject({ ports }: CareDeps, base: string): Promise<Found | null> {
  const head = await ports.worktrees.head();
  if (head === null) return null;
  const { commits, changed } = await ports.worktrees.since(base);
  const files = changed.map(({ path }) => path);
  return { place: { branch: head.branch, mainBranch: null, base, commits, files }, warnings: [], body: null };
}

/** A run writes its spec before its record. Source: docs/decisions.md#s-26. */
function isCompletedSince(spec: Spec | null, { started_at }: StoredReport): boolean {
  const at = spec?.status === "completed" ? spec.frontmatter["completed_at"] : null;
  return typeof at === "string" && Date.parse(at) >= Date.parse(started_at);
}
