import { expect, test } from "bun:test";
import { testService } from "../../support/dc/service.ts";

test("a change waits for one draft at most, however many are tried at once", async () => {
  const { call, store } = await testService();
  const rack = (code: string) => ({ rack: { code, location: { site_id: "S", floor_number: 1 } } });
  const order: string[] = [];
  const drafts = Array.from({ length: 6 }, (_, at) =>
    call("UpsertRack", { ...rack(`D${at}`), validate_only: true }).then(() => order.push("draft")),
  );

  await Promise.all([...drafts, call("UpsertRack", rack("R1")).then(() => order.push("change"))]);

  expect(order).toHaveLength(7);
  expect(order.indexOf("change")).toBeLessThanOrEqual(1);
  await store.close();
});
