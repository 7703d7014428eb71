import type { OutputVerdict } from "#planner/ports.ts";
import type { SchemaBundle } from "../schema_document.ts";

/** How long things may take, in milliseconds. */
export interface CheckLimits {
  /** Comparing one output with its schema. */
  readonly checkMs: number;
  /** One match of a pattern. */
  readonly patternMs: number;
}

export interface CheckQuestion {
  readonly bundle: SchemaBundle;
  /** The output's JSON as it was found: written anew, a number beyond the range of numbers would become null. */
  readonly json: string;
}

/** What the parent sends, one JSON object per line. */
export interface CheckJob extends CheckQuestion {
  readonly limits: CheckLimits;
}

/**
 * What the child answers, one JSON object per line: which pattern meets a text just now (null: none any more), then the
 * verdict. The parent needs the pattern's name when it has to kill the child.
 */
export type CheckAnswer =
  | { readonly pattern: string; readonly characters: number }
  | { readonly pattern: null }
  | { readonly verdict: OutputVerdict };

/** A pattern that timed out; whether the value fits is unknown. */
export function slowPatternVerdict(pattern: string, characters: number, limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  const problem = `pattern ${JSON.stringify(pattern)} takes longer than ${limit} on a text of ${characters} characters`;
  return { kind: "invalid_schema", problems: [problem] };
}

/** A check that was given up on as a whole. */
export function slowCheckVerdict(limitMs: number): OutputVerdict {
  const limit = `the limit of ${limitMs / 1000} s`;
  return { kind: "invalid_schema", problems: [`comparing the output with the schema takes longer than ${limit}`] };
}
