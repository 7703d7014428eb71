import type { PlannerContext } from "../../context.ts";
import type { LintReport } from "../../lint/finding.ts";
import type { LintSelection } from "../../lint/lint_project.ts";

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
