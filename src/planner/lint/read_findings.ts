import type { SpecRules } from "../config/config.ts";
import type { Spec } from "../spec/spec.ts";
import type { RuleFinding } from "./finding.ts";
import { isOff, severityOf } from "./rule_severity.ts";
import { unknownId } from "./rules/dependency.ts";
import { conflictFindings } from "./rules/parse.ts";
import { missingFields, valueFindings } from "./rules/required.ts";

/** What reading a spec is judged by. */
export interface ReadWorld {
  /** Null if the configuration is broken: then only dependencies are judged. */
  readonly rules: SpecRules | null;
  /** Every id that has a file, active or archived, readable or not. */
  readonly knownIds: ReadonlySet<string>;
}

/**
 * Returns the errors that make a spec invalid when it is read: a required field is missing, `status` or `depends_on` does
 * not fit the schema, a dependency does not exist, the body holds a conflict of git. A rule that is switched off, or set to warn, finds nothing here.
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-08.
 */
export function* readFindings(spec: Spec, { rules, knownIds }: ReadWorld): Iterable<RuleFinding> {
  if (rules === null || isError(rules, "parse")) yield* conflictFindings(spec);
  if (rules !== null && isError(rules, "required")) {
    const { required, fields } = rules.schema.spec;
    yield* missingFields(spec, required);
    yield* valueFindings(spec, fields, new Set([...required, "status", "depends_on"]));
  }
  if (rules === null || isError(rules, "dependency")) {
    for (const id of spec.dependsOn) if (!knownIds.has(id)) yield unknownId("depends_on", id);
  }
}

function isError(rules: SpecRules, rule: "parse" | "required" | "dependency"): boolean {
  return !isOff(rules, rule) && severityOf(rules, rule, "error") === "error";
}
