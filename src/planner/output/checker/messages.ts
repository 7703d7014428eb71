import { escapeLineSeparators } from "#kernel/json_object.ts";
import type { OutputVerdict } from "#planner/work/judge_output.ts";
import type { SchemaBundle } from "../schema_index.ts";

/** Command by which the program starts itself as the child process that checks outputs; the parent's PID follows it. */
export const CHECK_COMMAND = "__check-output";

/** Time limits of a check, in milliseconds. */
export interface CheckLimits {
  /** Limit for comparing one output with its schema. */
  readonly checkMs: number;
  /** Limit for one match of a pattern. */
  readonly patternMs: number;
}

export interface CheckRequest {
  readonly bundle: SchemaBundle;
  /** JSON text as found in the output. Serializing again would turn a number outside the range of doubles into null. */
  readonly json: string;
}

/** Message from the parent to the child, one JSON object per line. */
export interface CheckJob {
  /** JSON text of the bundle, so that the child compiles equal schemas once. */
  readonly schemas: string;
  readonly json: string;
  readonly limits: CheckLimits;
}

/** Message from the child to the parent, one JSON object per line. */
export interface CheckAnswer {
  readonly verdict: OutputVerdict;
  /** True if the child ends itself, because a match does not end. */
  readonly isLast?: true;
}

/** Returns a message as one line. Readers of lines split at more than a line feed. */
export function formatMessageLine(message: CheckJob | CheckAnswer): string {
  return `${escapeLineSeparators(JSON.stringify(message))}\n`;
}

const MAX_SHOWN_PATTERN_CHARS = 1000;

/** Returns the verdict for a pattern that timed out; whether the value matches is unknown. */
export function createSlowPatternVerdict(pattern: string, characters: number, limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  const shown = JSON.stringify(pattern.slice(0, MAX_SHOWN_PATTERN_CHARS));
  const problem = `pattern ${shown} takes longer than ${limit} on a text of ${characters} characters`;
  return { kind: "invalid_schema", problems: [problem] };
}

/** Returns the verdict for a check that exceeded its time limit. */
export function createSlowCheckVerdict(limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  return { kind: "invalid_schema", problems: [`comparing the output with the schema takes longer than ${limit}`] };
}
