import { TaskSlots } from "#kernel/slots.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { CONFIG_FILE } from "../../config/config.ts";
import { decideOutputConsequence, formatOutputReport } from "../../output/report.ts";
import { describeNearItems } from "../../spec/criteria.ts";
import { parseReadable, type ReadableDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import { type JudgedCriterion, judgeCriteria } from "../../work/acceptance.ts";
import { isSpecCommit } from "../../work/commit_message.ts";
import { explainMissingWork, extractNewOutput } from "../../work/default_evidence.ts";
import { NO_EVIDENCE, needsEvidence, type RunEvidence, type RunFacts } from "../../work/end_of_run.ts";
import { judgeOutput } from "../../work/judge_output.ts";
import {
  keepCommandResults,
  listCommandResults,
  listCompletionObstacles,
  type Provenance,
} from "../../work/provenance.ts";
import { judgeProvenance } from "../proof/prove_spec.ts";
import type { LocatedJob, RunDeps, RunSettings } from "../run_types.ts";

/** Work on one spec and its location, for which evidence is collected. */
export interface LocatedWork extends LocatedJob {
  /** The project's text of the spec when the run began; null if there was no run. */
  readonly before: string | null;
  /** Body with older output, which is not the run's; by default the body of `before`; null means no older output. */
  readonly outputBefore?: string | null;
  readonly wishes: Pick<RunSettings, "skipCriteria" | "unproven">;
}

/** State of an agent's work after the agent has ended. */
export interface EndedWork extends Omit<RunFacts, "evidence"> {
  /** The spec as the agent left it. */
  readonly spec: Spec;
  /** State of git in the worktree; null for work in the project itself. */
  readonly state: WorktreeState | null;
}

export interface CollectedEvidence {
  readonly evidence: RunEvidence;
  /** Warnings about changed rules and about the output. */
  readonly warnings: readonly string[];
  /** Hashes of the commits that name the spec, oldest first. */
  readonly commits: readonly string[];
  /** False if a person has to repair the worktree first; planner commits nothing there then. */
  readonly settled: boolean;
  /** Verdicts on criteria and commands; null if nothing was judged. */
  readonly proof: Provenance | null;
  /** Reason of a person for completing the spec although its checks do not succeed; null if they do. */
  readonly unproven: string | null;
}

/** Collects evidence for a run's end. Runs checks only if the agent succeeded and left a settled worktree. */
export async function collectEvidence(deps: RunDeps, work: LocatedWork, left: EndedWork): Promise<CollectedEvidence> {
  const traces = await collectGitEvidence(deps, work, left);
  const criteria = judgeCriteria(parseInitialSpec(work)?.body ?? null, left.spec.body);
  if (left.interrupted && left.status !== "completed") {
    return { ...traces, evidence: { ...traces.evidence, criteria } };
  }
  return needsEvidence(left) && traces.settled ? addCheckResults(deps, work, { left, traces, criteria }) : traces;
}

/** Returns the spec as it was when the run began, because the run is judged by this text. */
function parseInitialSpec({ before }: LocatedWork): ReadableDocument | null {
  return before === null ? null : parseReadable(before);
}

async function collectGitEvidence(
  { files }: RunDeps,
  work: LocatedWork,
  { state, spec }: EndedWork,
): Promise<CollectedEvidence> {
  const { id, place, config } = work;
  const template = config.git.commit_template;
  const commits =
    state === null
      ? (await files.openHistory(place.root).listCommitsNaming(id, { template }))
          .filter((hash) => !place.knownCommits.has(hash))
          .toReversed()
      : state.commits.filter(({ message }) => isSpecCommit(message, id, template)).map(({ hash }) => hash);
  const evidence: RunEvidence = {
    ...NO_EVIDENCE,
    commits: commits.length,
    requireCommit: config.verify.require_commit,
    // Without the spec's own file, because planner commits it with its final status.
    uncommittedPaths: (state?.uncommitted ?? []).filter((path) => !`/${path}`.endsWith(`/.planner/specs/${id}.md`)),
    problems: state?.problems ?? [],
  };
  const rules = describeChangedRules(state?.changed ?? [], spec.outputSchema);
  for (const rule of rules) await work.log.line(`planner: ${rule}`);
  return { evidence, warnings: rules, commits, settled: evidence.problems.length === 0, proof: null, unproven: null };
}

interface CheckInput {
  readonly left: EndedWork;
  readonly traces: CollectedEvidence;
  readonly criteria: readonly JudgedCriterion[];
}

/** Adds output validation and check results to the evidence. Call it when the log has all the agent's output. */
async function addCheckResults(
  deps: RunDeps,
  work: LocatedWork,
  { left, traces, criteria }: CheckInput,
): Promise<CollectedEvidence> {
  const { id, config, wishes, log } = work;
  const output = await validateOutput(deps, work, left.spec);
  for (const line of output.lines) await log.line(`planner: ${line}`);
  if (output.lines.length > 0) deps.tell({ event: "output_check", spec_id: id, lines: output.lines });
  const proof = await judgeWork(deps, work, criteria);
  const excused = wishes.unproven === null ? proof : keepCommandResults(proof);
  const against = listCompletionObstacles(id, excused);
  const isExcused = listCompletionObstacles(id, proof).length > against.length;
  const evidence: RunEvidence = {
    ...traces.evidence,
    criteria: wishes.skipCriteria ? [] : criteria,
    nearItems: wishes.skipCriteria ? null : describeNearItems(left.spec),
    missingWork: explainMissingWork({
      specBefore: pickInitialSpec(work, left.spec),
      body: left.spec.body,
      file: left.spec.file,
      hasTrace:
        traces.evidence.commits > 0 ||
        traces.evidence.uncommittedPaths.length > 0 ||
        output.passed ||
        listCommandResults(proof).some(({ problem }) => problem === null),
      hasCommands: config.verify.commands.length > 0,
      changed: left.state?.changed ?? (traces.commits.length > 0 ? [{ path: "a commit", isNew: false }] : null),
    }),
    failedChecks: against,
    outputProblem: output.problem,
  };
  const unproven = isExcused ? wishes.unproven : null;
  return { ...traces, evidence, proof, unproven, warnings: [...traces.warnings, ...output.warnings] };
}

/** Judges the work by the project's commands and the checks of the criteria; in a worktree, judges only its commit. */
function judgeWork(deps: RunDeps, work: LocatedWork, criteria: readonly JudgedCriterion[]): Promise<Provenance> {
  const { config, place } = work;
  return judgeProvenance(
    deps,
    { ...work, criteria, commands: config.verify.commands },
    { kind: "folder", place, fresh: place.worktree !== null },
  );
}

function pickInitialSpec(work: LocatedWork, spec: Spec): Pick<Spec, "frontmatter" | "type" | "body"> {
  const brought = parseInitialSpec(work);
  if (brought === null) return spec;
  const type = brought.frontmatter["type"];
  return { frontmatter: brought.frontmatter, type: typeof type === "string" ? type : "code", body: brought.body };
}

interface OutputReport {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly problem: string | null;
  readonly passed: boolean;
}

/** Limits validation to one run at a time, because it holds a run's whole output in memory. */
const outputJudgeSlot = new TaskSlots(1);

/**
 * Validates the spec's output. Source: docs/contract/spec-tool.md#output-2, docs/contract/spec-tool.md#output-4,
 * docs/contract/spec-tool.md#output-5.
 */
async function validateOutput({ context }: RunDeps, work: LocatedWork, spec: Spec): Promise<OutputReport> {
  const { config, log } = work;
  if (spec.outputSchema === null) return { lines: [], warnings: [], problem: null, passed: false };
  await log.flush();
  const old = work.outputBefore === undefined ? (parseInitialSpec(work)?.body ?? null) : work.outputBefore;
  const judged = old === null ? spec : { ...spec, body: `## Output\n\n${extractNewOutput(spec.body, old)}\n` };
  const verdict = (await outputJudgeSlot.runInSlot(() => judgeOutput(context, judged))) ?? { kind: "no_json" };
  const file = (await context.logs.open(spec.id))?.file ?? null;
  const lines = formatOutputReport({ schemaPath: spec.outputSchema, verdict, log: file });
  const { status, needsWarning } = decideOutputConsequence(verdict, config.validation.strict_output_validation);
  return {
    lines,
    warnings: needsWarning ? lines.slice(0, 1) : [],
    problem: status === "completed" ? null : lines.join("\n"),
    passed: verdict.kind === "passed",
  };
}

const RULE_FOLDERS = [".planner/prompts/", ".planner/schemas/"];

/**
 * Returns a sentence for each setting, prompt and schema that a run's commits change. The project's version judges the
 * run itself; the changed version judges later runs once it is merged.
 *
 * @param outputSchema path of the spec's schema from the project's root, or null
 */
export function describeChangedRules(
  changed: readonly { readonly path: string }[],
  outputSchema: string | null,
): readonly string[] {
  const schema = outputSchema?.replace(/^(?:\.\/)+/, "");
  return changed
    .map(({ path }) => path)
    .filter((path) => path === CONFIG_FILE || path === schema || RULE_FOLDERS.some((folder) => path.startsWith(folder)))
    .map((path) => `the run changed "${path}": a merge makes it hold for later runs`);
}
