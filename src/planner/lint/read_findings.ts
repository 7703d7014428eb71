import type { FieldRule, SpecRules } from "../config/config.ts";
import { findConflictLine } from "../spec/document.ts";
import { findCopiedId, findNearFields, findSecondBlock } from "../spec/near.ts";
import type { Spec } from "../spec/spec.ts";
import { describeTypeMismatch, findMistypedItems, isMissingValue } from "./field_value.ts";
import { isRuleDisabled, type RuleFinding, resolveSeverity } from "./finding.ts";
import {
  checkField,
  createNearFieldFinding,
  findConflictFinding,
  findCopyFinding,
  findMissingFields,
  findSecondBlockFinding,
} from "./rules/fields.ts";
import { createUnknownIdFinding } from "./rules/links.ts";

/** Maximum number of accepted values cached per field: most specs have the same few. */
const MAX_CACHED_VALUES = 100;

export interface ReadFindingsInput {
  /** Null if the configuration is invalid; then only dependencies and conflicts are checked. */
  readonly rules: SpecRules | null;
  /** Returns whether the id has a file, active or archived, readable or not. */
  readonly isKnown: (id: string) => boolean;
}

/**
 * Creates a function that finds the errors that make a spec invalid on reading: a missing required field, a `status` or
 * `depends_on` that violates the schema, a missing dependency, or a git conflict in the body. A rule that is disabled
 * or has severity warning finds nothing here.
 *
 * Source: docs/contract/spec-tool.md#lint-text-report; docs/decisions.md#s-08.
 */
export function createReadChecker({ rules, isKnown }: ReadFindingsInput): (spec: Spec) => readonly RuleFinding[] {
  const judgesBody = rules === null || isErrorRule(rules, "parse");
  const judgesDependencies = rules === null || isErrorRule(rules, "dependency");
  const { required, fields } =
    rules !== null && isErrorRule(rules, "required") ? rules.schema.spec : { required: [], fields: {} };
  const values = [...new Set([...required, "status", "depends_on"])].flatMap((name) => {
    const rule = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return rule === undefined ? [] : [createValueChecker(name, rule)];
  });
  return (spec) => {
    const found: RuleFinding[] = [];
    if (judgesBody && findConflictLine(spec.body) !== undefined) found.push(...findConflictFinding(spec));
    if (required.some((name) => isMissingValue(spec.frontmatter[name])))
      found.push(...findMissingFields(spec, required));
    for (const findingsOf of values) appendFindings(found, findingsOf(spec));
    findUnreadParts(spec, isKnown, found);
    if (judgesDependencies && !spec.dependsOn.every(isKnown))
      appendFindings(found, findUnknownDependencies(spec, isKnown));
    return found;
  };
}

/** Appends findings about what looks like the spec's fields and is not read, and about a copy of another file. */
function findUnreadParts(spec: Spec, isKnown: ReadFindingsInput["isKnown"], found: RuleFinding[]): void {
  for (const { key, meant, isBlocking } of findNearFields(spec.frontmatter)) {
    if (isBlocking) found.push(createNearFieldFinding("error", key, meant));
  }
  if (findCopiedId(spec, isKnown) !== null) found.push(...findCopyFinding(spec, isKnown));
  if (findSecondBlock(spec.body) !== undefined) found.push(...findSecondBlockFinding(spec));
}

/** Appends in a loop, because spreading an empty list costs more and nearly all lists are empty. */
function appendFindings(found: RuleFinding[], more: readonly RuleFinding[]): void {
  for (const one of more) found.push(one);
}

function findUnknownDependencies({ dependsOn }: Spec, isKnown: ReadFindingsInput["isKnown"]): readonly RuleFinding[] {
  return dependsOn.filter((id) => !isKnown(id)).map((id) => createUnknownIdFinding("depends_on", id));
}

const NO_FINDINGS: readonly RuleFinding[] = [];

/** Creates a function that checks the values of one field and caches texts and numbers that pass. */
function createValueChecker(name: string, rule: FieldRule): (spec: Spec) => readonly RuleFinding[] {
  const fitting = new Set<unknown>();
  return ({ frontmatter }) => {
    const value = frontmatter[name];
    if (isMissingValue(value) || fitting.has(value)) return NO_FINDINGS;
    const wrong = hasRequiredType(rule, value) ? NO_FINDINGS : [...checkField(name, rule, value)];
    if (wrong.length === 0 && typeof value !== "object" && fitting.size < MAX_CACHED_VALUES) fitting.add(value);
    return wrong;
  };
}

/** Returns whether the rule requires only a type and the value has it. */
function hasRequiredType(rule: FieldRule, value: unknown): boolean {
  return (
    rule.enum === undefined &&
    describeTypeMismatch(rule, value) === undefined &&
    findMistypedItems(rule, value).length === 0
  );
}

function isErrorRule(rules: SpecRules, rule: "parse" | "required" | "dependency"): boolean {
  return !isRuleDisabled(rules, rule) && resolveSeverity(rules, rule, "error") === "error";
}
