import type { Rule, RuleFinding } from "../finding.ts";

const SPLIT_SUGGESTION = "Split it with `planner split`";

/** Requires a spec small enough for one session: criteria, target files and words within `lint.thresholds`. */
export const complexityRule: Rule = {
  name: "complexity",
  summary: "The spec is small enough: criteria, target files, words",
  severity: "warning",
  reports:
    "Warning: more than `complexity_criteria` criteria, `complexity_files` target files or `complexity_words` words, " +
    "`## Output` left out.",
  *check(spec, { config }, facts) {
    const { complexity_criteria, complexity_files, complexity_words } = config.lint.thresholds;
    const { criteria, words } = facts;
    if (criteria.length > complexity_criteria) {
      const message = `${criteria.length} acceptance criteria, more than ${complexity_criteria}`;
      yield { ...COMPLEXITY_WARNING, field: "body", message, bodyLine: criteria[complexity_criteria]?.line };
    }
    if (spec.targetFiles.length > complexity_files) {
      const message = `${spec.targetFiles.length} target files, more than ${complexity_files}`;
      yield { ...COMPLEXITY_WARNING, field: "target_files", message, path: ["target_files"] };
    }
    if (words > complexity_words) {
      yield {
        ...COMPLEXITY_WARNING,
        field: "body",
        message: `${words} words, more than ${complexity_words}`,
        bodyLine: 1,
      };
    }
  },
};

const COMPLEXITY_WARNING = {
  severity: "warning",
  suggestion: SPLIT_SUGGESTION,
} as const satisfies Partial<RuleFinding>;
