import { expect, test } from "bun:test";
import { oneByOne } from "#planner/runs/one_by_one.ts";

test("oneByOne begins a task when the one before has ended, well or not, and hands each result on", async () => {
  const queue = oneByOne();
  const told: string[] = [];
  const first = Promise.withResolvers<number>();
  const one = queue(() => {
    told.push("one");
    return first.promise;
  });
  const two = queue(async () => {
    told.push("two");
    throw new Error("two failed");
  });
  const three = queue(async () => told.push("three"));
  await Promise.resolve();

  expect(told).toEqual(["one"]);
  first.resolve(1);
  expect(await one).toBe(1);
  await expect(two).rejects.toThrow("two failed");
  expect(await three).toBe(3);
  expect(told).toEqual(["one", "two", "three"]);
});
