import type { OutputVerdict } from "../ports.ts";
import type { Spec } from "../spec/spec.ts";

/**
 * What a check of the output says, line by line.
 *
 * @param log path of the spec's log, or null when it has none
 *
 * Source: contract, Output schema validation, rule 4.
 */
export function outputLines({ outputSchema }: Spec, verdict: OutputVerdict, log: string | null): readonly string[] {
  if (verdict.kind === "passed") return [`Output validation passed (schema: ${outputSchema})`];
  const problems = verdict.kind === "no_json" ? ["no JSON found in the output"] : verdict.problems;
  return [
    `Output validation failed (schema: ${outputSchema})`,
    ...problems.map((problem) => `  ${problem}`),
    ...(log === null ? [] : [`See the log: ${log}`]),
  ];
}
