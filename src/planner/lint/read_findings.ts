import type { FieldRule, SpecRules } from "../config/config.ts";
import { conflictLine } from "../spec/conflict_markers.ts";
import type { Spec } from "../spec/spec.ts";
import { isMissing, wrongItems, wrongType } from "./field_value.ts";
import { isOff, type RuleFinding, severityOf } from "./finding.ts";
import { unknownId } from "./rules/dependency.ts";
import { conflictFindings } from "./rules/parse.ts";
import { fieldFindings, missingFields } from "./rules/required.ts";

/** How many values of a field are remembered as fitting: most specs have the same few. */
const KEPT_VALUES = 100;

export interface ReadWorld {
  /** Null if the configuration is broken: then only dependencies are judged. */
  readonly rules: SpecRules | null;
  /** Whether the id has a file, active or archived, readable or not. */
  readonly isKnown: (id: string) => boolean;
}

/**
 * Returns a function that finds the errors which make a spec invalid when it is read: a required field is missing, `status`
 * or `depends_on` does not fit the schema, a dependency does not exist, the body holds a conflict of git. A rule that is
 * switched off, or set to warn, finds nothing here.
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-08.
 */
export function openReadFindings({ rules, isKnown }: ReadWorld): (spec: Spec) => readonly RuleFinding[] {
  const judgesBody = rules === null || isError(rules, "parse");
  const judgesDependencies = rules === null || isError(rules, "dependency");
  const { required, fields } =
    rules !== null && isError(rules, "required") ? rules.schema.spec : { required: [], fields: {} };
  const values = [...new Set([...required, "status", "depends_on"])].flatMap((name) => {
    const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return rule === undefined ? [] : [openValueFindings(name, rule)];
  });
  return (spec) => {
    const found: RuleFinding[] = [];
    if (judgesBody && conflictLine(spec.body) !== undefined) found.push(...conflictFindings(spec));
    if (required.some((name) => isMissing(spec.frontmatter[name]))) found.push(...missingFields(spec, required));
    for (const findingsOf of values) addAll(found, findingsOf(spec));
    if (judgesDependencies && !spec.dependsOn.every(isKnown)) addAll(found, unknownDependencies(spec, isKnown));
    return found;
  };
}

/** Spreading an empty list costs more than a loop, and nearly all are. */
function addAll(found: RuleFinding[], more: readonly RuleFinding[]): void {
  for (const one of more) found.push(one);
}

function unknownDependencies({ dependsOn }: Spec, isKnown: ReadWorld["isKnown"]): readonly RuleFinding[] {
  return dependsOn.filter((id) => !isKnown(id)).map((id) => unknownId("depends_on", id));
}

const NONE: readonly RuleFinding[] = [];

/** Judges the values of one field; a text or number that fits is judged once. */
function openValueFindings(name: string, rule: FieldRule): (spec: Spec) => readonly RuleFinding[] {
  const fitting = new Set<unknown>();
  return ({ frontmatter }) => {
    const value = frontmatter[name];
    if (isMissing(value) || fitting.has(value)) return NONE;
    const wrong = isOfType(rule, value) ? NONE : [...fieldFindings(name, rule, value)];
    if (wrong.length === 0 && typeof value !== "object" && fitting.size < KEPT_VALUES) fitting.add(value);
    return wrong;
  };
}

/** Whether the rule demands a type alone, and the value is of it. */
function isOfType(rule: FieldRule, value: unknown): boolean {
  return rule.enum === undefined && wrongType(rule, value) === undefined && wrongItems(rule, value).length === 0;
}

function isError(rules: SpecRules, rule: "parse" | "required" | "dependency"): boolean {
  return !isOff(rules, rule) && severityOf(rules, rule, "error") === "error";
}
