import type { WorktreeStatus } from "#planner/work/records/process_record.ts";
import { findLiveWorker } from "../../operations/shared/live_worker.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { isFinishedWork } from "../../work/person_need.ts";
import { formatRequestName, type RequestNote } from "../../work/requests/request_note.ts";
import type { RunDeps } from "../run_types.ts";

/** A spec with a worktree or branch that cannot be merged yet. */
export interface UnmergeableWork {
  readonly spec_id: SpecId;
  /** The cause, and the remedy if planner knows one. */
  readonly reason: string;
}

/** All specs with a worktree or a branch, sorted by id. */
export interface WaitingWork {
  /** Work that may be merged: its run is done, or its spec is completed or archived. */
  readonly finished: readonly SpecId[];
  readonly left: readonly UnmergeableWork[];
}

export async function listWaitingWork(deps: RunDeps): Promise<WaitingWork> {
  const { context, ports } = deps;
  const [{ specs }, archived, statuses, requests] = await Promise.all([
    context.specs.readActive(),
    context.specs.listArchivedIds(),
    context.work.worktrees(),
    ports.requests.readNotes(),
  ]);
  const byId = new Map<string, Spec>(specs.map((spec) => [spec.id, spec]));
  const finished: SpecId[] = [];
  const left: UnmergeableWork[] = [];
  for (const id of await ports.worktrees.listIds()) {
    const worker = await findLiveWorker(context, id);
    const status = statuses.find(({ spec_id }) => spec_id === id);
    const reason =
      worker === null
        ? (explainUnfinishedWork(byId.get(id), { id, status, archived: archived.has(id) }) ??
          explainOpenRequest(id, requests.get(id)))
        : `process ${worker.pid} is working on it`;
    if (reason === null) finished.push(id);
    else left.push({ spec_id: id, reason });
  }
  return { finished, left };
}

/** Status of a branch whose folder no longer exists. */
const UNKNOWN_STATUS = { status: "unknown" } as const;

interface UnfinishedWorkFacts {
  readonly id: SpecId;
  readonly status: WorktreeStatus | undefined;
  readonly archived: boolean;
}

/** Returns why a spec's work is not finished; null if it is finished. */
function explainUnfinishedWork(
  spec: Spec | undefined,
  { id, status: there, archived }: UnfinishedWorkFacts,
): string | null {
  if (spec === undefined) return archived ? null : "its spec cannot be read or is gone";
  const { status } = spec;
  if (isFinishedWork(status, there ?? UNKNOWN_STATUS)) return null;
  const why = there?.error === undefined || there.error === null ? "" : ` (${there.error})`;
  const next = UNFINISHED_ADVICE[status]?.(id) ?? "";
  return `its status is ${status}${why}${next}`;
}

/** Returns how a person merges a spec that has a pull request; null without a request. */
export function explainOpenRequest(id: SpecId, request: RequestNote | undefined): string | null {
  if (request === undefined) return null;
  return `${formatRequestName(request)} has it (${request.url}): "planner pr --sync ${id}" takes over its merge, "planner merge ${id}" merges it here`;
}

const UNFINISHED_ADVICE: Readonly<Record<string, (id: SpecId) => string>> = {
  in_progress: (id) => `: "planner work ${id}" goes on with it`,
  failed: (id) => `: "planner work ${id}" tries it again`,
  needs_attention: (id) => `: see to it, then "planner merge ${id}"`,
};

/** Returns why a spec has no work to review or merge, and what to do next. */
export function describeMissingWork({ id, status }: Pick<Spec, "id" | "status">): string {
  return `its status is ${status}, and it has no worktree: ${MISSING_WORK_ADVICE[status]?.(id) ?? `"planner show ${id}" shows it`}`;
}

const MISSING_WORK_ADVICE: Readonly<Record<string, (id: SpecId) => string>> = {
  pending: (id) => `"planner work ${id}" begins it`,
  blocked: (id) => `"planner diagnose ${id}" names what it waits for`,
  in_progress: (id) => `"planner work ${id}" goes on with it, "planner finalize ${id}" completes it`,
  completed: (id) => `its work is in your branch: "planner verify ${id} --record" shows how it ended`,
};
