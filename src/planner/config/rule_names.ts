/**
 * Names of the lint rules in report order: rules about the frontmatter, then about its references, then advice.
 * Source: docs/contract/spec-tool.md#lint-diagnostic; order from docs/decisions.md#s-11.
 */
export const RULE_NAMES = [
  "parse",
  "required",
  "title",
  "type",
  "dependency",
  "approval",
  "output",
  "criteria",
  "complexity",
  "coupling",
  "model_waste",
] as const;

/** How a rule's findings count: as the word says, or not at all. */
export const RULE_SEVERITIES = ["error", "warning", "off"] as const;

export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

export type RuleName = (typeof RULE_NAMES)[number];
