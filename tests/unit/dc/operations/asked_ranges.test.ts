import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Refusal } from "#dc/model/refusal.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

const OUT = "FIELD_OUT_OF_RANGE";
const many = <Value extends JsonValue>(count: number, value: Value): Value[] =>
  Array.from({ length: count }, () => value);
const codes = (count: number) => Array.from({ length: count }, (_, index) => `N${index}`);
const rack = { code: "NEW", location: { site_id: "S1", floor_number: 1 } };

/**
 * What lies beyond the bounds of a request's own fields. Source:
 * docs/contract/datacenter-messages.md#common-fields-of-changes, docs/contract/datacenter-rules.md#general.
 */
const BEYOND: readonly (readonly [rpc: string, request: JsonObject, reason: string, field: string])[] = [
  ["SearchDevices", { page_size: -1 }, OUT, "page_size"],
  ["SearchDevices", { view: 99 }, OUT, "view"],
  ["SearchDevices", { page_token: "x" }, "PAGE_TOKEN_INVALID", "page_token"],
  ["SearchDevices", { order_by: "colour" }, OUT, "order_by"],
  ["SearchDevices", { filter: { query: "x".repeat(257) } }, OUT, "filter.query"],
  ["SearchDevices", { filter: { roles: many(1001, "leaf") } }, OUT, "filter.roles"],
  ["SearchDevices", { filter: { floor_refs: many(1001, "floor:S1/1") } }, OUT, "filter.floor_refs"],
  ["SearchDevices", { filter: { tags: many(65, "t") } }, OUT, "filter.tags"],
  ["SearchDevices", { filter: { kinds: ["DEVICE_KIND_SERVER", 99] } }, OUT, "filter.kinds[1]"],
  ["PowerBlastRadius", { source_ref: "feed:FA", max_items: -1 }, OUT, "max_items"],
  ["PowerBlastRadius", { source_ref: "feed:FA", load_basis: 99 }, OUT, "load_basis"],
  ["PowerBlastRadius", {}, "REQUIRED_FIELD", "source_ref"],
  ["TraceCablePath", { port_ref: "port:LEAF-1/e1", max_hops: -1 }, OUT, "max_hops"],
  ["TraceCablePath", {}, "REQUIRED_FIELD", "port_ref"],
  ["GetRack", { code: "R1", face: 99 }, OUT, "face"],
  ["GetDevice", { code: "SRV-1", view: 99 }, OUT, "view"],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", reserve_units: -1 }, OUT, "reserve_units"],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", load_basis: -1 }, OUT, "load_basis"],
  ["FabricTopology", { congestion_pct: 100.5 }, OUT, "congestion_pct"],
  ["FabricTopology", { congestion_pct: "NaN" }, OUT, "congestion_pct"],
  ["FabricTopology", { watch_pct: -1 }, OUT, "watch_pct"],
  ["FloorPlan", { floor_ref: "floor:S1/1", coloring: 99 }, OUT, "coloring"],
  ["FloorPlan", { floor_ref: "floor:S1/1", render: { coloring: "COLORING_ROLE" } }, OUT, "render.coloring"],
  ["Render", { subject_ref: "rack:R1", screen: 99 }, OUT, "screen"],
  ["Render", { subject_ref: "rack:R1", render: { width_px: 63 } }, OUT, "render.width_px"],
  ["Render", { subject_ref: "rack:R1", render: { width_px: 8193 } }, OUT, "render.width_px"],
  ["Render", { subject_ref: "rack:R1", render: { max_nodes: -1 } }, OUT, "render.max_nodes"],
  ["Render", { subject_ref: "rack:R1", render: { format: 99 } }, OUT, "render.format"],
  ["Render", { subject_ref: "rack:R1", render: { theme: 99 } }, OUT, "render.theme"],
  ["Render", { subject_ref: "rack:R1", render: { view: 99 } }, OUT, "render.view"],
  ["UpsertRack", { rack, request_id: "one" }, OUT, "request_id"],
  ["UpsertRack", { rack, change_message: "x".repeat(201) }, OUT, "change_message"],
  ["UpsertRack", { rack: { ...rack, code: "R1" }, etag: "old" }, "ETAG_MISMATCH", "etag"],
  ["UpsertRack", { rack, update_mask: "colour" }, "UNKNOWN_FIELD", "update_mask"],
  ["UpsertRack", { rack: { ...rack, status: 99 } }, OUT, "rack.status"],
  ["BulkUpsertRacks", {}, "REQUIRED_FIELD", "items"],
  ["BulkUpsertRacks", { items: codes(1001).map((code) => ({ ...rack, code })) }, "BATCH_TOO_LARGE", "items"],
  ["BulkDeleteCracs", {}, "REQUIRED_FIELD", "codes"],
  ["BulkDeleteCracs", { codes: codes(1001) }, "BATCH_TOO_LARGE", "codes"],
  ["DeleteDevice", { code: "SRV-1", etag: "old" }, "ETAG_MISMATCH", "etag"],
  ["DeleteDevice", { code: "RPP-A" }, "DEVICE_FEEDS_OTHERS", "code"],
  ["DeleteDevice", { code: "LEAF-1" }, "DEVICE_HAS_CABLES", "code"],
  ["DeleteDevice", { code: "CH-1" }, "DEVICE_HAS_CHILDREN", "code"],
  ["DeleteRack", { code: "R1" }, "RACK_NOT_EMPTY", "code"],
];

/** More than is given is asked for: the most is given. */
const CUT: readonly (readonly [rpc: string, request: JsonObject])[] = [
  ["SearchDevices", { page_size: 5000 }],
  ["PowerBlastRadius", { source_ref: "feed:FA", max_items: 20000 }],
  ["TraceCablePath", { port_ref: "port:LEAF-1/e1", max_hops: 5000 }],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", reserve_units: 5000 }],
];

describe("A request's own fields", async () => {
  const site = await smallSite();

  for (const [rpc, request, reason, field] of BEYOND) {
    test(`${rpc} refuses ${JSON.stringify(request).slice(0, 100)}, naming ${field}`, async () => {
      const refusal = (await site.call(rpc, request).catch((error: unknown) => error)) as Refusal;

      expect([refusal.reason as string, refusal.violations?.[0]?.field]).toEqual([reason, field]);
    });
  }

  for (const [rpc, request] of CUT) {
    test(`${rpc} answers ${JSON.stringify(request)}`, async () => {
      expect(await site.call(rpc, request)).toBeObject();
    });
  }

  test("an item of an atomic batch that another one took down is told so", async () => {
    const items = [rack, { ...rack, code: "no/slash" }];

    const { results, committed } = await site.call("BulkUpsertRacks", { items, atomic: true });

    expect(committed).toBeUndefined();
    const told = results.map(({ error }: { error: { details: JsonObject[] } }) => error.details[0]);
    expect(told).toMatchObject([{ reason: "BATCH_ABORTED" }, { reason: "INVALID_CODE" }]);
  });
});
