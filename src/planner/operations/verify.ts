import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerContext } from "../context.ts";
import { type DroppedCriterion, describeNearItems, parseCriteria, readCriteria } from "../spec/criteria.ts";
import type { Spec } from "../spec/spec.ts";
import { hasChecks } from "../work/provenance.ts";
import { parseRejectedRun, type RejectedRun } from "../work/records/read_record.ts";
import { judgeRecord, listRecordedCommands } from "../work/records/run_record.ts";
import { findSpec } from "./shared/find_spec.ts";
import { specIdParam } from "./shared/params.ts";
import { findOutputObstacle, readRejectedRun } from "./shared/prove_completion.ts";
import { refuseInvalidSpec } from "./shared/spec_findings.ts";

export const verifyTool = defineTool<PlannerContext>()({
  name: "planner_verify",
  summary:
    "Report a spec's criteria: counts and unchecked items; runs nothing. planner_spec_update checks one, planner_finalize completes.",
  resultDescription:
    "`{spec_id, verified, criteria: {total, checked, unchecked}, unchecked_items, verification_notes}`. `verified` needs at least one criterion, and no line that only looks like one (docs/lint.md#criteria); a spec with checks (docs/work.md#checks) is verified if its latest record says that each passed and agrees with the repository.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id }) {
    const spec = await findSpec(context, id, { archived: true });
    await refuseInvalidSpec(context, spec, "verify");
    const { criteria, dropped } = readCriteria(spec.body);
    const near = describeNearItems(spec);
    const unchecked = criteria.filter(({ checked }) => !checked);
    const record = hasChecks(criteria) ? await readPassedRecord(context, spec) : null;
    const rejected = spec.status === "completed" ? null : await readRejectedRun(context, spec.id);
    const refusal = rejected === null ? null : await describeRefusal(context, spec, rejected);
    const unrun = record === null ? criteria.filter(({ verify }) => verify !== null).length : 0;
    return {
      value: {
        spec_id: spec.id,
        verified: criteria.length > 0 && unchecked.length === 0 && unrun === 0 && near === null && refusal === null,
        criteria: {
          total: criteria.length,
          checked: criteria.length - unchecked.length,
          unchecked: unchecked.length,
        },
        unchecked_items: unchecked.map(({ text }) => text),
        verification_notes: formatVerificationNotes({
          total: criteria.length,
          unchecked: unchecked.length,
          unrun,
          record,
          near,
          dropped,
          refusal,
        }),
      },
    };
  },
});

interface VerificationCounts extends Readonly<Record<"total" | "unchecked" | "unrun", number>> {
  /** Result of the checks in the latest record, or null. */
  readonly record: string | null;
  /** Why the latest run did not complete the spec, if that still holds. */
  readonly refusal: string | null;
  /** What looks like a criterion and is not read as one, or null. */
  readonly near: string | null;
  readonly dropped: readonly DroppedCriterion[];
}

function formatVerificationNotes(counts: VerificationCounts): string {
  const { near, dropped } = counts;
  const state = formatCriteriaState(counts);
  const left = dropped.map(({ label, reason }) => `dropped: ${label} (${reason})`);
  return [...(near === null ? [state] : counts.unchecked > 0 ? [state, near] : [near]), ...left].join("; ");
}

function formatCriteriaState({ total, unchecked, unrun, record, refusal }: VerificationCounts): string {
  if (total === 0) return "No acceptance criteria found";
  if (unchecked === 0 && refusal !== null) return refusal;
  if (unchecked === 0 && unrun > 0) {
    return formatCountWithNoun(
      unrun,
      "criterion has a check that did not run",
      "criteria have checks that did not run",
    );
  }
  if (unchecked === 0)
    return record === null ? "All acceptance criteria met" : `All acceptance criteria met: ${record}`;
  return formatCountWithNoun(unchecked, "criterion not yet checked", "criteria not yet checked");
}

/** Returns why the latest run was refused, unless later evidence may have settled it. */
async function describeRefusal(context: PlannerContext, spec: Spec, rejected: RejectedRun): Promise<string | null> {
  const output = await findOutputObstacle(context, spec, rejected);
  const reasons = [...(output === null ? [] : [output]), ...rejected.failedCommands];
  return reasons.length === 0 ? null : `Run ${rejected.run} did not complete the spec: ${reasons.join("; ")}`;
}

/**
 * Returns the summary of the latest record if it agrees with the repository and every check of the spec passed,
 * otherwise null. Runs no check, because this is a read.
 */
async function readPassedRecord(context: PlannerContext, { id, body }: Spec): Promise<string | null> {
  try {
    const { worktrees } = await context.openRuns();
    const kept = await worktrees.readRecord(id, null);
    if (kept === null || parseRejectedRun(id, kept) !== null) return null;
    const facts = await worktrees.readCommitFacts(id, kept);
    if (judgeRecord(id, kept.record, facts).some(({ result }) => result === "differs")) return null;
    const passed = new Set(
      listRecordedCommands(kept.record).flatMap((one) => (one["problem"] === null ? [one["command"]] : [])),
    );
    const checks = parseCriteria(body).flatMap(({ verify }) => verify ?? []);
    if (!checks.every((check) => passed.has(check))) return null;
    return `every check passed on ${String(kept.record["head"]).slice(0, 10)} by the record of run ${kept.run}`;
  } catch (error) {
    // There is no record without a repository.
    if (error instanceof OperationError) return null;
    throw error;
  }
}
