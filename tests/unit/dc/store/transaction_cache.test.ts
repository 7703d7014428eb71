import { expect, test } from "bun:test";
import { TransactionCache } from "#dc/store/transaction_cache.ts";
import { stored } from "../../../support/dc/stored.ts";

const unread = (): never => {
  throw new Error("it was loaded although it was added before");
};

test("TransactionCache serves what a batch added without loading it, the missing ones included", async () => {
  const cache = new TransactionCache();
  const rack = stored({ code: "R1" });
  const cable = { a: { deviceCode: "A", portName: "x" }, b: { deviceCode: "B", portName: "y" } };

  cache.addResource("rack", "r1", rack);
  cache.addResource("rack", "r2", undefined);
  cache.addCableEnds("a", new Map([["x", JSON.stringify(cable)]]));

  expect(await cache.getResource("rack", "r1", unread)).toEqual(rack);
  expect(await cache.getResource("rack", "r2", unread)).toBeUndefined();
  expect(await cache.getCable("a", "x", unread)).toEqual(cable);
  expect([cache.isAbsent("rack", "r1"), cache.isAbsent("rack", "r2")]).toEqual([false, true]);
  expect(cache.findMissingResources("rack", ["r1", "r2", "r3", "r3"])).toEqual(["r3"]);
  expect(cache.findMissingCableEnds(["a", "b"])).toEqual(["b"]);
});
