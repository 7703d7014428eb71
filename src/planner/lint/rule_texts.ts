import type { RuleName } from "../config/config_values.ts";
import type { Severity } from "./finding.ts";

export interface RuleDescription {
  /** The rule's requirement, in one sentence. */
  readonly summary: string;
  /** Severity of most findings of the rule. */
  readonly severity: Severity;
  /** The errors and warnings that the rule reports. */
  readonly reports: string;
}

/** Descriptions of each rule, for code scanning and docs/lint.md. */
export const RULE_DESCRIPTIONS: Readonly<Record<RuleName, RuleDescription>> = {
  parse: {
    summary: "The file can be read and its YAML frontmatter parsed",
    severity: "error",
    reports:
      "Error: the frontmatter does not parse, a block of fields near the beginning does not open in line 1 with `---`, a " +
      "key differs from a field in case alone, or a conflict of git is left outside of code fences and `## Output`. " +
      "Warning: a folder in `.planner/specs`, or a file that ends with `.MD`; no command reads them.",
  },
  required: {
    summary: "Required fields are there and every field fits the schema",
    severity: "error",
    reports:
      "Error: the frontmatter does not fit `schema.spec` of the settings, the id is not the file's, or the file is a " +
      "copy that a synchroniser left. Warning: missing labels, a file name of another shape, a key that is a slip of a " +
      "field (`depends-on`); with one of `status`, `depends_on` or `approval` the spec is not ready. A field without a value is missing, an empty list is not. `blocked`, " +
      "`cancelled` and `needs_attention`, which the tool writes, and `ready`, read as pending, are accepted. A missing `id` is no fault unless it is " +
      "required; a required `title` may be the heading.",
  },
  title: {
    summary: "The spec has a title",
    severity: "error",
    reports: "Error: neither a heading `# …` nor a `title`.",
  },
  type: {
    summary: "The type is known and the spec has what its type needs",
    severity: "warning",
    reports:
      "Warning: no type (it counts as `code`), an unknown one, or one without what it needs: documentation `tracks` and " +
      "`target_files`, research `informed_by` or `origin` and `target_files`, a driver or group members. A configured " +
      "enum of `type` takes the place of the list.",
  },
  dependency: {
    summary: "Dependencies and members exist and nothing waits for itself",
    severity: "error",
    reports:
      "Error: an id in `depends_on` or `members` has no file, or a spec waits for itself. Warning: an id is listed twice.",
  },
  approval: {
    summary: "The approval is whole and does not contradict itself",
    severity: "error",
    reports: "Error: `approved` or `rejected` without by whom and when, `pending` with a person.",
  },
  output: {
    summary: "The output of a completed spec fits its output schema",
    severity: "error",
    reports:
      "Error: the output of a completed spec does not fit its `output_schema`, or the schema cannot be used. See " +
      "docs/output-schemas.md.",
  },
  criteria: {
    summary: "The acceptance criteria are boxes in one section, before the output",
    severity: "warning",
    reports:
      "Warning: a list item in the section, or what looks like a box, that is not read as a criterion (`- []`, `- [✓]`, a " +
      "plain bullet), a check that belongs to none, a further section `Acceptance Criteria`, one behind `## Output` or in a code fence, a check that cannot " +
      "fail (`true`, `npm test || true`), and with `verify.require_checks` a criterion without a check.",
  },
  complexity: {
    summary: "The spec is small enough: criteria, target files, words",
    severity: "warning",
    reports:
      "Warning: more than `complexity_criteria` criteria, `complexity_files` target files or `complexity_words` words, " +
      "`## Output` left out.",
  },
  coupling: {
    summary: "The body names no other spec",
    severity: "warning",
    reports:
      "Warning: the body outside of fences names another spec that `depends_on` does not list. A driver or group may " +
      "name its members, a member all but its siblings.",
  },
  model_waste: {
    summary: "A simple spec does not ask for an expensive model",
    severity: "warning",
    reports:
      "Warning: a spec of at most `simple_criteria` criteria, `simple_files` files and `simple_words` words is worked " +
      "with an expensive model (`opus` or `sonnet` in its name). Drivers, groups and research may.",
  },
};
