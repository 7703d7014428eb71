import { formatCountWithNoun } from "#words/names.ts";
import type { Criterion } from "../spec/criteria.ts";

/** Log, criteria and error of an abandoned run. */
export interface AbandonedRun {
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
