import type { OutputVerdict } from "../ports.ts";

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
