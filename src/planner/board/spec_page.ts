import { micromark } from "micromark";
import { OperationError } from "#kernel/errors.ts";
import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { PlannerContext } from "../context.ts";
import { diagnoseTool } from "../operations/diagnose.ts";
import { findSpec } from "../operations/shared/find_spec.ts";
import { readWorktreeBody } from "../operations/shared/worktree_body.ts";
import { loadSpecWorld } from "../operations/shared/world.ts";
import { runTool } from "../service.ts";
import { readCriteria } from "../spec/criteria.ts";
import { formatCriterionText } from "../spec/criteria_list.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { isLineAccepted } from "../work/acceptance.ts";
import { listMemberIds } from "../work/merge_order.ts";
import { parseRunRecord } from "../work/records/read_record.ts";
import { buildReviewedCriteria } from "../work/reviewed_criteria.ts";
import { countTokens } from "../work/usage.ts";
import type { BranchDifference, NamedSpec, SpecPage, SpecPageCriterion, SpecPageRun } from "./wire.ts";

/** Maximum number of runs on a page, the latest first. */
const MAX_RUNS = 20;

/**
 * Reads everything about one spec, active or archived.
 * @param computeDigest computes the digest of a file's text
 * @throws OperationError `not_found`, or `failed_precondition` for a file that cannot be read
 */
export async function readSpecPage(
  context: PlannerContext,
  text: string,
  computeDigest: (text: string) => string,
): Promise<SpecPage> {
  const spec = await findSpec(context, text, { archived: true });
  const { id, archived, title, type, labels, priority, due, assignee, body } = spec;
  const file = await context.specs.readText(id);
  const ports = await context.openRuns();
  const [links, runs, kept, worktree, difference, log, diagnosis, there] = await Promise.all([
    readSpecLinks(context, spec),
    readSpecRuns(context, id),
    readValueOrNull(() => ports.worktrees.readRecord(id, null)),
    readValueOrNull(() => ports.worktrees.findWorktree(id)),
    readValueOrNull(() => readDifference(context, id)),
    readValueOrNull(() => context.projectLogs.open(id)),
    readValueOrNull(async () => (await runTool(context, diagnoseTool, { id })).value),
    readValueOrNull(() => (spec.archived ? null : readWorktreeBody(context, id))),
  ]);
  return {
    ...{ id, file: file.file, archived, title, type, labels, priority, due, assignee, body },
    // micromark leaves out raw HTML and links with a scheme that could run code by default.
    html: micromark(body),
    seen: computeDigest(file.text),
    dropped: readCriteria(there ?? body).dropped.map(({ label, reason }) => ({ label, reason })),
    criteria: await readReviewedCriteria(context, { id, body: there ?? body, kept, head: difference?.head ?? null }),
    ...links,
    runs,
    record: kept === null ? null : parseRunRecord(kept),
    worktree: worktree === null ? null : { path: worktree.path, branch: worktree.branch },
    difference,
    has_log: log !== null,
    diagnosis: diagnosis === null ? null : { text: diagnosis.diagnosis, suggestion: diagnosis.suggestion },
  };
}

async function readSpecLinks(
  context: PlannerContext,
  spec: Spec,
): Promise<Pick<SpecPage, "status" | "depends_on" | "dependents" | "members">> {
  const { specs, readiness } = await loadSpecWorld(context);
  const byId = new Map<string, Spec>(specs.map((one) => [one.id, one]));
  const archived: ReadonlySet<string> = await context.specs.listArchivedIds();
  const findNamedSpec = (id: string): NamedSpec => {
    const found = byId.get(id);
    if (found !== undefined) return { id, title: found.title, status: readiness.getEffectiveStatus(found) };
    return { id, title: null, status: archived.has(id) ? "archived" : null };
  };
  return {
    status: spec.archived ? spec.status : readiness.getEffectiveStatus(spec),
    depends_on: spec.dependsOn.map(findNamedSpec),
    dependents: specs.filter(({ dependsOn }) => dependsOn.includes(spec.id)).map(({ id }) => findNamedSpec(id)),
    members: listMemberIds(spec, specs).map(findNamedSpec),
  };
}

async function readSpecRuns(context: PlannerContext, id: SpecId): Promise<readonly SpecPageRun[]> {
  const [processes, reports] = await Promise.all([context.work.readProcesses(), context.readRunReports()]);
  const reported = new Map(reports.map((report) => [report.process_id, report]));
  return processes
    .filter(({ spec_id }) => spec_id === id)
    .slice(-MAX_RUNS)
    .reverse()
    .map((record) => {
      const { process_id, mode, status, started_at, completed_at } = record;
      const report = reported.get(process_id);
      return {
        ...{ process_id, mode, status, started_at, completed_at },
        error: record.status === "running" ? null : (record.error ?? null),
        agent: report?.agent ?? null,
        tokens: report?.usage == null ? null : countTokens(report.usage),
        cost_usd: report?.usage?.cost_usd ?? null,
      };
    });
}

/** Reads the changes of a spec's branch; null without a branch, and for a branch that git cannot compare. */
async function readDifference(context: PlannerContext, id: SpecId): Promise<BranchDifference | null> {
  const found = await (await context.openRuns()).differences.readBranchDifference(id);
  if (found === null) return null;
  const { from, to, head, behind, conflicts, commits, files } = found;
  return { from, to, head, behind, conflicts, files, commits: commits.map(({ hash, subject }) => ({ hash, subject })) };
}

interface CriteriaSource {
  readonly id: SpecId;
  readonly body: string;
  readonly kept: KeptRunRecord | null;
  readonly head: string | null;
}

async function readReviewedCriteria(
  context: PlannerContext,
  { kept, head, ...spec }: CriteriaSource,
): Promise<readonly SpecPageCriterion[]> {
  const accepted = await (await context.openAcceptance()).read();
  return buildReviewedCriteria(spec, kept, head).map(({ number, checked, verify, mark, explanation, ...one }) => ({
    ...{ number, label: formatCriterionText(one), checked, verify, mark, explanation },
    accepted: verify !== null && isLineAccepted(accepted, { kind: "check", text: verify }),
    result: one.result === null ? null : { at: one.result.at, last_lines: one.result.last_lines },
  }));
}

/** Returns null if `read` fails with an OperationError, so that one unreadable part does not hide the others. */
async function readValueOrNull<Value>(read: () => Promise<Value | null> | null): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}
