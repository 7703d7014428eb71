import { liveWorker } from "../../operations/shared/live_worker.ts";
import type { CareDeps, Trouble } from "./trouble.ts";

/**
 * What a run has changed of what git runs in every checkout. Only a person can know whether the change is theirs,
 * so there is no repair, and until then planner runs no git that would run it.
 */
export async function plantedChanges({ context, ports }: CareDeps): Promise<readonly Trouble[]> {
  const found: Trouble[] = [];
  for (const { spec_id, what, undo, note } of await ports.worktrees.planted()) {
    // The end of the run itself looks at it.
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
