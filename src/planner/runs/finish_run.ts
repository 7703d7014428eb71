import type { PlannerConfig } from "../config/config.ts";
import { MAX_APPENDED_CHARS } from "../limits.ts";
import { changeSpec } from "../operations/change_spec.ts";
import { outputConsequence } from "../output/output_status.ts";
import { outputReportLines } from "../output/report.ts";
import type { SpecStore } from "../ports.ts";
import type { RunLog } from "../run_ports.ts";
import { criteriaOf } from "../spec/criteria.ts";
import { parseDocument } from "../spec/document.ts";
import { editFields } from "../spec/edit_fields.ts";
import { sectionOf } from "../spec/sections.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { bringBack, withOutput } from "../work/bring_back.ts";
import { type Evidence, NO_EVIDENCE, type RunEnd } from "../work/end_of_run.ts";
import { judgeOutput } from "../work/judge_output.ts";
import { oneByOne } from "./one_by_one.ts";
import type { RunDeps, RunPlace, RunWishes } from "./run_types.ts";
import { verifyWork } from "./verify_work.ts";

/** One run that has begun. */
export interface BegunRun {
  readonly id: SpecId;
  readonly processId: string;
  readonly config: PlannerConfig;
  readonly place: RunPlace;
  readonly wishes: RunWishes;
  readonly log: RunLog;
  /** The project's text of the spec when the run began. */
  readonly before: string;
  /** Commits that named the spec before the run. */
  readonly knownCommits: ReadonlySet<string>;
  /** What the agent finds in its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The specs as the agent sees them. */
export function specsOf({ context, ports }: RunDeps, { worktree }: RunPlace): SpecStore {
  return worktree === null ? context.specs : ports.worktrees.specs(worktree);
}

export interface Gathered {
  readonly evidence: Evidence;
  readonly warnings: readonly string[];
  readonly commits: readonly string[];
}

/** Gathers what speaks for the work being done. The log must hold all that the agent printed. */
export async function gatherEvidence(deps: RunDeps, run: BegunRun, spec: Spec): Promise<Gathered> {
  const { id, config, place, wishes, log, processId, env } = run;
  const traces = await gatherTraces(deps, run);
  const output = await outputReport(deps, run, spec);
  for (const line of output.lines) await log.line(`planner: ${line}`);
  const failedChecks = await verifyWork(deps, {
    commands: config.verify.commands,
    limitSeconds: config.verify.timeout_seconds,
    cwd: place.root,
    env,
    processId,
    log,
    stop: wishes.stop,
  });
  const evidence: Evidence = {
    ...traces.evidence,
    criteria: wishes.skipCriteria ? [] : criteriaOf(spec.body),
    // A check may have changed files; what the agent left is what counts.
    uncommitted: place.worktree === null ? [] : await uncommittedOf(deps, id),
    failedChecks,
    outputProblem: output.problem,
  };
  return { evidence, warnings: output.warnings, commits: traces.commits };
}

/** What a run left behind that was not brought to its end. */
export async function gatherTraces(deps: RunDeps, run: BegunRun): Promise<Gathered> {
  const { id, place, config } = run;
  const commits = await commitsOf(deps, run);
  const evidence: Evidence = {
    ...NO_EVIDENCE,
    commits: commits.length,
    requireCommit: config.verify.require_commit,
    uncommitted: place.worktree === null ? [] : await uncommittedOf(deps, id),
  };
  return { evidence, warnings: [], commits };
}

async function commitsOf({ files, ports }: RunDeps, { id, place, knownCommits }: BegunRun): Promise<readonly string[]> {
  const naming = await files.history(place.root).commitsNaming(id);
  if (place.worktree === null) return naming.filter((hash) => !knownCommits.has(hash)).toReversed();
  const own = await ports.worktrees.commits(id);
  return own.filter((hash) => naming.some((short) => hash.startsWith(short)));
}

async function uncommittedOf({ ports }: RunDeps, id: SpecId): Promise<readonly string[]> {
  const paths = await ports.worktrees.uncommitted(id);
  // The spec's own file is committed with its final status.
  return paths.filter((path) => !`/${path}`.endsWith(`/.planner/specs/${id}.md`));
}

interface OutputReport {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly problem: string | null;
}

/** Each holds its whole run in memory, and runs may end together. */
const judging = oneByOne();

/**
 * Source: docs/contract/spec-tool.md#output-2, docs/contract/spec-tool.md#output-4,
 * docs/contract/spec-tool.md#output-5.
 */
async function outputReport({ context }: RunDeps, { config, log }: BegunRun, spec: Spec): Promise<OutputReport> {
  if (spec.outputSchema === null) return { lines: [], warnings: [], problem: null };
  await log.flush();
  const verdict = (await judging(() => judgeOutput(context, spec))) ?? { kind: "no_json" };
  const file = (await context.logs.open(spec.id))?.file ?? null;
  const lines = outputReportLines({ schemaPath: spec.outputSchema, verdict, log: file });
  const { status, warning } = outputConsequence(verdict, config.validation.strict_output_validation);
  return { lines, warnings: warning ? lines : [], problem: status === "completed" ? null : lines.join("\n") };
}

/** The spec as the agent left it; null when there is no file any more, or none that can be read. */
export async function specAfter(deps: RunDeps, { id, place }: BegunRun): Promise<Spec | string> {
  try {
    return await specsOf(deps, place).load(id);
  } catch (error) {
    return `the spec cannot be read any more: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Writes how the run ended into the spec, where the agent worked and in the project.
 *
 * @param output the agent's last words; empty where they are not to be kept
 */
export async function writeEnd(deps: RunDeps, run: BegunRun, end: RunEnd & { readonly output: string }): Promise<void> {
  const { context, ports } = deps;
  const { id, place, before, log } = run;
  const final = (text: string): string => finalText(text, { run, end, now: context.clock.now() });
  if (place.worktree === null) {
    await context.specs.edit(id, final);
    return;
  }
  const specs = specsOf(deps, place);
  await specs.edit(id, final);
  await ports.worktrees.commitSpec(id, `planner: note that the run of ${id} ended as ${end.status}`);
  const there = (await specs.readText(id)).text;
  let bodyLeft = false;
  await changeSpec(context, id, (here) => {
    const brought = bringBack({ before, here, there });
    bodyLeft = brought.bodyLeft;
    return editFields(brought.text, { status: end.status });
  });
  if (bodyLeft) {
    await log.line("planner: the spec's text changed here and in the worktree: the worktree's comes with the merge");
  }
}

interface Ending {
  readonly run: BegunRun;
  readonly end: RunEnd & { readonly output: string };
  readonly now: Date;
}

function finalText(text: string, { run: { before }, end, now }: Ending): string {
  const document = parseDocument(text);
  const since = document.ok ? document.frontmatter["completed_at"] : undefined;
  const at = typeof since === "string" ? since : now.toISOString();
  const fields = { status: end.status, completed_at: end.status === "completed" ? at : undefined };
  const own = outputOf(text) !== outputOf(before);
  return withOutput(editFields(text, fields), shortened(end.output), own);
}

function outputOf(text: string): string {
  const document = parseDocument(text);
  const section = document.ok ? sectionOf(document.body, "Output") : undefined;
  return section === undefined || !document.ok ? "" : document.body.slice(section.heading.next, section.end).trim();
}

function shortened(output: string): string {
  // NUL and halves of characters have no place in a spec's file.
  const text = output.replaceAll("\0", "").toWellFormed().trim();
  if (text.length <= MAX_APPENDED_CHARS) return text;
  const tail = text.slice(-MAX_APPENDED_CHARS);
  return `(The log has all of it; this is the end.)\n\n${tail.slice(tail.indexOf("\n") + 1)}`.toWellFormed();
}

/** Marks the spec failed in the project, whatever the run's own copy has become. */
export async function writeFailure({ context }: RunDeps, id: SpecId): Promise<void> {
  await changeSpec(context, id, (text, spec) =>
    spec.status === "in_progress" ? editFields(text, { status: "failed" }) : text,
  );
}
