import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_LIST_LIMIT } from "../limits.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { lintProject, listDiagnostics } from "./shared/spec_findings.ts";

export const lintTool = defineTool<PlannerContext>()({
  name: "planner_lint",
  summary:
    "Check the text of one active spec, or all: findings by rule, and grades. For a stuck run use planner_diagnose.",
  resultDescription:
    "`{specs_checked, errors, warnings, diagnostics: [{spec_id, severity, rule, message, suggestion}], results}`. The diagnostics are the rules' findings (docs/lint.md); the results grade each spec from A to D, without `id` only with `grades`. `total`, `offset` and `returned` say which part they are.",
  effect: "read",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: Type.Optional(Type.String({ description: "Whole or partial id; all specs when left out" })),
    limit: Type.Optional(Type.Integer({ minimum: 0, default: DEFAULT_LIST_LIMIT, description: "Most returned" })),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "Skip so many" })),
    grades: Type.Optional(Type.Boolean({ description: "Grade every spec, not only one named by id" })),
    all: Type.Optional(Type.Boolean({ description: "Completed and cancelled specs too" })),
  }),
  async run(context, { id: text, limit, offset = 0, grades = false, all = false }) {
    const id = text === undefined ? undefined : await findSpecId(context, text, { archived: false });
    const report = await lintProject(context, { ...(id === undefined ? {} : { ids: [id] }), all });
    const diagnostics = listDiagnostics(report);
    // One spec's findings fit on a screen or two; those of a project would exceed an agent's context.
    const most = limit ?? (id === undefined ? DEFAULT_LIST_LIMIT : diagnostics.length);
    const page = diagnostics.slice(offset, offset + most);
    return {
      value: {
        specs_checked: report.specsChecked,
        errors: report.errors,
        warnings: report.warnings,
        diagnostics: page,
        ...(page.length === diagnostics.length ? {} : { total: diagnostics.length, offset, returned: page.length }),
        results: grades || id !== undefined ? await gradeSpecs(context, id) : [],
      },
    };
  },
});

/** Returns the grades of every readable active spec, or only of the spec `id`. */
async function gradeSpecs(context: PlannerContext, id: SpecId | undefined) {
  const { findMembers, gradeSpec } = await import("../lint/scores.ts");
  const { specs } = await context.specs.readActive();
  return specs
    .filter((spec) => id === undefined || spec.id === id)
    .map((spec) => ({ id: spec.id, title: spec.title, ...gradeSpec(spec, findMembers(spec, specs)) }));
}
