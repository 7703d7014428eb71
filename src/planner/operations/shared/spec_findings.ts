import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { FieldRule, SpecRules } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import { isRuleDisabled, type LintReport, type RuleFinding, resolveSeverity } from "../../lint/finding.ts";
import type { LintSelection } from "../../lint/lint_project.ts";
import {
  checkField,
  createNearFieldFinding,
  describeTypeMismatch,
  findConflictFinding,
  findCopyFinding,
  findMissingFields,
  findMistypedItems,
  findSecondBlockFinding,
  isMissingValue,
} from "../../lint/rules/fields.ts";
import { createUnknownIdFinding } from "../../lint/rules/links.ts";
import { findConflictLine } from "../../spec/document.ts";
import { findCopiedId, findNearFields, findSecondBlock } from "../../spec/near.ts";
import type { Spec } from "../../spec/spec.ts";

/** One reason why a readable spec is not valid. Source: docs/contract/spec-tool.md#lint-json-report. */
export interface InvalidField {
  readonly field: string;
  readonly message: string;
  /** The accepted values of the field; empty if it has no enum. */
  readonly allowed: readonly string[];
}

/** The field of an answer that lists why a spec is not valid; absent for a valid spec. */
export interface InvalidFields {
  readonly invalid?: readonly InvalidField[];
}

const NO_INVALID_FIELDS: InvalidFields = {};

/** Creates a function that returns the invalid fields of a spec. */
export async function createInvalidFieldCheck(context: PlannerContext): Promise<(spec: Spec) => InvalidFields> {
  const [rules, ids, archivedIds] = await Promise.all([
    readLintRulesOrNull(context),
    context.specs.listIds(),
    context.specs.listArchivedIds(),
  ]);
  // The set is created at the first dependency: a project without one does not need a set of 10,000 ids.
  let known: Set<string> | undefined;
  const isKnown = (id: string): boolean => {
    known ??= new Set<string>([...ids, ...archivedIds]);
    return known.has(id);
  };
  const listFindings = createReadChecker({ rules, isKnown });
  return (spec) => {
    const found = listFindings(spec);
    if (found.length === 0) return NO_INVALID_FIELDS;
    return { invalid: found.map(({ field, message, allowed = [] }) => ({ field, message, allowed })) };
  };
}

/** Requires a valid spec, because the work on another spec cannot be judged. @throws OperationError */
export async function refuseInvalidSpec(context: PlannerContext, spec: Spec, action: string): Promise<void> {
  const { invalid = [] } = (await createInvalidFieldCheck(context))(spec);
  if (invalid.length === 0) return;
  const found = invalid.map(({ message }) => message).join("; ");
  throw createPreconditionError(`Cannot ${action} spec '${spec.id}': it is not valid: ${found}`);
}

/**
 * Requires a spec that lint on read accepts. @throws OperationError with lint's report of the file
 *
 * Source: docs/contract/spec-tool.md#lint-text-report.
 */
export async function refuseInvalidRead(context: PlannerContext, spec: Spec): Promise<void> {
  const { invalid = [] } = (await createInvalidFieldCheck(context))(spec);
  if (invalid.length === 0) return;
  // A configuration that cannot be read has no rules to lint by.
  const report = await lintProject(context, { ids: [spec.id] }).catch(() => null);
  const { formatTextReport } = await import("../../lint/reports.ts");
  const found =
    report === null
      ? [`${spec.file}:`, ...invalid.map(({ message }) => `  error: ${message}`)].join("\n")
      : formatTextReport(report).trimEnd();
  throw createPreconditionError(
    `Spec '${spec.id}' is not valid: correct it with planner_spec_update or in its file\n${found}`,
  );
}

/** Returns the lint rules, or null if the configuration cannot be read, which lint reports. */
async function readLintRulesOrNull(context: PlannerContext): Promise<SpecRules | null> {
  try {
    return await context.settings("schema", "lint");
  } catch (error) {
    if (error instanceof OperationError) return null;
    throw error;
  }
}

/** A lint finding as tools return it. Source: docs/contract/spec-tool.md#lint-diagnostic; docs/decisions.md#s-16. */
export interface Diagnostic {
  readonly spec_id: string;
  readonly severity: "error" | "warning";
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** Lints the active specs that `choice` selects, by default every active spec. */
export async function lintProject(context: PlannerContext, choice?: LintSelection): Promise<LintReport> {
  // The rules are a large part of the program and few calls need them, so they are loaded on demand.
  const { createProjectSource, lintProject: run } = await import("../../lint/lint_project.ts");
  return run(await createProjectSource(context), choice);
}

export function listDiagnostics({ files }: LintReport): readonly Diagnostic[] {
  return files.flatMap(({ specId, findings }) =>
    findings.map(({ severity, rule, message, suggestion }) => ({
      spec_id: specId,
      severity,
      rule,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
  );
}

/** Maximum number of accepted values cached per field: most specs have the same few. */
const MAX_CACHED_VALUES = 100;

interface ReadFindingsInput {
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
function createReadChecker({ rules, isKnown }: ReadFindingsInput): (spec: Spec) => readonly RuleFinding[] {
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
