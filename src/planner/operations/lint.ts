import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { findSpecId } from "./find_spec.ts";
import { diagnosticsOf, lintProject } from "./lint_project.ts";

export const lint = defineTool<PlannerContext>()({
  name: "planner_lint",
  summary: "Check one spec, or all: findings by rule, and how clear and how large each spec is",
  effect: "read",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: Type.Optional(Type.String({ description: "Full or partial spec id; all specs when left out" })),
  }),
  async run(context, { id }) {
    const ids = id === undefined ? undefined : [await findSpecId(context, id, { archived: false })];
    const report = await lintProject(context, ids);
    return {
      value: {
        specs_checked: report.specsChecked,
        errors: report.errors,
        warnings: report.warnings,
        diagnostics: diagnosticsOf(report),
      },
    };
  },
});
