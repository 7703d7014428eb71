import type { RuleName } from "./rule_names.ts";

/** How one frontmatter field must look. Source: contract, Configuration. */
export interface FieldRule {
  readonly type?: "string" | "array" | "boolean" | "integer" | "number" | "object";
  readonly enum?: readonly string[];
  readonly items?: "string" | "boolean" | "integer" | "number";
}

/** Where the complexity and model_waste rules begin to speak. */
export interface LintThresholds {
  readonly complexity_criteria: number;
  readonly complexity_files: number;
  readonly complexity_words: number;
  readonly simple_criteria: number;
  readonly simple_files: number;
  readonly simple_words: number;
}

/** `.planner/config.md`, every key filled in. */
export interface PlannerConfig {
  readonly project: { readonly name: string | null };
  readonly defaults: { readonly prompt: string | null; readonly model: string | null };
  readonly schema: {
    readonly spec: { readonly required: readonly string[]; readonly fields: Readonly<Record<string, FieldRule>> };
  };
  readonly validation: { readonly strict_output_validation: boolean };
  readonly lint: { readonly thresholds: LintThresholds; readonly disable: readonly RuleName[] };
}
