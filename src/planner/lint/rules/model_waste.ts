import { createFieldFinding, type Rule } from "../finding.ts";

const EXPENSIVE_MODEL_PATTERN = /opus|sonnet/i;
const EXEMPT_TYPES: ReadonlySet<string> = new Set(["driver", "group", "research"]);

/** Reports a simple spec that runs with an expensive model, its own or the configured one. */
export const modelWasteRule: Rule = {
  name: "model_waste",
  summary: "A simple spec does not ask for an expensive model",
  severity: "warning",
  reports:
    "Warning: a spec of at most `simple_criteria` criteria, `simple_files` files and `simple_words` words is worked " +
    "with an expensive model (`opus` or `sonnet` in its name). Drivers, groups and research may.",
  *check(spec, { config }, facts) {
    const { simple_criteria, simple_files, simple_words } = config.lint.thresholds;
    const model = spec.model ?? config.defaults.model;
    if (model === null || !EXPENSIVE_MODEL_PATTERN.test(model) || EXEMPT_TYPES.has(spec.type)) return;
    if (spec.targetFiles.length > simple_files || facts.words > simple_words) return;
    if (facts.criteria.length > simple_criteria) return;
    const suggestion = spec.model === null ? "Name a cheaper model in the spec" : "Name a cheaper model";
    yield createFieldFinding("warning", "model", `model '${model}' for a simple spec`, suggestion);
  },
};
