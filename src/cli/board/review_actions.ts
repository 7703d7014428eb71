import type { ReviewActions } from "#interfaces/board/board_app.ts";
import { OperationError } from "#kernel/errors.ts";
import { type MergeResult, refusalText } from "#planner/runs/merge/merge_result.ts";
import { acceptWork } from "#planner/runs/review/accept_work.ts";
import { rejectWork } from "#planner/runs/review/reject_work.ts";
import { sendBack } from "#planner/runs/review/send_back.ts";
import type { RunDeps } from "#planner/runs/run_types.ts";
import { counted } from "#words/names.ts";
import type { OpenProject } from "../open_project.ts";
import { openRunDeps } from "../work/run_deps.ts";
import type { SignalWishes } from "../work/signals.ts";

/** Returns the decisions about work as the board carries them out. Commands that no person has accepted are not run. */
export function reviewActions(project: OpenProject, stop: SignalWishes): ReviewActions {
  const deps = (): Promise<RunDeps> => openRunDeps(project, { startedAt: null, tell: () => {} });
  return {
    async accept(id) {
      const lines = (await acceptWork(await deps(), { id, stop })).map(mergedText);
      return lines.length === 0 ? "Nothing to merge" : lines.join("\n");
    },
    async back(id, text) {
      const { specs } = await sendBack(await deps(), id, text);
      return `Sent back: ${specs.join(", ")}`;
    },
    async reject(id) {
      const results = await rejectWork(await deps(), id);
      return results
        .flatMap(({ spec_id, notes, kept }) => [
          `Rejected spec: ${spec_id}`,
          ...notes,
          ...(kept === null ? [] : [`Worktree and branch are still there: ${kept}`]),
        ])
        .join("\n");
    },
  };
}

/** @throws OperationError if the spec was not merged */
function mergedText(result: MergeResult): string {
  if (result.outcome === "refused" || result.outcome === "conflict") {
    throw new OperationError("failed_precondition", refusalText(result));
  }
  const notes = [...result.notes, ...(result.kept === null ? [] : [`The worktree is kept: ${result.kept}`])];
  return [`Merged spec: ${result.spec_id} (${counted(result.commits.length, "commit")})`, ...notes].join("\n");
}
