import { CooperativeScheduler } from "./cooperative_scheduler.ts";

/** A piece of work that several reads may wait for. */
export interface SharedWork<Result> {
  readonly result: Promise<Result>;
  /** Whose turns it uses; undefined once it is done. */
  scheduler: CooperativeScheduler | undefined;
}

/** A map or a weak map. */
interface Works<Key, Result> {
  get(key: Key): SharedWork<Result> | undefined;
  set(key: Key, work: SharedWork<Result>): unknown;
  delete(key: Key): boolean;
}

/**
 * Does a piece of work once per key for all who ask for it, in the turns of all of them; one that failed is done again.
 * What a read began runs to its end, though the read is given up. Idle work stops with its asker; a read that joined it does it
 * again.
 *
 * @param works by key; done work stays there
 */
export async function shareWork<Key, Result>(
  works: Works<Key, Result>,
  key: Key,
  asker: CooperativeScheduler,
  work: (scheduler: CooperativeScheduler) => Promise<Result>,
): Promise<Result> {
  const known = works.get(key) ?? begin(works, key, asker, work);
  const { scheduler, result } = known;
  scheduler?.carry(asker);
  try {
    return await result;
  } catch (error) {
    if (scheduler?.isStopped !== true || asker.isStopped) throw error;
    return shareWork(works, key, asker, work);
  }
}

function begin<Key, Result>(
  works: Works<Key, Result>,
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
