import { expect, test } from "bun:test";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";

/** Works until its slice is used up and yields, as often as told. */
async function work(scheduler: CooperativeScheduler, slices: number, onSlice: () => void = () => {}): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    while (!scheduler.isDue());
    onSlice();
    await scheduler.yieldIfDue();
  }
}

test("CooperativeScheduler.ofWrite goes on beside many peers in a few turns, and they beside it", async () => {
  let others = 0;
  const peers = Array.from({ length: 40 }, () => work(new CooperativeScheduler(undefined, {}), 2, () => others++));
  const before = others;

  await work(CooperativeScheduler.ofWrite(), 10);

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
  shared.join(joined);

  await work(shared, 1);
  order.push("shared");
  await Promise.all(rest);

  expect(order.indexOf("shared")).toBeLessThan(5);
});
