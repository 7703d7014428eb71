import { OperationError } from "#kernel/errors.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { PROCESS_GONE } from "../claims.ts";
import type { CareDeps } from "../run_types.ts";

/**
 * Records the end of an interrupted run: its spec failed, unless it has another status by now, and no process works in
 * its worktree. The agent's work stays in the worktree, and the next run of the spec continues it.
 *
 * @returns a sentence about the repair, or null
 */
export async function endStranded(deps: CareDeps, id: SpecId): Promise<string | null> {
  const failed = await failSpec(deps, id);
  await deps.ports.worktrees.displace(id);
  await endWorktreeStatus(deps, id);
  return failed ? `set spec ${id} to failed` : null;
}

async function failSpec({ context }: CareDeps, id: SpecId): Promise<boolean> {
  try {
    return await changeSpec(context, id, (text, { status }) =>
      status === "in_progress" ? editFields(text, { status: "failed" }) : text,
    );
  } catch (error) {
    // It was archived or deleted, or cannot be read, which is a separate finding.
    if (error instanceof OperationError) return false;
    throw error;
  }
}

async function endWorktreeStatus({ context, ports }: CareDeps, id: SpecId): Promise<void> {
  const found = (await context.work.worktrees()).find(({ spec_id }) => spec_id === id);
  if (found?.status !== "working") return;
  const commits = await ports.worktrees.commits(id);
  const completed = await isCompleted({ context }, id);
  await ports.worktrees.writeStatus({
    spec_id: id,
    status: completed ? "done" : "failed",
    error: completed ? null : PROCESS_GONE,
    commits,
  });
}

async function isCompleted({ context }: Pick<CareDeps, "context">, id: SpecId): Promise<boolean> {
  const { specs } = await context.specs.active();
  return specs.find((spec) => spec.id === id)?.status === "completed";
}
