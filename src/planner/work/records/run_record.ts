import type { RunHead } from "#planner/run_ports/kept_records.ts";
import type { NewProcessRecord, RunReport } from "#planner/run_ports/process_records.ts";
import type { BranchCommit } from "#planner/run_ports/worktree.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import type { RunEnd } from "../end_of_run.ts";
import type { JudgedCriterion } from "../judge_criteria.ts";
import { type Provenance, tickVerdict } from "../provenance.ts";
import { allowingLine } from "../providers/grant.ts";
import { rowOf } from "../providers.ts";

/** What is known of a run at its end. Parts that the run did not come to are empty or null. */
export interface RunSummary {
  readonly process: Omit<NewProcessRecord, "pid">;
  readonly report: RunReport;
  readonly work: RecordedWork;
  readonly judged: RecordedJudgement;
  readonly end: Pick<RunEnd, "reasons"> & { readonly status: string };
  readonly warnings: readonly string[];
  /** What the agent said last, or null if that is in the spec. */
  readonly lastWords: string | null;
  readonly ended_at: string;
}

/** What a run did to the repository. */
export interface RecordedWork {
  /** Null if no branch is checked out around the project. */
  readonly branch: string | null;
  /** Null for a run without a worktree. */
  readonly mainBranch: string | null;
  /** Where a run without a worktree began; null for another run, whose first commit says so. */
  readonly base: string | null;
  readonly commits: readonly BranchCommit[];
  readonly files: readonly string[];
}

export interface RecordedJudgement {
  readonly criteria: readonly JudgedCriterion[];
  /** Null if nothing was judged. */
  readonly proof: Provenance | null;
  /** Why a person completed the spec although its checks do not say so, or null. */
  readonly unproven: string | null;
  /** The schema of its output and why that does not fit; null without a schema. */
  readonly output: { readonly schema: string; readonly problem: string | null } | null;
}

/** Paths that a record names; a run that changes more than that has its commits. */
export const MAX_RECORDED_FILES = 1000;

/** Returns the record of a run as it is kept, see docs/work.md. */
export function runRecord(summary: RunSummary, { run, head }: RunHead): object {
  const { process, report, work, judged, end } = summary;
  const { criteria, proof, unproven, output } = judged;
  const proofs = proof?.criteria ?? [];
  const proofOf = ({ label, verify }: JudgedCriterion) =>
    proofs.find((one) => one.label === label && one.verify === verify);
  return {
    version: 1,
    spec_id: process.spec_id,
    run,
    ...{ process_id: process.process_id, mode: process.mode },
    ...{ status: end.status, reasons: end.reasons, warnings: summary.warnings },
    ...{ started_at: process.started_at, ended_at: summary.ended_at },
    agent: { name: report.agent, version: report.version, model: report.model, session: report.session },
    prompt_sha256: report.prompt_sha256,
    ...{ branch: work.branch, main_branch: work.mainBranch },
    ...{ base: work.base ?? work.commits[0]?.parent ?? head, head },
    commits: work.commits.map(({ hash, message }) => ({ hash, subject: message.split("\n", 1)[0] ?? "" })),
    files: work.files.slice(0, MAX_RECORDED_FILES),
    criteria: criteria.map((criterion) => ({
      ...{ label: criterion.label, checked: criterion.checked, lost: criterion.lost },
      verdict: proofOf(criterion)?.verdict ?? tickVerdict(criterion),
      check: proofOf(criterion)?.check ?? null,
    })),
    verify: proof?.commands ?? [],
    proof: proof?.state ?? null,
    unproven,
    output,
    usage: report.usage,
    last_words: summary.lastWords?.slice(-MAX_APPENDED_CHARS).toWellFormed() ?? null,
    denied: report.denied,
    allow: allowingLine(rowOf(report.agent).allowing, report.denied, process.spec_id),
    merged: null,
  };
}
