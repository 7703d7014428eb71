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
