import type { Rule } from "../rule.ts";

const EXPENSIVE = /opus|sonnet/i;
const EXEMPT: ReadonlySet<string> = new Set(["driver", "group", "research"]);

/** A simple spec does not ask for an expensive model. */
export const modelWaste: Rule = {
  name: "model_waste",
  *check(spec, { config }, facts) {
    const { simple_criteria, simple_files, simple_words } = config.lint.thresholds;
    if (spec.model === null || !EXPENSIVE.test(spec.model) || EXEMPT.has(spec.type)) return;
    if (spec.targetFiles.length > simple_files || facts.words > simple_words) return;
    if (facts.criteria.length > simple_criteria) return;
    yield {
      severity: "warning",
      field: "model",
      message: `model '${spec.model}' for a simple spec`,
      path: ["model"],
      suggestion: "Name a cheaper model, or leave the choice to the configuration",
    };
  },
};
