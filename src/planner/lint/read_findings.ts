import type { SpecRules } from "../config/config.ts";
import type { Spec } from "../spec/spec.ts";
import type { RuleFinding } from "./finding.ts";
import { isOff, severityOf } from "./rule_severity.ts";
import { unknownId } from "./rules/dependency.ts";
import { conflictFindings } from "./rules/parse.ts";
import { missingFields, valueFindings } from "./rules/required.ts";

/** How many values of a field are remembered as fitting: most specs have the same few. */
const KEPT_VALUES = 100;

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
  const wrongValues = openValueFindings(fields, [...required, "status", "depends_on"]);
  return (spec) => {
    const found: RuleFinding[] = judgesBody ? [...conflictFindings(spec)] : [];
    if (required.length > 0) found.push(...missingFields(spec, required));
    found.push(...wrongValues(spec));
    if (judgesDependencies) {
      for (const id of spec.dependsOn) if (!knownIds.has(id)) found.push(unknownId("depends_on", id));
    }
    return found;
  };
}

/** Judges the values of these fields; a value that fits is judged once. */
function openValueFindings(
  fields: SpecRules["schema"]["spec"]["fields"],
  names: readonly string[],
): (spec: Spec) => readonly RuleFinding[] {
  const fitting = new Map(names.map((name) => [name, new Set<unknown>()]));
  return (spec) => {
    const found: RuleFinding[] = [];
    for (const [name, values] of fitting) {
      const value = spec.frontmatter[name];
      if (values.has(value)) continue;
      const wrong = [...valueFindings(spec, fields, [name])];
      if (wrong.length === 0 && typeof value !== "object" && values.size < KEPT_VALUES) values.add(value);
      found.push(...wrong);
    }
    return found;
  };
}

function isError(rules: SpecRules, rule: "parse" | "required" | "dependency"): boolean {
  return !isOff(rules, rule) && severityOf(rules, rule, "error") === "error";
}
