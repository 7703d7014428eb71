import { liveWorker } from "../../operations/shared/live_worker.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/**
 * Reports changes by runs to programs that git runs in every checkout. There is no repair, because only a person can
 * decide whether they made the change. Until then planner runs no git command that would run these programs.
 */
export async function plantedChanges({ context, ports }: CareDeps): Promise<readonly Trouble[]> {
  const found: Trouble[] = [];
  for (const { spec_id, what, undo, note } of await ports.worktrees.planted()) {
    // The run checks this itself when it ends.
    if ((await liveWorker(context, spec_id)) !== null) continue;
    found.push({
      kind: "planted_change",
      subject: spec_id,
      message: `${what} during its run or since, and git would run it with your rights`,
      advice: `undo it with: ${undo}; if it is yours, remove ${note}`,
    });
  }
  return found;
}
