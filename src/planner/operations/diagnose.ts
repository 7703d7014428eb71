import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { WorktreeStatus } from "#planner/work/records/process_record.ts";
import { type KeptRunRecord, parseMergedCommits, parseRunRecord } from "#planner/work/records/read_record.ts";
import type { PlannerContext } from "../context.ts";
import { type Criterion, describeNearItems, parseCriteria } from "../spec/criteria.ts";
import { isWorkSentBack } from "../spec/reviews.ts";
import { isDoneStatus, type Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { diagnoseSpec as judge, type LastRunFacts, type ProofFacts, type RecordFacts } from "../work/diagnosis.ts";
import { buildAllowSetting } from "../work/provider_row.ts";
import { findProviderRow } from "../work/providers.ts";
import { judgeRecord } from "../work/records/run_record.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { findLiveWorker } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import { createInvalidFieldCheck } from "./shared/spec_findings.ts";
import { readSpecProof, readWorktreeBody } from "./shared/spec_proof.ts";
import { computeStatus } from "./shared/world.ts";

export const diagnoseTool = defineTool<PlannerContext>()({
  name: "planner_diagnose",
  summary:
    "Find why a spec does not move on (file, log, lock, commits, criteria), with a suggestion. For mistakes in its text use planner_lint.",
  resultDescription:
    "`{spec_id, status, location, checks: [{name, passed, details}], diagnosis, suggestion}`. Each check asks only for what the status promises.",
  effect: "read",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: true });
    const spec = await readValueOrMessage(context.specs.load(id));
    const [log, lock, worker, worktrees, commits, last] = await Promise.all([
      readValueOrMessage(context.logs.open(id)),
      context.work.readLockHolder(id),
      findLiveWorker(context, id),
      context.work.worktrees(),
      findCommits(context, id, spec),
      readLastRunFacts(context, id),
    ]);
    const readable = typeof spec === "string" ? null : spec;
    const wrong = readable === null ? "" : await describeProblems(context, readable);
    const state = readable === null ? null : await computeStatus(context, readable);
    const status = state?.status ?? null;
    const worktree = worktrees.find(({ spec_id }) => spec_id === id);
    const diagnosis = judge({
      id,
      problem: typeof spec === "string" ? spec : wrong || null,
      status,
      criteria: readable === null ? [] : parseCriteria(readable.body),
      ...(readable === null || worktree === undefined
        ? {}
        : { worktreeCriteria: await readWorktreeCriteria(context, id) }),
      openDependencies: state?.blockedBy.map((name) => ({ id: name, status: state.findStatus(name) })) ?? [],
      cycle: state?.cycle ?? null,
      log,
      lock,
      isWorkedOn: worker !== null,
      commits,
      now: context.clock.now(),
      lastRun: last,
      isSentBack: readable !== null && (await isReviewedSinceRun(context, readable)),
      ...pickMergeFacts(worktree),
      ...(readable === null ? {} : await readProofFacts(context, readable, worktree !== undefined)),
    });
    return {
      value: {
        spec_id: id,
        status,
        location: worktree === undefined ? "main repository" : `worktree: ${worktree.path}`,
        ...diagnosis,
      },
    };
  },
});

function pickMergeFacts(worktree: WorktreeStatus | undefined) {
  const { path = null, error = null, failed_checks = [] } = worktree ?? {};
  return { worktreePath: path, mergeProblem: error, mergeChecks: failed_checks };
}

/** Reads marks and latest record of a spec; empty if git cannot, which other checks report. */
async function readProofFacts(
  context: PlannerContext,
  spec: Spec,
  hasWorktree: boolean,
): Promise<Pick<ProofFacts, "reviewed" | "record">> {
  const needsRecord = spec.status !== "pending";
  const proof = await readValueOrMessage(readSpecProof(context, spec, { hasWorktree, needsRecord }));
  if (typeof proof === "string") return {};
  const record = proof.kept === null ? null : await readRecordFacts(context, spec.id, proof.kept);
  return { reviewed: proof.criteria, record };
}

/** Compares the latest record with the repository. The criteria's marks report the results of its checks. */
async function readRecordFacts(context: PlannerContext, id: SpecId, kept: KeptRunRecord): Promise<RecordFacts> {
  const facts = await (await context.openRuns()).worktrees.readCommitFacts(id, kept);
  const checks = judgeRecord(id, kept.record, facts);
  const objections = checks.flatMap(({ part, result, detail }) =>
    result === "differs" && part !== "checks" ? [`${part}: ${detail}`] : [],
  );
  return { ...parseRunRecord(kept), objections, merged: parseMergedCommits(kept) };
}

/** Returns what lint says on read, and what keeps an unfinished spec from completion; empty without either. */
async function describeProblems(context: PlannerContext, spec: Spec): Promise<string> {
  const { invalid = [] } = (await createInvalidFieldCheck(context))(spec);
  const isClosed = isDoneStatus(spec.status);
  const unread = isClosed ? null : describeNearItems(spec);
  return [...invalid.map(({ message }) => message), ...(unread === null ? [] : [unread])].join("; ");
}

/**
 * Finds the commits that name a spec. Uses no template and no branch prefix if the configuration cannot be read, which
 * lint reports.
 */
async function findCommits(context: PlannerContext, id: SpecId, spec: Spec | string): Promise<readonly string[]> {
  const config = await readValueOrMessage(context.readConfig());
  const template = typeof config === "string" ? null : config.git.commit_template;
  const prefix = typeof config === "string" ? null : config.defaults.branch_prefix;
  const { worktrees } = await context.openRuns();
  return context.git.listCommitsNaming(id, {
    branch: getRunBranch(spec) ?? (prefix === null ? null : await worktrees.nameBranch(id, prefix)),
    template,
  });
}

/** Returns the criteria of the spec in its worktree; empty if the file cannot be read. */
async function readWorktreeCriteria(context: PlannerContext, id: SpecId): Promise<readonly Criterion[]> {
  const body = await readValueOrMessage(readWorktreeBody(context, id).then((text) => ({ text })));
  return typeof body === "string" ? [] : parseCriteria(body.text);
}

/** Returns the branch of the last run, whose commits may not be merged yet; null if none is recorded. */
function getRunBranch(spec: Spec | string): string | null {
  const branch = typeof spec === "string" ? null : spec.frontmatter["branch"];
  return typeof branch === "string" ? branch : null;
}

async function readLastRunFacts(context: PlannerContext, id: SpecId): Promise<LastRunFacts | null> {
  const record = (await context.work.readProcesses()).findLast(({ spec_id }) => spec_id === id);
  if (record === undefined || record.status === "running") return null;
  const report = (await context.readRunReports()).find(({ process_id }) => process_id === record.process_id);
  const { denied = [], outside = [] } = report ?? {};
  const allow =
    report === undefined ? null : buildAllowSetting(findProviderRow(report.agent).buildAllowSetting, denied, id);
  return { error: record.error ?? null, denied, allow, outside };
}

/** Returns whether the newest review was written after the last run. */
async function isReviewedSinceRun(context: PlannerContext, { id, body }: Spec): Promise<boolean> {
  const record = (await context.work.readProcesses()).findLast(({ spec_id }) => spec_id === id);
  return isWorkSentBack(body, record?.started_at ?? null);
}

/** Returns the value that `reading` resolves to, or the message of its error. */
async function readValueOrMessage<Value>(reading: Promise<Value>): Promise<Value | string> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
}
