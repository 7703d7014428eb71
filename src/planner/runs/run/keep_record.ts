import { OperationError } from "#kernel/errors.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import type { RunReport, StoredRunReport } from "#planner/work/records/process_record.ts";
import { parseReadable } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { judgeCriteria } from "../../work/acceptance.ts";
import { COMMIT_SUMMARIES, createCommitWriter } from "../../work/commit_message.ts";
import { extractOutput } from "../../work/default_evidence.ts";
import type { ManualCompletion } from "../../work/provenance.ts";
import { buildRunRecord, type RecordedWork, type RunSummary } from "../../work/records/run_record.ts";
import type { LocatedRun, RepairDeps, RunDeps } from "../run_types.ts";
import type { CollectedEvidence } from "./evidence.ts";
import { hashText, removeTrailingSlash } from "./run_commands.ts";

export interface RunRecordParts extends Pick<RunSummary, "report" | "lastWords" | "end" | "warnings"> {
  readonly startedAt: string;
  /** State of the worktree at the end; null if it was not examined. */
  readonly state: WorktreeState | null;
  /** Evidence of the run; null if none was collected. */
  readonly gathered: CollectedEvidence | null;
}

/** Stores the record of a run in git. Logs an OperationError and continues, because the run has already ended. */
export async function keepRunRecord(deps: RunDeps, run: LocatedRun, parts: RunRecordParts): Promise<void> {
  try {
    const stored = await storeEndedRun(deps, run, parts);
    if (stored === null) return;
    await run.log.line(`planner: this was run ${stored.run}: "planner log ${run.id} --run ${stored.run}"`);
    if (run.config.runs.commit) await writeRecordFile(deps, run, stored);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    await run.log.line(`planner: the run's record could not be kept: ${error.message}`);
  }
}

interface StoredRecord {
  readonly run: number;
  readonly text: string;
}

/**
 * Stores the record of a run.
 *
 * @param branch branch that gets the record; null for the commit that is checked out around the project
 * @returns null without a commit to which the record can be added
 */
async function storeRunRecord(
  { ports }: RepairDeps,
  branch: string | null,
  summary: RunSummary,
): Promise<StoredRecord | null> {
  let text = "";
  const run = await ports.worktrees.storeRecord(summary.process.spec_id as SpecId, branch, (head) => {
    const record = buildRunRecord(summary, head);
    text = `${JSON.stringify(record, null, 2)}\n`;
    return record;
  });
  return run === null ? null : { run, text };
}

function formatCurrentTime({ context }: RepairDeps): string {
  return context.clock.now().toISOString();
}

async function storeEndedRun(deps: RunDeps, run: LocatedRun, parts: RunRecordParts): Promise<StoredRecord | null> {
  const { startedAt, state, gathered, ...ended } = parts;
  const { id, processId, wishes, spec, place } = run;
  const { worktree, base } = place;
  const work =
    worktree !== null
      ? describeBranchWork(worktree, state)
      : base !== null
        ? await readProjectWorkSince(deps, base)
        : null;
  if (work === null) return null;
  const { criteria = [], outputProblem: problem = null } = gathered?.evidence ?? {};
  const { proof = null, unproven = null } = gathered ?? {};
  const output = spec.outputSchema === null ? null : { schema: spec.outputSchema, problem };
  const body = problem === null ? parseReadable(run.before).body : await readProjectBody(deps, id);
  const old = body === null ? null : extractOutput(body);
  const oldOutput = old === null ? null : { chars: old.length, sha256: hashText(deps, old) };
  return storeRunRecord(deps, worktree?.branch ?? null, {
    ...ended,
    process: { spec_id: id, process_id: processId, mode: wishes.mode, started_at: startedAt },
    ...{ work, judged: { criteria, proof, unproven, output, oldOutput }, ended_at: formatCurrentTime(deps) },
  });
}

async function readProjectBody({ context }: RunDeps, id: SpecId): Promise<string | null> {
  const read = await context.specs.readText(id).catch(() => null);
  return read === null ? null : parseReadable(read.text).body;
}

type BranchWork = Pick<WorktreeState, "commits" | "changed">;

/** Returns the branch, commits and files of the work in a worktree. */
function describeBranchWork(
  { branch, mainBranch }: Pick<Worktree, "branch" | "mainBranch">,
  work: BranchWork | null,
): RecordedWork {
  return { branch, mainBranch, base: null, commits: work?.commits ?? [], files: listChangePaths(work?.changed ?? []) };
}

/** Returns the work in the project's folder since a commit; null without a repository. */
async function readProjectWorkSince({ ports: { worktrees } }: RepairDeps, base: string): Promise<RecordedWork | null> {
  const head = await worktrees.readHead();
  if (head === null) return null;
  const { commits, changed } = await worktrees.readWorkSince(base);
  return { branch: head.branch, mainBranch: null, base, commits, files: listChangePaths(changed) };
}

function listChangePaths(changed: WorktreeState["changed"]): readonly string[] {
  return changed.map(({ path }) => path);
}

/** Also writes the record as a file, for projects that commit their run records. */
async function writeRecordFile(
  { files, root }: RunDeps,
  { id, place, spec, config }: LocatedRun,
  { run, text }: StoredRecord,
): Promise<void> {
  const path = `.planner/runs/${id}/${run}.json`;
  if (place.worktree === null) return files.writeText(`${removeTrailingSlash(root)}/${path}`, text);
  const message = createCommitWriter(config.git.commit_template, spec)(COMMIT_SUMMARIES.record(id, run));
  await place.worktree.commitFile(path, text, message);
}

interface CutOffRun {
  readonly processId: string;
  /** By default failed. */
  readonly status?: "failed" | "needs_attention";
  /** Reason why the run did not end normally. */
  readonly reason: string;
}

/**
 * Stores the record of a run whose process was killed or failed before it stored one. Does nothing for a run that has a
 * record. Call it with the spec's claim held, after all processes of the run have ended.
 */
export async function keepCutOffRecord(deps: RepairDeps, id: SpecId, run: CutOffRun): Promise<void> {
  const { processId } = run;
  const { worktrees } = deps.ports;
  const reports = await deps.context.readRunReports();
  const report = reports.findLast((one) => one.process_id === processId && one.spec_id === id);
  if (report === undefined) return;
  const { base, mode, started_at } = report;
  try {
    const latest = (await worktrees.readRecord(id, null))?.record;
    if (latest?.["process_id"] === processId && latest["started_at"] === started_at) return;
    const found = base === null ? await readWorkInWorktree(deps, id) : await readWorkInProject(deps, base);
    if (found === null) return;
    const { work, warnings, body } = found;
    const spec = await deps.context.specs.load(id).catch(() => null);
    const criteria = spec === null ? [] : judgeCriteria(spec.body, body ?? spec.body);
    await storeRunRecord(deps, base === null ? work.branch : null, {
      process: { spec_id: id, process_id: processId, mode, started_at },
      ...{ report, work, warnings, lastWords: null, ended_at: formatCurrentTime(deps) },
      judged: { criteria, proof: null, unproven: null, output: null },
      end: decideCutOffEnd(spec, report, run),
    });
  } catch (error) {
    // The cleanup continues, because releasing the claim matters more than the record.
    if (!(error instanceof OperationError)) throw error;
  }
}

interface UnrecordedWork {
  readonly work: RecordedWork;
  /** Problems that a person must fix, and changes outside of the branch; see `WorktreeState`. */
  readonly warnings: readonly string[];
  /** The spec's text as the agent left it; null if it is the project's text. */
  readonly body: string | null;
}

async function readWorkInWorktree({ ports }: RepairDeps, id: SpecId): Promise<UnrecordedWork | null> {
  const worktree = await ports.worktrees.findWorktree(id).catch(() => null);
  if (worktree === null) {
    const branch = await ports.worktrees.findBranch(id);
    const work = branch === null ? null : { branch, mainBranch: null, base: null, commits: [], files: [] };
    return work === null ? null : { work, warnings: [], body: null };
  }
  const state = await worktree.settle();
  const specs = worktree.openSpecs();
  const body = await specs.readText(id).then(
    ({ text }) => parseReadable(text).body,
    () => null,
  );
  return { work: describeBranchWork(worktree, state), warnings: [...state.problems, ...state.warnings], body };
}

async function readWorkInProject(deps: RepairDeps, base: string): Promise<UnrecordedWork | null> {
  const work = await readProjectWorkSince(deps, base);
  return work === null ? null : { work, warnings: [], body: null };
}

/** A spec that was completed since the run began counts, whatever cut the run off. */
function decideCutOffEnd(
  spec: Spec | null,
  report: StoredRunReport,
  { status = "failed", reason }: CutOffRun,
): RunSummary["end"] {
  return isCompletedSince(spec, report) ? { status: "completed", reasons: [] } : { status, reasons: [reason] };
}

/** Returns whether a spec was completed after the run began. Source: docs/decisions.md#s-26. */
function isCompletedSince(spec: Spec | null, { started_at }: StoredRunReport): boolean {
  const at = spec?.status === "completed" ? spec.frontmatter["completed_at"] : null;
  return typeof at === "string" && Date.parse(at) >= Date.parse(started_at);
}

const NO_AGENT_REPORT: RunReport = {
  ...{ agent: "none", model: null, version: null, session: null, usage: null },
  ...{ denied: [], prompt_sha256: null, outside: [] },
};

/**
 * Stores a record with mode `manual` for a spec that a person completed by hand. Its commits are those of the spec's
 * branch; without a branch it names the checked-out commit.
 *
 * @returns the number of the record; null without a commit, or if the record cannot be stored
 */
export async function keepManualRecord(
  deps: RepairDeps,
  { id, proof, unproven, outputSchema }: ManualCompletion,
): Promise<number | null> {
  const { worktrees } = deps.ports;
  try {
    const worktree = await worktrees.findWorktree(id);
    const head = await worktrees.readHead();
    if (head === null) return null;
    const { branch, mainBranch } = worktree ?? { branch: head.branch, mainBranch: head.branch };
    const { commits, changed } = worktree === null ? { commits: [], changed: [] } : await worktree.readBranchWork();
    const base = commits.length > 0 ? null : (proof.state?.commit ?? head.hash);
    const now = formatCurrentTime(deps);
    const output = outputSchema === null ? null : { schema: outputSchema, problem: null };
    const stored = await storeRunRecord(deps, worktree?.branch ?? null, {
      process: { spec_id: id, process_id: `${id}-${deps.pid}`, mode: "manual", started_at: now },
      ...{ report: NO_AGENT_REPORT, work: { branch, mainBranch, base, commits, files: listChangePaths(changed) } },
      judged: { criteria: proof.criteria, proof, unproven, output },
      ...{ end: { status: "completed", reasons: [] }, warnings: [], lastWords: null, ended_at: now },
    });
    return stored?.run ?? null;
  } catch (error) {
    // The spec stays completed although the record is missing.
    if (error instanceof OperationError) return null;
    throw error;
  }
}
