import type { SpecId } from "#planner/spec/spec_id.ts";
import { MAX_JUDGED_BYTES } from "../limits.ts";
import { findLastSection } from "../spec/sections.ts";
import type { Spec } from "../spec/spec.ts";
import { type LogFile, readLastRun } from "./records/log_file.ts";

/** Result of comparing an output with its schema. `invalid_schema` means that the schema file itself is unusable. */
export type OutputVerdict =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly problems: readonly string[] }
  | { readonly kind: "no_json" }
  | { readonly kind: "invalid_schema"; readonly problems: readonly string[] };

export interface OutputValidator {
  /**
   * Extracts JSON from `output` and checks it against the schema file.
   *
   * @param schemaPath as written in the spec: from the project root, or a bare name under `.planner/schemas/`
   */
  validateOutput(schemaPath: string, output: string): Promise<OutputVerdict>;
  /**
   * Returns the part of an agent's prompt that states the expected output.
   * @throws OperationError `failed_precondition` that names the problem of the schema file
   */
  promptSection(schemaPath: string): Promise<string>;
  /** SHA-256 of the schema and all that it refers to; null if it cannot be used. */
  computeFingerprint(schemaPath: string): Promise<string | null>;
}

export interface OutputSources {
  readonly logs: { open(id: SpecId): Promise<LogFile | null> };
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
