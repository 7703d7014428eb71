import { beforeAll, expect, test } from "bun:test";
import { ams1Store } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

// tests/laws/dc/capacity.test.ts compares the figures with plain models.

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await ams1Store() });
});

const areas = async (request: object) => (await site.call("GetCapacity", { ...request })).areas;

test("GetCapacity says that row D of AMS1 is short after one failure, and why", async () => {
  const [row] = await areas({ scope_ref: "row:AMS1/1/D" });

  // RPP-A-D carries 119.52 of 218.2 kW, 80 % of which may be used for long, and 238.92 kW after the loss of side B.
  expect(row.power).toMatchObject({ free_kw: 110.08, limit_ref: "device:RPP-A-D", failover_free_kw: -20.72 });
  const { power_failover_ref } = await site.call("GetDevice", { code: "RPP-A-D" });
  expect([row.power.failover_limit_ref, row.power.failure_ref]).toEqual(["device:RPP-A-D", power_failover_ref]);
});

test("units, draw and cooling are those of the lists and of ThermalHeadroom", async () => {
  const rows = await areas({ by: "AREA_KIND_ROW" });
  const list = (kind: string, request: object = {}) =>
    site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 100, ...request });
  const places = await list("ROW");

  expect(rows.map(({ ref }: { ref: string }) => ref)).toEqual(places.rows.map(({ ref }: { ref: string }) => ref));
  for (const [at, row] of rows.entries()) {
    const conditions = [{ column: "row", values: [row.ref.split("/").at(-1)] }];
    const racks = await list("RACK", { conditions, sums: ["free_u", "height_u"] });
    const blocks = racks.rows.map(
      ({ figures }: { figures: { largest_free_block_u: number } }) => figures.largest_free_block_u,
    );
    expect([row.racks, row.free_u, row.total_u]).toEqual([racks.total_count, racks.sums.free_u, racks.sums.height_u]);
    expect(row.largest_free_block_u).toBe(Math.max(...blocks));
    expect(row.draw_kw).toBe(places.rows[at].figures.draw_w / 1000);
    const now = await site.call("ThermalHeadroom", { scope_ref: row.ref, reserve_units: 0 });
    const failed = { failed_crac_codes: [row.air.failure_ref.slice("crac:".length)] };
    const later = await site.call("ThermalHeadroom", { scope_ref: row.ref, reserve_units: 0, ...failed });
    expect([row.air.free_kw, row.air.failover_free_kw]).toEqual([
      expect.closeTo(now.headroom_kw, 3),
      expect.closeTo(later.headroom_kw, 3),
    ]);
  }
});

test("a site names the row with the most cooling after one failure and the rows that are short; a row has no parts", async () => {
  const rows: readonly Json[] = await areas({ by: "AREA_KIND_ROW" });
  const [{ air }] = await areas({});

  const left = rows.map((row) => ({ ref: row.ref, kw: row.air.failover_free_kw })).toSorted((a, b) => b.kw - a.kw);
  const short = left.filter(({ kw }) => kw < 0).map(({ ref }) => ref);
  expect([air.best_ref, air.best_failover_free_kw, air.short_refs]).toEqual([
    left[0]?.ref,
    left[0]?.kw,
    short.toReversed(),
  ]);
  expect(short.length).toBeGreaterThan(0);
  expect(rows.map((row) => row.air.best_ref)).toEqual(rows.map(() => undefined));
});

test("a rack that requires two sides and has one takes no power, and pages continue", async () => {
  const [rack] = await areas({ scope_ref: "rack:A08" });
  expect([rack.racks_without_supply, rack.power.free_kw ?? 0]).toEqual([1, 0]);

  const whole = await site.call("GetCapacity", { scope_ref: "row:AMS1/1/A", by: "AREA_KIND_RACK" });
  const first = await site.call("GetCapacity", { scope_ref: "row:AMS1/1/A", by: "AREA_KIND_RACK", page_size: 4 });
  const next = { scope_ref: "row:AMS1/1/A", by: "AREA_KIND_RACK", page_token: first.next_page_token };
  const rest = await site.call("GetCapacity", next);
  expect([...first.areas, ...rest.areas]).toEqual(whole.areas);
  expect([whole.total_count, whole.next_page_token]).toEqual([10, undefined]);
});

test("a scope that is none, and a rack that is out of use", async () => {
  const refused = (scope_ref: string) =>
    areas({ scope_ref }).then(
      () => "accepted",
      (error: { kind?: string; violations?: { field: string }[] }) => `${error.kind} ${error.violations?.[0]?.field}`,
    );
  expect([await refused("row:AMS1/1/Z"), await refused("device:UPS-A1")]).toEqual([
    "not_found scope_ref",
    "invalid_argument scope_ref",
  ]);
  const service = await testService();
  const rack = { code: "R", location: { site_id: "S", floor_number: 1 }, status: "RACK_STATUS_PLANNED" };
  await service.call("UpsertRack", { rack });
  const reply = await service.call("GetCapacity", {});
  expect(reply.areas).toEqual([{ ref: "site:S", racks_out_of_use: 1, power: { free_kw: 0, failover_free_kw: 0 } }]);
});
