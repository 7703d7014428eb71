import type { OutputVerdict } from "#planner/work/judge_output.ts";

/** A check of an output: schema, verdict and the log that contains the output. */
export interface CheckedOutput {
  /** Path of the schema as the spec writes it. */
  readonly schemaPath: string;
  readonly verdict: OutputVerdict;
  /** Path of the spec's log from the project root, or null if the output is not from a log. */
  readonly log: string | null;
}

/** Formats a summary, one line per problem, and the log's path. Source: docs/contract/spec-tool.md#output-4. */
export function formatOutputReport({ schemaPath, verdict, log }: CheckedOutput): readonly string[] {
  if (verdict.kind === "passed") return [`Output validation passed (schema: ${schemaPath})`];
  return [
    `Output validation failed (schema: ${schemaPath})`,
    ...listOutputProblems(verdict).map((problem) => `  ${problem}`),
    ...(log === null ? [] : [`See the log: ${log}`]),
  ];
}

/** Returns the reasons why an output does not pass; empty if it passed. */
export function listOutputProblems(verdict: OutputVerdict): readonly string[] {
  if (verdict.kind === "passed") return [];
  return verdict.kind === "no_json" ? ["no JSON found in the output"] : verdict.problems;
}

/** Effect of an output's verdict on a finished spec. */
export interface OutputConsequence {
  readonly status: "completed" | "needs_attention";
  /** True if the spec continues although its output is not valid, so that a warning is needed. */
  readonly needsWarning: boolean;
}

/**
 * Decides the status of a finished spec by the verdict on its output. Source: docs/contract/spec-tool.md#output-5.
 *
 * An output without JSON and an unusable schema count as a mismatch, because it is unknown whether the output matches.
 * @param verdict null for a spec without `output_schema`
 * @param strict `validation.strict_output_validation` of the config
 */
export function decideOutputConsequence(verdict: OutputVerdict | null, strict: boolean): OutputConsequence {
  if (verdict === null || verdict.kind === "passed") return { status: "completed", needsWarning: false };
  return strict ? { status: "needs_attention", needsWarning: false } : { status: "completed", needsWarning: true };
}
