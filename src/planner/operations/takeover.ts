import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import { formatCountWithNoun } from "#words/names.ts";
import type { PlannerContext } from "../context.ts";
import { type Criterion, parseCriteria } from "../spec/criteria.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { readLastRun, readLogWindow } from "../work/records/log_file.ts";
import { findSpec } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { specIdParam } from "./shared/params.ts";
import { readWorktreeBody } from "./shared/spec_proof.ts";
import { leaveSpecInProgress, stopRun } from "./state.ts";

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
