import { expect, test } from "bun:test";
import { testService } from "../../support/dc/service.ts";

test("a change waits for no draft, and a draft answers what the change then does", async () => {
  const { call, store } = await testService();
  const rack = (code: string) => ({ rack: { code, location: { site_id: "S", floor_number: 1 } } });
  const racks = Array.from({ length: 500 }, (_, at) => rack(`D${at}`));
  const order: string[] = [];
  const drafts = Array.from({ length: 6 }, () =>
    call("PreviewChanges", { changes: racks }).then(() => order.push("draft")),
  );

  await Promise.all([...drafts, call("UpsertRack", rack("R1")).then(() => order.push("change"))]);

  expect(order).toHaveLength(7);
  expect(order.indexOf("change")).toBe(0);
  const tried = await call("UpsertRack", { ...rack("R2"), validate_only: true });
  expect(await call("UpsertRack", rack("R2"))).toEqual(tried);
  await store.close();
});
