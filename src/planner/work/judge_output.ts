import { MAX_JUDGED_BYTES } from "../limits.ts";
import type { LogStore, OutputValidator, OutputVerdict } from "../ports.ts";
import { findLastSection } from "../spec/sections.ts";
import type { Spec } from "../spec/spec.ts";
import { readLastRun } from "./records/log_format.ts";

export interface OutputSources {
  readonly logs: Pick<LogStore, "open">;
  readonly outputs: OutputValidator;
}

/**
 * Validates a spec's output against its `output_schema`. The output is the text that the last run printed or, if that
 * contains no JSON, the `## Output` section of the body.
 *
 * @returns null when the spec names no schema or has no output at all
 *
 * Source: docs/contract/spec-tool.md#output-validation; docs/decisions.md#s-17 for the last run.
 */
export async function judgeOutput({ logs, outputs }: OutputSources, spec: Spec): Promise<OutputVerdict | null> {
  if (spec.outputSchema === null) return null;
  let verdict: OutputVerdict | null = null;
  const log = await logs.open(spec.id);
  if (log !== null) {
    verdict = await outputs.validateOutput(spec.outputSchema, await readLastRun(log, MAX_JUDGED_BYTES));
    if (verdict.kind !== "no_json") return verdict;
  }
  const section = findLastSection(spec.body, "Output");
  if (section === undefined) return verdict;
  return outputs.validateOutput(spec.outputSchema, spec.body.slice(section.heading.next, section.end));
}
