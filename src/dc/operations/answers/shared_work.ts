import { CooperativeScheduler } from "./cooperative_scheduler.ts";

/** A piece of work whose result several reads may await. */
export interface SharedWork<Result> {
  readonly result: Promise<Result>;
  /** Scheduler in whose turns the work runs; undefined once the work is done. */
  scheduler: CooperativeScheduler | undefined;
}

/** Subset of Map and WeakMap: started work by key. */
interface WorkByKey<Key, Result> {
  get(key: Key): SharedWork<Result> | undefined;
  set(key: Key, work: SharedWork<Result>): unknown;
  delete(key: Key): boolean;
}

/**
 * Runs a piece of work once per key for all reads that need its result. The work runs in the scheduler turns of all
 * these reads. Failed work runs again at the next call. Work that a read began runs to its end even if the read is
 * cancelled. Idle work stops with the call that began it; a read that joined it runs it again.
 * @param works started work by key; finished work stays in it
 */
export async function shareWork<Key, Result>(
  works: WorkByKey<Key, Result>,
  key: Key,
  asker: CooperativeScheduler,
  work: (scheduler: CooperativeScheduler) => Promise<Result>,
): Promise<Result> {
  const known = works.get(key) ?? startWork(works, key, asker, work);
  const { scheduler, result } = known;
  scheduler?.addPeersOfWork(asker);
  try {
    return await result;
  } catch (error) {
    if (scheduler?.isStopped !== true || asker.isStopped) throw error;
    return shareWork(works, key, asker, work);
  }
}

function startWork<Key, Result>(
  works: WorkByKey<Key, Result>,
  key: Key,
  asker: CooperativeScheduler,
  work: (scheduler: CooperativeScheduler) => Promise<Result>,
): SharedWork<Result> {
  const scheduler = asker.isIdle ? asker : new CooperativeScheduler();
  const made: SharedWork<Result> = { result: work(scheduler), scheduler };
  works.set(key, made);
  made.result.then(
    () => {
      made.scheduler = undefined;
    },
    () => works.delete(key),
  );
  return made;
}
