import type { OutputVerdict } from "../ports.ts";
import type { Spec } from "../spec/spec.ts";

/** What a check of the output says, line by line. Source: contract, Output schema validation, rule 4. */
export function outputLines({ id, outputSchema }: Spec, verdict: OutputVerdict): readonly string[] {
  if (verdict.kind === "passed") return [`Output validation passed (schema: ${outputSchema})`];
  const problems = verdict.kind === "no_json" ? ["no JSON found in the output"] : verdict.problems;
  return [
    `Output validation failed (schema: ${outputSchema})`,
    ...problems.map((problem) => `  ${problem}`),
    `See the log: .planner/logs/${id}.log`,
  ];
}
