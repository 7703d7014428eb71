import { expect, test } from "bun:test";
import { CooperativeScheduler, IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";
import { type SharedWork, shareWork } from "#dc/operations/answers/topology.ts";

/** Steps that end only when told to; `begun` counts how often they were begun. */
function longWork() {
  const works = new Map<string, SharedWork<number>>();
  const state = { begun: 0, mayEnd: false };
  function* steps() {
    while (!state.mayEnd) yield;
    return state.begun;
  }
  const share = (asker: CooperativeScheduler) =>
    shareWork(works, "work", asker, (scheduler) => {
      state.begun += 1;
      return scheduler.run(steps());
    });
  return { state, works, share };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("shareWork does a piece of work once for all who ask, and keeps it without its scheduler", async () => {
  const { state, works, share } = longWork();
  const all = Promise.all([share(new CooperativeScheduler()), share(new CooperativeScheduler(undefined, {}))]);
  await turns(3);
  state.mayEnd = true;

  expect(await all).toEqual([1, 1]);
  expect(await share(new CooperativeScheduler())).toBe(1);
  expect(works.get("work")?.scheduler).toBeUndefined();
});

test("shareWork goes on with what a read began after the read was given up", async () => {
  const { state, share } = longWork();
  const gone = new AbortController();
  const first = share(new CooperativeScheduler(gone.signal));
  const second = share(new CooperativeScheduler());
  gone.abort();
  await turns(3);
  state.mayEnd = true;

  expect(await Promise.all([first, second])).toEqual([1, 1]);
});

test("shareWork stops what nobody waits for, and a read that joined it does it again", async () => {
  const { state, share } = longWork();
  const stop = new AbortController();
  const idle = share(new CooperativeScheduler(stop.signal, IDLE_PEER));
  const read = share(new CooperativeScheduler());
  await turns(3);
  stop.abort(new Error("stopped"));

  await expect(idle).rejects.toThrow("stopped");
  state.mayEnd = true;
  expect(await read).toBe(2);
});

test("shareWork does work that failed again", async () => {
  const works = new Map<string, SharedWork<number>>();
  let asked = 0;
  const share = () =>
    shareWork(works, "work", new CooperativeScheduler(), async () => {
      asked += 1;
      if (asked === 1) throw new Error("failed");
      return asked;
    });

  await expect(share()).rejects.toThrow("failed");
  expect(await share()).toBe(2);
});
