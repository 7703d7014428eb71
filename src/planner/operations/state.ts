import { Type } from "@sinclair/typebox";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { ClaimHolder } from "#planner/store/locks/local_claims.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerContext } from "../context.ts";
import { AGENT_GRACE_MS, CLAIM_RELEASE_LIMIT_MS } from "../limits.ts";
import { type Criterion, parseCriteria } from "../spec/criteria.ts";
import { editFields } from "../spec/edit/edit_fields.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { readLastRun, readLogWindow } from "../work/records/log_file.ts";
import { changeSpec } from "./shared/change_spec.ts";
import { findSpec, findSpecId } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { refuseSpecInWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import { readWorktreeBody } from "./shared/spec_proof.ts";

const RESETTABLE_STATUSES: readonly string[] = ["failed", "needs_attention", "in_progress"];

export const reset = defineTool<PlannerContext>()({
  name: "planner_reset",
  summary:
    "Set a failed or stranded spec back to pending, to be worked on again. Stop a running agent with planner_pause first.",
  resultDescription:
    "`Reset spec: <id>`, also of needs_attention; `completed_at` is removed. Refused while a process works on it.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: false });
    await refuseSpecInWork(context, id, "reset");
    await changeSpec(context, id, (before, { status }) => {
      if (!RESETTABLE_STATUSES.includes(status)) {
        throw createPreconditionError(
          `Spec '${id}' is not in failed, needs_attention, or in_progress state (current: ${status}). Only such specs can be reset.`,
        );
      }
      return editFields(before, { status: "pending", completed_at: undefined });
    });
    const notes = await changeSharedClaim(context, id, "give up");
    return {
      value: { spec_id: id, status: "pending", ...(notes.length === 0 ? {} : { notes }) },
      text: [`Reset spec: ${id}`, ...notes].join("\n"),
    };
  },
});

export const cancel = defineTool<PlannerContext>()({
  name: "planner_cancel",
  summary:
    "Give up a spec: stop its agent, unblock its dependents. To stop for now use planner_pause; if done, planner_archive.",
  resultDescription: "`Cancelled spec: <id>`",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const spec = await findSpec(context, text, { archived: false });
    refuseCancellingEndedSpec(spec);
    await stopRun(context, spec.id, `Cannot cancel spec '${spec.id}'`);
    await changeSpec(context, spec.id, (before, current) => {
      refuseCancellingEndedSpec(current);
      return editFields(before, { status: "cancelled" });
    });
    const notes = await changeSharedClaim(context, spec.id, "give up");
    return {
      value: { spec_id: spec.id, status: "cancelled", ...(notes.length === 0 ? {} : { notes }) },
      text: [`Cancelled spec: ${spec.id}`, ...notes].join("\n"),
    };
  },
});

function refuseCancellingEndedSpec({ id, status }: Spec): void {
  if (status === "cancelled") {
    throw createPreconditionError(`Spec '${id}' is already cancelled`);
  }
  if (status === "completed") {
    throw createPreconditionError(`Spec '${id}' is completed and cannot be cancelled`);
  }
}

export const archive = defineTool<PlannerContext>()({
  name: "planner_archive",
  summary: "Move a completed spec to the archive; its id stays valid. To give it up instead use planner_cancel.",
  resultDescription: "`Archived spec: <id> -> <path>`. The id stays valid for reading and as a dependency.",
  effect: "destroy",
  idempotent: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const spec = await findSpec(context, text, { archived: false });
    const { id } = spec;
    refuseUncompletedSpec(spec);
    await refuseSpecInWork(context, id, "archive");
    const file = await context.specs.moveToArchive(id, refuseUncompletedSpec);
    return { value: { spec_id: id, file }, text: `Archived spec: ${id} -> ${file}` };
  },
});

function refuseUncompletedSpec({ id, status }: Spec): void {
  if (status === "completed") return;
  throw createPreconditionError(`Spec '${id}' must be completed to archive (current: ${status})`);
}

export const pause = defineTool<PlannerContext>()({
  name: "planner_pause",
  summary:
    "Stop the agent of a spec, which stays in_progress. To go on by hand use planner_takeover, to give up planner_cancel.",
  resultDescription:
    "`Successfully paused work for spec '<id>'`, or `Failed to pause work for spec '<id>': No running process found`.",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: false });
    const refused = `Failed to pause work for spec '${id}'`;
    const stopped = await stopRun(context, id, refused);
    if (stopped === null) throw createPreconditionError(`${refused}: No running process found`);
    const status = await leaveSpecInProgress(context, id, stopped);
    return { value: { spec_id: id, status }, text: `Successfully paused work for spec '${id}'` };
  },
});

const CHECK_INTERVAL_MS = 25;

interface StoppedRun {
  /** True if the agent only split the spec, so that work on the spec had not begun. */
  readonly wasSplit: boolean;
}

/**
 * Stops the run that works on a spec: ends its record, its agent and all programs that the agent started, and waits
 * until the process releases the spec. The process reads in its record that it was ended, and does not change the spec.
 * @param errorPrefix beginning of the error message
 * @returns null if no process works on the spec; a running merge of its finished work is awaited first
 * @throws OperationError `deadline_exceeded` if the process does not release the spec, `failed_precondition` if it runs
 * on another machine or belongs to another program
 */
async function stopRun(context: PlannerContext, id: SpecId, errorPrefix: string): Promise<StoppedRun | null> {
  const { claims } = await context.openRuns();
  const holder = await claims.readHolder(id);
  const running = (await context.work.readProcesses()).filter(
    ({ spec_id, status }) => spec_id === id && status === "running",
  );
  if (holder?.alive !== true && running.length === 0) return null;
  const processIds = [...listProcessIds(holder, running)];
  const found = await Promise.all(processIds.map((processId) => endRecord(context, processId)));
  await Promise.all(processIds.map((processId) => endRunAgent(context, processId, holder)));
  // Terminates a process that has not claimed the spec yet, so that it never begins.
  if (holder?.alive !== true) for (const { pid } of running) await context.terminateProcess(pid);
  const ended = new Set(processIds.filter((_, index) => found[index]));
  if (!(await waitForRelease(context, id, ended))) throw createTimeoutError(errorPrefix, await claims.readHolder(id));
  if (ended.size === 0 && holder?.agent == null) return null;
  const records = (await context.work.readProcesses()).filter(({ process_id }) => ended.has(process_id));
  return { wasSplit: records.length > 0 && records.every(({ mode }) => mode === "split") };
}

/** Sets a stopped spec to in_progress, unless it was completed or only split. Returns its status. */
async function leaveSpecInProgress(context: PlannerContext, id: SpecId, { wasSplit }: StoppedRun): Promise<string> {
  let status = "in_progress";
  await changeSpec(context, id, (before, spec) => {
    const keepsStatus = wasSplit || spec.status === "completed";
    status = keepsStatus ? spec.status : "in_progress";
    return keepsStatus ? before : editFields(before, { status });
  });
  return status;
}

function listProcessIds(holder: ClaimHolder | null, running: readonly ProcessRecord[]): ReadonlySet<string> {
  const ids = new Set(running.map(({ process_id }) => process_id));
  if (holder?.process_id != null) ids.add(holder.process_id);
  return ids;
}

/** Ends the record before the agent: a run reads it before starting its agent. Returns false without a record. */
async function endRecord(context: PlannerContext, processId: string): Promise<boolean> {
  const { records } = await context.openRuns();
  return records.finishRecord(processId, { status: "failed", error: "ended from outside" }, context.clock.now());
}

async function endRunAgent(context: PlannerContext, processId: string, holder: ClaimHolder | null): Promise<void> {
  const { agents } = await context.openRuns();
  const agent = holder?.process_id === processId ? holder.agent : null;
  await agents.endRun({ processId, agent }, AGENT_GRACE_MS);
}

/**
 * Waits until the run releases the spec; false after a timeout. Adds to `ended` a run that had claimed the spec but not
 * yet written its record.
 */
async function waitForRelease(context: PlannerContext, id: SpecId, ended: Set<string>): Promise<boolean> {
  const { claims } = await context.openRuns();
  for (let waited = 0; waited <= CLAIM_RELEASE_LIMIT_MS; waited += CHECK_INTERVAL_MS) {
    const holder = await claims.readHolder(id);
    if (holder === null) return true;
    if (!holder.alive) {
      await claims.clearStale(id);
      return true;
    }
    const processId = holder.process_id;
    if (processId !== null && !ended.has(processId) && (await endRecord(context, processId))) {
      ended.add(processId);
      await endRunAgent(context, processId, holder);
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
  }
  return false;
}

function createTimeoutError(refused: string, holder: ClaimHolder | null): OperationError {
  const who = holder === null ? "its process" : `process ${holder.pid} on ${holder.host}`;
  return new OperationError("deadline_exceeded", `${refused}: ${who} does not give the spec up`);
}

/** Number of log lines in the answer. */
const LOG_TAIL_LINES = 50;

export const takeover = defineTool<PlannerContext>()({
  name: "planner_takeover",
  summary: "Stop the agent of a spec and report what it did, to continue by hand. To stop it only use planner_pause.",
  resultDescription:
    "`{spec_id, analysis, log_tail, suggestion, worktree_path}`, or `Failed to take over spec '<id>': Spec not currently being worked`. With `force` and without an agent it changes neither status nor body.",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    force: Type.Optional(Type.Boolean({ description: "Analyze even if no agent works on the spec", default: false })),
  }),
  async run(context, { id: text, force = false }) {
    const spec = await findSpec(context, text, { archived: false });
    const refused = `Failed to take over spec '${spec.id}'`;
    const stopped = await stopRun(context, spec.id, refused);
    let notes: readonly string[] = [];
    if (stopped !== null) {
      const status = await leaveSpecInProgress(context, spec.id, stopped);
      if (status === "in_progress") notes = await changeSharedClaim(context, spec.id, "keep");
    } else if (!force) throw createPreconditionError(`${refused}: Spec not currently being worked`);
    const log = await context.logs.open(spec.id);
    const lines = log === null ? null : splitLines(await readLastRun(log));
    const worktrees = await context.work.worktrees();
    return {
      value: {
        spec_id: spec.id,
        ...analyzeAbandonedRun({
          lines,
          criteria: parseCriteria(await readWorktreeBody(context, spec.id)),
          failure: stopped === null ? await findLastError(context, spec.id) : null,
        }),
        log_tail:
          log === null
            ? "No log file found"
            : (await readLogWindow(log, { lines: LOG_TAIL_LINES, growing: false })).content.trimEnd(),
        ...(notes.length === 0 ? {} : { notes }),
        worktree_path: worktrees.find(({ spec_id }) => spec_id === spec.id)?.path ?? null,
      },
    };
  },
});

/** Returns the error of the last process if it failed, otherwise null. Not every failed process has written a log. */
async function findLastError(context: PlannerContext, id: SpecId): Promise<string | null> {
  const last = (await context.work.readProcesses()).findLast(({ spec_id }) => spec_id === id);
  return last?.status === "failed" ? (last.error ?? null) : null;
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** Log, criteria and error of an abandoned run. */
interface AbandonedRun {
  /** Log lines of the last run without times; null without a log. */
  readonly lines: readonly string[] | null;
  readonly criteria: readonly Criterion[];
  /** Why the last process failed; null if that is not known. */
  readonly failure?: string | null;
}

const MAX_QUOTED_ERRORS = 3;

/** Maximum length of a quoted line in characters. */
const MAX_QUOTED_CHARS = 200;

const ERROR_WORD = /\b(?:errors?|failed|failures?|fatal|panic(?:ked)?|exception|traceback|denied)\b/i;
// Phrases that indicate success, such as "0 errors", "no failures" and "without errors".
const NO_ERROR_PHRASE = /\b(?:0|no|zero|without(?: any)?)\s+(?:errors?|failures?|failed)\b/i;
const TOOL_CALL = /\b(?:tool[_ ]?(?:use|call)s?|calling tool|invoking tool|planner_[a-z_]+)\b/i;
const COMPLETION_PHRASE = /\b(?:all done|completed?|finished|implemented|all (?:tests|checks) pass(?:ed)?)\b/i;
const NOT_COMPLETE_PHRASE = /\b(?:not|never|isn't|in)\s?(?:yet )?(?:complete|completed|finished|implemented)\b/i;

/** Summarizes a run and its end for the person or agent who continues its work. Source: docs/decisions.md#s-27. */
export function analyzeAbandonedRun({ lines, criteria, failure = null }: AbandonedRun) {
  const open = criteria.filter(({ checked }) => !checked).length;
  const suggestions: string[] = [];
  const parts: string[] = failure === null ? [] : [`The last process failed: ${failure}`];
  if (lines === null) {
    parts.push("No execution log available for analysis");
  } else {
    const errors = lines.filter((line) => ERROR_WORD.test(line) && !NO_ERROR_PHRASE.test(line));
    parts.push(...describeAbandonedRun(lines, errors));
    if (errors.length > 0) suggestions.push("Review the errors in the log before going on.");
  }
  if (criteria.length > 0) parts.push(`${criteria.length - open} of ${criteria.length} acceptance criteria checked`);
  suggestions.push(suggestNextStep(criteria.length, open));
  return { analysis: parts.join("\n"), suggestion: suggestions.join("\n") };
}

function describeAbandonedRun(lines: readonly string[], errors: readonly string[]): string[] {
  const parts = [`${formatCountWithNoun(lines.length, "log line")} in the last run`];
  if (errors.length === 0) parts.push("No error lines");
  else {
    parts.push(`${formatCountWithNoun(errors.length, "error line")}:`);
    parts.push(...errors.slice(0, MAX_QUOTED_ERRORS).map((line) => `- ${shortenLine(line.trim())}`));
  }
  parts.push(`${formatCountWithNoun(lines.filter((line) => TOOL_CALL.test(line)).length, "line")} about tool calls`);
  const complete = lines.some((line) => COMPLETION_PHRASE.test(line) && !NOT_COMPLETE_PHRASE.test(line));
  parts.push(complete ? "The run spoke of completion" : "The run did not speak of completion");
  return parts;
}

function suggestNextStep(total: number, open: number): string {
  if (total === 0) return "The spec has no acceptance criteria: compare the work with its text, then go on by hand.";
  if (open === 0) return "All acceptance criteria are checked: verify the work, then finalize the spec.";
  return `${formatCountWithNoun(open, "acceptance criterion", "acceptance criteria")} still open: go on by hand, or reset the spec to work it again.`;
}

function shortenLine(text: string): string {
  return text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
}
