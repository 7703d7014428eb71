import { describe, expect, test } from "bun:test";
import { ByteAccount, ByteBudget, REQUEST_BYTES, TaskSlots } from "#kernel/slots.ts";

const MIB = 1024 * 1024;

describe("ByteBudget", () => {
  test("gives back everything that an account held, once", () => {
    const budget = new ByteBudget(64 * MIB);
    const account = budget.openAccount();
    expect(account.tryCharge(5 * MIB)).toBe(true);
    expect(budget.usedBytes).toBe(5 * MIB + REQUEST_BYTES);

    account.close();
    account.close();

    expect(budget.usedBytes).toBe(0);
  });

  test("keeps a quarter for small requests while large ones want all", () => {
    const budget = new ByteBudget(64 * MIB);
    const large = Array.from({ length: 100 }, () => budget.openAccount());
    const taken = large.filter((account) => account.tryCharge(MIB)).length;
    expect(taken).toBeLessThanOrEqual(48);
    expect(taken).toBeGreaterThan(40);

    expect(budget.openAccount().tryCharge(10_000)).toBe(true);
    expect(budget.openAccount().tryCharge(MIB)).toBe(false);
    expect(budget.isScarce).toBe(true);
  });

  test("never lets accounts hold more than its limit beyond what each request costs", () => {
    const budget = new ByteBudget(MIB);
    for (let request = 0; request < 500; request++) {
      const account = budget.openAccount();
      for (let piece = 0; piece < 10; piece++) account.tryCharge(9000);
    }

    expect(budget.usedBytes).toBeLessThanOrEqual(MIB + 500 * REQUEST_BYTES);
  });

  test("lets a request hold nothing on an account that is full", () => {
    expect(ByteAccount.createFull().canCharge(0)).toBe(false);
    expect(ByteAccount.createFull().tryCharge(1)).toBe(false);
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("TaskSlots runs as much as it has slots, and the next in order when work ends, well or not", async () => {
  const slots = new TaskSlots(2);
  const begun: string[] = [];
  const held = new Map<string, PromiseWithResolvers<string>>();
  const run = (name: string): Promise<string> =>
    slots.runInSlot(() => {
      begun.push(name);
      const end = Promise.withResolvers<string>();
      held.set(name, end);
      return end.promise;
    });
  const [a, b, c, d] = [run("a"), run("b"), run("c"), run("d")];
  await settled();

  expect(begun).toEqual(["a", "b"]);
  expect([slots.running, slots.waiting]).toEqual([2, 2]);
  held.get("b")?.reject(new Error("b failed"));
  await expect(b).rejects.toThrow("b failed");
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  expect([slots.running, slots.waiting]).toEqual([2, 1]);
  held.get("a")?.resolve("A");
  await settled();
  held.get("c")?.resolve("C");
  held.get("d")?.resolve("D");
  expect(await Promise.all([a, c, d])).toEqual(["A", "C", "D"]);
  expect([slots.running, slots.waiting]).toEqual([0, 0]);
});

test("TaskSlots never starts work that is aborted while it waits, and gives its turn to the next", async () => {
  const slots = new TaskSlots(1);
  await slots.acquire();
  const cancel = new AbortController();
  const begun: string[] = [];
  const note = (name: string) => async () => void begun.push(name);
  const ends = Promise.allSettled([
    slots.runInSlot(note("aborted"), cancel.signal),
    slots.runInSlot(note("late"), AbortSignal.abort("before")),
  ]);
  const next = slots.runInSlot(note("next"));
  cancel.abort("meanwhile");

  expect(await ends).toEqual([
    { status: "rejected", reason: "meanwhile" },
    { status: "rejected", reason: "before" },
  ]);
  slots.release();
  await next;
  expect(begun).toEqual(["next"]);
  expect(slots.running).toBe(0);
});
