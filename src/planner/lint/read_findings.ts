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
 * Returns a function that finds the errors which make a spec invalid when it is read: a required field is missing, `status`
 * or `depends_on` does not fit the schema, a dependency does not exist, the body holds a conflict of git. A rule that is
 * switched off, or set to warn, finds nothing here.
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-08.
 */
export function openReadFindings({ rules, knownIds }: ReadWorld): (spec: Spec) => readonly RuleFinding[] {
  const judgesBody = rules === null || isError(rules, "parse");
  const judgesDependencies = rules === null || isError(rules, "dependency");
  const { required, fields } =
    rules !== null && isError(rules, "required") ? rules.schema.spec : { required: [], fields: {} };
  const names = new Set([...required, "status", "depends_on"]);
  return (spec) => {
    const found: RuleFinding[] = judgesBody ? [...conflictFindings(spec)] : [];
    found.push(...missingFields(spec, required), ...valueFindings(spec, fields, names));
    if (judgesDependencies) {
      for (const id of spec.dependsOn) if (!knownIds.has(id)) found.push(unknownId("depends_on", id));
    }
    return found;
  };
}

function isError(rules: SpecRules, rule: "parse" | "required" | "dependency"): boolean {
  return !isOff(rules, rule) && severityOf(rules, rule, "error") === "error";
}
