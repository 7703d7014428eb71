import type { Rule } from "../finding.ts";

/** Requires a title: the first heading of the body, or the field `title`. */
export const titleRule: Rule = {
  name: "title",
  summary: "The spec has a title",
  severity: "error",
  reports: "Error: neither a heading `# …` nor a `title`.",
  *check(spec) {
    if (spec.title !== null) return;
    yield {
      severity: "error",
      field: "title",
      message: "missing title",
      suggestion: "Begin the body with a heading: # <title>",
    };
  },
};
