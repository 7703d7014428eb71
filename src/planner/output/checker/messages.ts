import { OUTPUT_CHECK_LIMIT_MS, PATTERN_LIMIT_MS } from "#planner/limits.ts";
import type { OutputVerdict } from "#planner/ports.ts";
import type { SchemaBundle } from "../schema_document.ts";

/** What the parent sends, one JSON object per line. */
export interface CheckJob {
  readonly bundle: SchemaBundle;
  readonly value: unknown;
}

/**
 * What the child answers, one JSON object per line: which pattern meets a text just now (null: none any more), then the
 * verdict. The parent needs the pattern's name when it has to kill the child.
 */
export type CheckAnswer =
  | { readonly pattern: string; readonly characters: number }
  | { readonly pattern: null }
  | { readonly verdict: OutputVerdict };

/** A pattern that was given up on; what the schema demands cannot be told. */
export function slowPatternVerdict(pattern: string, characters: number): OutputVerdict {
  const limit = `the limit of ${PATTERN_LIMIT_MS / 1000} s`;
  const problem = `pattern ${JSON.stringify(pattern)} takes longer than ${limit} on a text of ${characters} characters`;
  return { kind: "invalid_schema", problems: [problem] };
}

/** A check that was given up on as a whole. */
export function slowCheckVerdict(): OutputVerdict {
  const limit = `the limit of ${OUTPUT_CHECK_LIMIT_MS / 1000} s`;
  return { kind: "invalid_schema", problems: [`comparing the output with the schema takes longer than ${limit}`] };
}
