import { describe, expect, test } from "bun:test";
import { ByteAccount, ByteBudget, REQUEST_BYTES } from "#kernel/slots.ts";

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
