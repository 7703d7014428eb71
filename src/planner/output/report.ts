import type { OutputVerdict } from "../ports.ts";

/** What was judged: by which schema, with which verdict, and where the output comes from. */
export interface JudgedOutput {
  /** As the spec names it. */
  readonly schemaPath: string;
  readonly verdict: OutputVerdict;
  /** Path of the spec's log from the project root, or null when the output comes from elsewhere. */
  readonly log: string | null;
}

/**
 * Returns the report of an output check: a summary, one line per problem, and the path of the log.
 *
 * Source: docs/contract/spec-tool.md#output-4.
 */
export function outputReportLines({ schemaPath, verdict, log }: JudgedOutput): readonly string[] {
  if (verdict.kind === "passed") return [`Output validation passed (schema: ${schemaPath})`];
  return [
    `Output validation failed (schema: ${schemaPath})`,
    ...outputProblems(verdict).map((problem) => `  ${problem}`),
    ...(log === null ? [] : [`See the log: ${log}`]),
  ];
}

/** What keeps an output from passing; nothing when it passed. */
export function outputProblems(verdict: OutputVerdict): readonly string[] {
  if (verdict.kind === "passed") return [];
  return verdict.kind === "no_json" ? ["no JSON found in the output"] : verdict.problems;
}

/** What a verdict about a finished spec's output means for the spec. */
export interface OutputConsequence {
  readonly status: "completed" | "needs_attention";
  /** True if the spec continues although its output is not valid, so that a warning is needed. */
  readonly warning: boolean;
}

/**
 * Decides the status of a spec whose work is done, by its output. Source: docs/contract/spec-tool.md#output-5.
 *
 * An output without JSON and a schema that cannot be used count as a misfit: it is unknown whether the output fits.
 *
 * @param verdict null for a spec without `output_schema`
 * @param strict `validation.strict_output_validation` of the config
 */
export function outputConsequence(verdict: OutputVerdict | null, strict: boolean): OutputConsequence {
  if (verdict === null || verdict.kind === "passed") return { status: "completed", warning: false };
  return strict ? { status: "needs_attention", warning: false } : { status: "completed", warning: true };
}
