import type { RuleName } from "../config/rule_names.ts";
import type { Severity } from "./finding.ts";

/** What each rule demands, as reports and documentation say it, and how severe most of its findings are. */
export const RULE_TEXTS: { readonly [Rule in RuleName]: { readonly summary: string; readonly severity: Severity } } = {
  parse: { summary: "The file can be read and its YAML frontmatter parsed", severity: "error" },
  required: { summary: "Required fields are there and every field fits the schema", severity: "error" },
  title: { summary: "The spec has a title", severity: "error" },
  type: { summary: "The type is known and the spec has what its type needs", severity: "warning" },
  dependency: { summary: "Dependencies and members exist and nothing waits for itself", severity: "error" },
  approval: { summary: "The approval is whole and does not contradict itself", severity: "error" },
  output: { summary: "The output of a completed spec fits its output schema", severity: "error" },
  criteria: { summary: "The acceptance criteria are in one section, before the output", severity: "warning" },
  complexity: { summary: "The spec is small enough: criteria, target files, words", severity: "warning" },
  coupling: { summary: "The body names no other spec", severity: "warning" },
  model_waste: { summary: "A simple spec does not ask for an expensive model", severity: "warning" },
};
