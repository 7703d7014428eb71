import { expect, test } from "bun:test";
import { testService } from "../../../../support/dc/service.ts";

const RACK = { rack: { code: "R1", location: { site_id: "S1", floor_number: 1 } } };

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("ChangeStream.next lets the event loop turn between streams, when one change wakes many", async () => {
  const { service, call } = await testService();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  const woken: number[] = [];
  const streams = await Promise.all(
    Array.from({ length: 30 }, () => service.openChangeStream(undefined, { interface: "REST" })),
  );
  const waits = streams.map(async (stream) => {
    const notices = await stream.readNext(60_000, AbortSignal.timeout(60_000));
    woken.push(turns);
    spin(1);
    stream.close();
    return notices?.length;
  });

  await call("UpsertRack", RACK);
  setImmediate(count);
  const lengths = await Promise.all(waits);
  isOver = true;

  expect(new Set(lengths)).toEqual(new Set([1]));
  expect((woken.at(-1) ?? 0) - (woken[0] ?? 0)).toBeGreaterThan(1);
});

test("ChangeStream.next returns no notice once its time is over, and leaves longer waits alone", async () => {
  const { service } = await testService();
  const stream = () => service.openChangeStream(undefined, { interface: "REST" });
  const [short, long] = [await stream(), await stream()];
  let isLongOver = false;
  const ending = new AbortController();
  const waiting = long.readNext(60_000, ending.signal).then((notices) => {
    isLongOver = true;
    return notices;
  });

  expect(await short.readNext(1, AbortSignal.timeout(60_000))).toEqual([]);

  expect(isLongOver).toBe(false);
  ending.abort();
  expect(await waiting).toEqual([]);
  short.close();
  long.close();
});
