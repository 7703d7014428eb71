import type { PlannerContext } from "../context.ts";
import type { OutputVerdict } from "../ports.ts";
import type { Spec } from "../spec/spec.ts";
import { judgeOutput } from "../work/judge_output.ts";

/** What comparing a spec's output with its schema came to. */
export interface OutputReport {
  readonly passed: boolean;
  /** The contract's sentence, then one line for each problem, then where the log lies. */
  readonly lines: readonly string[];
}

/**
 * Compares a spec's output with its `output_schema`; null for a spec without one. A spec without any output fails.
 *
 * Source: contract, Output schema validation, rule 4.
 */
export async function outputReport(context: PlannerContext, spec: Spec): Promise<OutputReport | null> {
  if (spec.outputSchema === null) return null;
  const verdict = (await judgeOutput(context, spec)) ?? { kind: "no_json" };
  if (verdict.kind === "passed") {
    return { passed: true, lines: [`Output validation passed (schema: ${spec.outputSchema})`] };
  }
  const log = await context.logs.open(spec.id);
  return {
    passed: false,
    lines: [
      `Output validation failed (schema: ${spec.outputSchema})`,
      ...problemsOf(verdict).map((problem) => `  ${problem}`),
      ...(log === null ? [] : [`See the log: ${log.file}`]),
    ],
  };
}

function problemsOf(verdict: Exclude<OutputVerdict, { kind: "passed" }>): readonly string[] {
  return verdict.kind === "no_json" ? ["no JSON found in the output"] : verdict.problems;
}
