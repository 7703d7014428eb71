import { createPreconditionError } from "#kernel/errors.ts";
import type { PlannerContext } from "../../context.ts";
import { buildSpec, parseDocument } from "../../spec/document.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";

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

const FINISH_OWN_SPEC = "finish this spec; the person who started the run decides about others";

/** Commands and tools that are rejected inside a run, with what the agent should do instead. */
const REFUSED_INSIDE_RUN: Readonly<Record<string, readonly [action: string, instead: string]>> = {
  planner_work_start: ["start work", FINISH_OWN_SPEC],
  planner_watch_start: ["start watch", FINISH_OWN_SPEC],
  planner_watch_stop: ["stop watch", FINISH_OWN_SPEC],
  planner_split: ["split a spec", "write down in this spec's output how it should be split"],
  planner_pause: ["pause work", FINISH_OWN_SPEC],
  planner_takeover: ["take work over", FINISH_OWN_SPEC],
  planner_archive: ["archive a spec", FINISH_OWN_SPEC],
  rerun: ["repeat the commands of a record", "run the checks of your own spec yourself"],
  review: ["review work", FINISH_OWN_SPEC],
  board: ["serve the board", FINISH_OWN_SPEC],
  pr: ["make a pull request", FINISH_OWN_SPEC],
  merge: ["merge", "commit your work: it is merged when the run has ended"],
};

/**
 * Rejects starting, ending or merging work inside a run of the same project, because an agent must not start agents
 * without supervision.
 * @param name name of the tool or command
 * @throws OperationError `failed_precondition`
 */
export function refuseInsideRun(context: Pick<PlannerContext, "findSurroundingRun">, name: string): void {
  const [action, instead] = REFUSED_INSIDE_RUN[name] ?? [];
  if (action === undefined) return;
  const run = context.findSurroundingRun();
  if (run === null) return;
  throw createPreconditionError(`Cannot ${action} inside the run of spec '${run.spec_id}': ${instead}`);
}

/** Throws if an agent changes the status of a spec that is neither its run's spec nor a member of that spec. */
export function refuseForeignStatus(
  context: Pick<PlannerContext, "findSurroundingRun">,
  id: SpecId,
  { before, after }: { readonly before: string; readonly after: string },
): void {
  const run = context.findSurroundingRun();
  if (run === null || id === run.spec_id || id.startsWith(`${run.spec_id}.`)) return;
  const [old, now] = [before, after]
    .map((text) => parseDocument(text))
    .map((one) => one.ok && one.frontmatter["status"]);
  if (old === now) return;
  throw createPreconditionError(
    `Cannot change the status of spec '${id}' inside the run of spec '${run.spec_id}': say in your output what should become of it`,
  );
}
