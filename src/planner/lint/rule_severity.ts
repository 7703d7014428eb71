import type { SpecRules } from "../config/config.ts";
import type { RuleName } from "../config/rule_names.ts";
import type { Severity } from "./finding.ts";

/** Whether `lint.disable` or `lint.severity` switches the rule off. */
export function isOff({ lint }: SpecRules, rule: RuleName): boolean {
  return lint.disable.includes(rule) || lint.severity[rule] === "off";
}

/** The severity of a finding: that of `lint.severity`, else the rule's own. */
export function severityOf({ lint }: SpecRules, rule: RuleName, own: Severity): Severity {
  const set = lint.severity[rule];
  return set === undefined || set === "off" ? own : set;
}
