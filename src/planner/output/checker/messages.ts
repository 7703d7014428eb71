import type { OutputVerdict } from "#planner/ports.ts";
import type { SchemaBundle } from "../schema_document.ts";

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
export interface CheckJob extends CheckRequest {
  readonly limits: CheckLimits;
}

/**
 * Message from the child to the parent, one JSON object per line: the pattern that is being matched (null after the
 * match), and finally the verdict. The parent names the pattern if it has to kill the child.
 */
export type CheckAnswer =
  | { readonly pattern: string; readonly characters: number }
  | { readonly pattern: null }
  | { readonly verdict: OutputVerdict };

/** Returns the verdict for a pattern that timed out; whether the value matches is unknown. */
export function createSlowPatternVerdict(pattern: string, characters: number, limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  const problem = `pattern ${JSON.stringify(pattern)} takes longer than ${limit} on a text of ${characters} characters`;
  return { kind: "invalid_schema", problems: [problem] };
}

/** Returns the verdict for a check that exceeded its time limit. */
export function createSlowCheckVerdict(limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  return { kind: "invalid_schema", problems: [`comparing the output with the schema takes longer than ${limit}`] };
}
