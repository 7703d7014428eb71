import type { RunHead } from "#planner/run_ports/kept_records.ts";
import type { RunReport } from "#planner/run_ports/process_records.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import type { JudgedCriterion } from "../judge_criteria.ts";
import { type Provenance, tickVerdict } from "../provenance.ts";
import { allowingLine } from "../providers/grant.ts";
import { rowOf } from "../providers.ts";

/** What is known of a run at its end. Fields that the run did not come to are empty or null. */
export interface RunSummary {
  readonly spec_id: string;
  readonly process_id: string;
  readonly mode: string;
  readonly report: RunReport;
  /** Null if no branch is checked out around the project. */
  readonly branch: string | null;
  /** Null for a run without a worktree. */
  readonly mainBranch: string | null;
  /** Where a run without a worktree began; null for another run, whose first commit says so. */
  readonly base: string | null;
  readonly commits: readonly { readonly hash: string; readonly message: string; readonly parent: string | null }[];
  readonly files: readonly string[];
  readonly criteria: readonly JudgedCriterion[];
  /** Null if nothing was judged. */
  readonly proof: Provenance | null;
  /** Why a person completed the spec although its checks do not say so, or null. */
  readonly unproven: string | null;
  readonly outputSchema: string | null;
  readonly outputProblem: string | null;
  /** What the agent said last, or null if that is in the spec. */
  readonly lastWords: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly status: string;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** Paths that a record names; a run that changes more than that has its commits. */
export const MAX_RECORDED_FILES = 1000;

/** Returns the record of a run as it is kept, see docs/work.md. */
export function runRecord(summary: RunSummary, { run, head }: RunHead): object {
  const { commits, files, criteria, proof, unproven, report } = summary;
  const proofs = proof?.criteria ?? [];
  const proofOf = ({ label, verify }: JudgedCriterion) =>
    proofs.find((one) => one.label === label && one.verify === verify);
  return {
    version: 1,
    spec_id: summary.spec_id,
    run,
    process_id: summary.process_id,
    mode: summary.mode,
    ...{ status: summary.status, reasons: summary.reasons, warnings: summary.warnings },
    ...{ started_at: summary.started_at, ended_at: summary.ended_at },
    agent: { name: report.agent, version: report.version, model: report.model, session: report.session },
    prompt_sha256: report.prompt_sha256,
    ...{
      branch: summary.branch,
      main_branch: summary.mainBranch,
      base: summary.base ?? commits[0]?.parent ?? head,
      head,
    },
    commits: commits.map(({ hash, message }) => ({ hash, subject: message.split("\n", 1)[0] ?? "" })),
    files: files.slice(0, MAX_RECORDED_FILES),
    criteria: criteria.map((criterion) => ({
      label: criterion.label,
      checked: criterion.checked,
      lost: criterion.lost,
      verdict: proofOf(criterion)?.verdict ?? tickVerdict(criterion),
      check: proofOf(criterion)?.check ?? null,
    })),
    verify: proof?.commands ?? [],
    proof: proof?.state ?? null,
    unproven,
    output: summary.outputSchema === null ? null : { schema: summary.outputSchema, problem: summary.outputProblem },
    usage: report.usage,
    last_words: summary.lastWords?.slice(-MAX_APPENDED_CHARS).toWellFormed() ?? null,
    denied: report.denied,
    allow: allowingLine(rowOf(report.agent).allowing, report.denied, summary.spec_id),
    merged: null,
  };
}
