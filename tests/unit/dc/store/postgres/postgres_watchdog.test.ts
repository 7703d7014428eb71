import { expect, test } from "bun:test";
import { PostgresWatchdog } from "#dc/store/postgres/postgres_store.ts";
import { until } from "../../../../support/until.ts";

const TIMES = { lookMs: 5, silentMs: 20, patienceMs: 50 };

test("PostgresWatchdog notices that the server answers again, also when its last connection ended while it was asked", async () => {
  let asked = 0;
  let answers = false;
  const watchdog = new PostgresWatchdog(() => {
    asked += 1;
    return answers ? Promise.resolve() : new Promise(() => {});
  }, TIMES);
  let end = () => {};
  const work = watchdog.during(
    { silentMs: 1000, giveUp: () => {} },
    () => new Promise<void>((resolve) => (end = resolve)),
  );

  await until(() => asked === 1);
  end();
  await work;
  await until(() => watchdog.isHanging);
  answers = true;
  await until(() => !watchdog.isHanging);

  expect(asked).toBeGreaterThan(1);
  watchdog.close();
});

test("PostgresWatchdog gives up connections of a server that does not answer, and none of one that does", async () => {
  let answers = true;
  const given: string[] = [];
  const watchdog = new PostgresWatchdog(() => (answers ? Promise.resolve() : Promise.reject(new Error("away"))), TIMES);
  const connection = (name: string, silentMs: number) => ({ silentMs, giveUp: () => given.push(name) });
  const slow = watchdog.during(connection("slow", 1000), () => new Promise((resolve) => setTimeout(resolve, 100)));
  await slow;
  const before = [...given];
  answers = false;
  await watchdog.during(connection("hanging", 1000), () => until(() => given.length > 0));

  expect([before, given[0], watchdog.isHanging]).toEqual([[], "hanging", true]);
  watchdog.close();
  expect(watchdog.isHanging).toBe(false);
});
