import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SpecRules } from "../../config/config.ts";
import type { PlannerContext } from "../../context.ts";
import type { LintReport } from "../../lint/finding.ts";
import type { LintSelection } from "../../lint/lint_project.ts";
import { createReadChecker } from "../../lint/read_findings.ts";
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
