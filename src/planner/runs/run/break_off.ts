import { reasonOf } from "#kernel/errors.ts";
import type { RunLog } from "#planner/run_ports/logs.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { RunDeps } from "../run_types.ts";
import { keepCutOffRun } from "./keep_record.ts";

/**
 * Writes down that a run failed, for one that cannot do so by itself any more. Each step is tried, whatever became of
 * the one before. Never rejects.
 *
 * @param log of the run; undefined if it was not opened
 */
export async function breakOff(
  deps: RunDeps,
  id: SpecId,
  { processId, reason, log }: { readonly processId: string; readonly reason: string; readonly log: RunLog | undefined },
): Promise<void> {
  const { ports, tell } = deps;
  const steps = [
    async () => log?.line(`planner: failed: ${reason}`),
    () => failStarted(deps, id),
    () => keepCutOffRun(deps, id, { processId, reason }),
    async () => {
      if (!(await ports.worktrees.ids()).includes(id)) return;
      await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: reason, commits: [] });
    },
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      tell({ event: "note", spec_id: id, message: reasonOf(error) });
    }
  }
}

/** A spec that has got another status since, `cancelled` for example, keeps it. */
async function failStarted({ context }: RunDeps, id: SpecId): Promise<void> {
  await changeSpec(context, id, (text, { status }) =>
    status === "in_progress" ? editFields(text, { status: "failed" }) : text,
  );
}
