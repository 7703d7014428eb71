import type { NewProcessRecord, RunReport } from "#planner/work/records/process_record.ts";
import type { BranchCommit, BranchHead, OutputMark } from "#planner/work/records/read_record.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import type { JudgedCriterion } from "../acceptance.ts";
import type { RunEnd } from "../end_of_run.ts";
import { deriveTickVerdict, type Provenance } from "../provenance.ts";
import { buildAllowSetting } from "../provider_row.ts";
import { findProviderRow } from "../providers.ts";

/** Facts about a run at its end. Facts from phases that the run did not reach are empty or null. */
export interface RunSummary {
  readonly process: Omit<NewProcessRecord, "pid">;
  readonly report: RunReport;
  readonly work: RecordedWork;
  readonly judged: RecordedJudgement;
  readonly end: Pick<RunEnd, "reasons"> & { readonly status: string };
  readonly warnings: readonly string[];
  /** Last message of the agent; null if the spec's output contains it. */
  readonly lastWords: string | null;
  readonly ended_at: string;
}

/** Commits and files of a run. */
export interface RecordedWork {
  /** Name of the branch; null if no branch is checked out around the project. */
  readonly branch: string | null;
  /** Name of the main branch; null for a run without a worktree. */
  readonly mainBranch: string | null;
  /** Commit at which a run without a worktree began; null otherwise, because the first commit's parent is the base. */
  readonly base: string | null;
  readonly commits: readonly BranchCommit[];
  readonly files: readonly string[];
}

export interface RecordedJudgement {
  readonly criteria: readonly JudgedCriterion[];
  /** Verdicts on criteria and commands; null if nothing was judged. */
  readonly proof: Provenance | null;
  /** Reason of a person for completing the spec although its checks do not succeed; null without one. */
  readonly unproven: string | null;
  /** Schema of the output and why the output does not match it; null without a schema. */
  readonly output: { readonly schema: string; readonly problem: string | null } | null;
  /** The output that is no evidence of this run's work, see `RejectedRun`; null if it is not known. */
  readonly oldOutput?: OutputMark | null;
}

/** Maximum number of paths in a record. The recorded commits still contain all changed paths. */
export const MAX_RECORDED_FILES = 1000;

/** Returns a run's record in the stored format, see docs/work.md. */
export function buildRunRecord(summary: RunSummary, { run, head }: BranchHead): object {
  const { process, report, work, judged, end } = summary;
  const { criteria, proof, unproven, output } = judged;
  const criterionProofs = proof?.criteria ?? [];
  const findProof = ({ label, verify }: JudgedCriterion) =>
    criterionProofs.find((one) => one.label === label && one.verify === verify);
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
      verdict: findProof(criterion)?.verdict ?? deriveTickVerdict(criterion),
      check: findProof(criterion)?.check ?? null,
    })),
    verify: proof?.commands ?? [],
    proof: proof?.state ?? null,
    unproven,
    output,
    old_output: judged.oldOutput ?? null,
    usage: report.usage,
    last_words: summary.lastWords?.slice(-MAX_APPENDED_CHARS).toWellFormed() ?? null,
    denied: report.denied,
    allow: buildAllowSetting(findProviderRow(report.agent).buildAllowSetting, report.denied, process.spec_id),
    merged: null,
  };
}
