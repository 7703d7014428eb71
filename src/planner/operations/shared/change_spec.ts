import { createPreconditionError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { buildSpec, parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { refuseForeignStatus } from "./inside_run.ts";

/**
 * Changes an active spec's text in one atomic edit. `change` receives the current spec, so that a check of its state is
 * valid even if other processes write at the same time. It may be called again with newer text.
 *
 * @returns whether the file changed
 */
export function changeSpec(
  context: PlannerContext,
  id: SpecId,
  change: (text: string, spec: Spec) => string,
): Promise<boolean> {
  return context.specs.edit(id, (text) => {
    const file = `.planner/specs/${id}.md`;
    const document = parseDocument(text);
    if (!document.ok) {
      const { line, column, message } = document.problem;
      throw createPreconditionError(`Cannot change ${file}:${line}:${column}: ${message}`);
    }
    const after = change(text, buildSpec({ id, file, archived: false }, document));
    refuseForeignStatus(context, id, { before: text, after });
    return after;
  });
}
