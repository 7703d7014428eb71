import { expect, spyOn, test } from "bun:test";
import { CooperativeScheduler, getIdleWorkMs, IDLE_PEER } from "#dc/operations/answers/cooperative_scheduler.ts";

/** Works until its slice is used up and yields, as often as told. */
async function work(scheduler: CooperativeScheduler, slices: number, onSlice: () => void = () => {}): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    while (!scheduler.isYieldDue());
    onSlice();
    await scheduler.yieldIfDue();
  }
}

test("CooperativeScheduler.ofWrite goes on beside many peers in a few turns, and they beside it", async () => {
  let others = 0;
  const peers = Array.from({ length: 40 }, () => work(new CooperativeScheduler(undefined, {}), 2, () => others++));
  const before = others;

  await work(CooperativeScheduler.createForWrite(), 10);

  // One slice of others in every third turn, and one that was on its way in each.
  expect(others - before).toBeGreaterThan(2);
  expect(others - before).toBeLessThan(30);
  await Promise.all(peers);
});

test("CooperativeScheduler.join lets work go on in the turns of the peer that joined", async () => {
  const [busy, joined] = [{}, {}];
  const order: string[] = [];
  const queue = Array.from({ length: 20 }, () => work(new CooperativeScheduler(undefined, busy), 1, () => {}));
  const rest = queue.map((one, index) => one.then(() => order.push(`busy ${index}`)));
  const shared = new CooperativeScheduler(undefined, busy);
  shared.addPeer(joined);

  await work(shared, 1);
  order.push("shared");
  await Promise.all(rest);

  expect(order.indexOf("shared")).toBeLessThan(5);
});

test("CooperativeScheduler gives idle work the turns that nothing else wants, and a few beside other work", async () => {
  let others = 0;
  const done: number[] = [];
  const idle = work(new CooperativeScheduler(undefined, IDLE_PEER), 3, () => done.push(others));
  const peers = Array.from({ length: 6 }, () => work(new CooperativeScheduler(undefined, {}), 4, () => others++));

  await Promise.all([...peers, idle]);

  expect(done).toHaveLength(3);
  // Its first slice began before there were others; its last one waited for nearly all of theirs.
  expect(done.at(-1)).toBeGreaterThan(15);
});

test("CooperativeScheduler.join takes idle work out of the idle turns", async () => {
  let others = 0;
  const shared = new CooperativeScheduler(undefined, IDLE_PEER);
  const peers = Array.from({ length: 6 }, () => work(new CooperativeScheduler(undefined, {}), 20, () => others++));
  expect(shared.isIdle).toBe(true);

  shared.addPeer({});
  await work(shared, 3);

  expect(shared.isIdle).toBe(false);
  expect(others).toBeLessThan(60);
  await Promise.all(peers);
});

test("getIdleWorkMs counts the slices of idle work and not those it waited for", async () => {
  let ticks = 0;
  const now = spyOn(performance, "now").mockImplementation(() => ++ticks);
  try {
    const [before, begun] = [getIdleWorkMs(), ticks];
    const idle = work(new CooperativeScheduler(undefined, IDLE_PEER), 4);
    const peers = Array.from({ length: 6 }, () => work(new CooperativeScheduler(undefined, {}), 20));
    await Promise.all([...peers, idle]);

    const counted = getIdleWorkMs() - before;
    // Three slices of five ticks begin in turns of the idle peer, beside 120 slices of others.
    expect(counted).toBeGreaterThanOrEqual(3 * 4);
    expect(counted).toBeLessThan(60);
    expect(ticks - begun).toBeGreaterThan(500);
  } finally {
    now.mockRestore();
  }
});
