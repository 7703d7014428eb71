import type { ProcessRecord, WorktreeStatus } from "#planner/work/records/process_record.ts";
import type { PlannerContext } from "../../context.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { findPersonNeed, type PersonNeed, type PersonNeedFacts } from "../../work/person_need.ts";
import type { RequestNote } from "../../work/requests/request_note.ts";
import { findLiveWorker } from "./live_worker.ts";

/**
 * Returns which of these specs need a person, and why, in the given order. Cost: reads the records of runs and the
 * states of worktrees once, and one lock for each spec that needs a person.
 */
export async function findPersonNeeds(
  context: PlannerContext,
  specs: readonly Pick<Spec, "id" | "status">[],
): Promise<ReadonlyMap<SpecId, PersonNeed>> {
  const { worktrees, requests } = await context.openRuns();
  const [ids, there, records] = await Promise.all([
    worktrees.listKnownIds(),
    context.work.worktrees(),
    context.work.readProcesses(),
  ]);
  const states = collectWorktreeStates(ids, there, ids.length === 0 ? new Map() : await requests.readNotes());
  const last = new Map<string, ProcessRecord>(records.map((record) => [record.spec_id, record]));
  const found = new Map<SpecId, PersonNeed>();
  for (const { id, status } of specs) {
    const need = findPersonNeed({ id, status, worktree: states.get(id), last: last.get(id) });
    if (need !== null && (await findLiveWorker(context, id)) === null) found.set(id, need);
  }
  return found;
}

/**
 * Returns the states of all worktrees by spec. A branch waits for its merge even if its folder was deleted, so `ids`
 * without a worktree get the state unknown.
 *
 * @param ids specs with a worktree, or with a record of one
 * @param there states of the existing worktrees
 * @param requests recorded pull requests
 */
export function collectWorktreeStates(
  ids: readonly SpecId[],
  there: readonly WorktreeStatus[],
  requests: ReadonlyMap<SpecId, RequestNote>,
): ReadonlyMap<string, NonNullable<PersonNeedFacts["worktree"]>> {
  const unknown = { status: "unknown", error: null } as const;
  const states = new Map([
    ...ids.map((id) => [id, unknown] as const),
    ...there.map(({ spec_id, status, error }) => [spec_id as SpecId, { status, error }] as const),
  ]);
  return new Map(
    [...states].map(([id, state]) => {
      const request = requests.get(id);
      return [id, request === undefined ? state : { ...state, request }];
    }),
  );
}
