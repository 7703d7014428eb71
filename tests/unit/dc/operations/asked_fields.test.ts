import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Refusal } from "#dc/model/refusal.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

const BAD = "R 1";
const end = { device_code: "LEAF-1", port_name: "e3" };

/** Requests that name something by a text that can be no code, reference or port name, and the field that does. */
const ASKED: readonly (readonly [rpc: string, request: JsonObject, reason: string, field: string])[] = [
  ["GetRack", { code: BAD }, "INVALID_CODE", "code"],
  ["GetDevice", { code: BAD }, "INVALID_CODE", "code"],
  ["GetPort", { device_code: BAD, port_name: "e1" }, "INVALID_CODE", "device_code"],
  ["GetPort", { device_code: "LEAF-1", port_name: "e~1" }, "INVALID_CODE", "port_name"],
  ["GetPort", { port_ref: `port:${BAD}/e1` }, "INVALID_REF", "port_ref"],
  ["TraceCablePath", { port_ref: "LEAF-1/e1" }, "INVALID_REF", "port_ref"],
  ["TraceCablePath", { start: { device_code: BAD, port_name: "e1" } }, "INVALID_CODE", "start.device_code"],
  ["TraceCablePath", { start: { device_code: "LEAF-1" } }, "REQUIRED_FIELD", "start.port_name"],
  ["SearchDevices", { filter: { site_ids: ["S1", BAD] } }, "INVALID_CODE", "filter.site_ids[1]"],
  ["SearchDevices", { filter: { rack_codes: [BAD] } }, "INVALID_CODE", "filter.rack_codes[0]"],
  ["SearchDevices", { filter: { floor_refs: ["floor:S1/1", "floor:S1"] } }, "INVALID_REF", "filter.floor_refs[1]"],
  ["SearchDevices", { filter: { room_refs: ["room:S1/1"] } }, "INVALID_REF", "filter.room_refs[0]"],
  ["SearchDevices", { filter: { row_refs: ["rack:R1"] } }, "INVALID_REF", "filter.row_refs[0]"],
  ["SearchDevices", { filter: { fed_by: "FA" } }, "INVALID_REF", "filter.fed_by"],
  ["PowerBlastRadius", { source_ref: "room:S1/1" }, "INVALID_REF", "source_ref"],
  [
    "PowerBlastRadius",
    { source_ref: "feed:FA", additional_source_refs: ["feed:FB", BAD] },
    "INVALID_REF",
    "additional_source_refs[1]",
  ],
  ["ThermalHeadroom", { scope_ref: "device:SRV-1" }, "INVALID_REF", "scope_ref"],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", failed_crac_codes: [BAD] }, "INVALID_CODE", "failed_crac_codes[0]"],
  ["FabricTopology", { fabric_id: BAD }, "INVALID_CODE", "fabric_id"],
  ["FabricTopology", { scope_ref: "feed:FA" }, "INVALID_REF", "scope_ref"],
  ["FabricTopology", { failed_device_codes: ["LEAF-1", BAD] }, "INVALID_CODE", "failed_device_codes[1]"],
  ["FloorPlan", { floor_ref: "site:S1" }, "INVALID_REF", "floor_ref"],
  ["Render", { subject_ref: BAD }, "INVALID_REF", "subject_ref"],
  ["Render", { subject_ref: "rack:R1", refs: [BAD] }, "INVALID_REF", "refs[0]"],
  ["GetRack", { code: "R1", render: { highlight: [BAD] } }, "INVALID_REF", "render.highlight[0]"],
  ["DeleteDevice", { code: BAD, allow_missing: true }, "INVALID_CODE", "code"],
  ["DeleteRack", { code: "" }, "REQUIRED_FIELD", "code"],
  ["DeleteCrac", { code: "a".repeat(65) }, "INVALID_CODE", "code"],
  ["DeleteCable", { a: { ...end, device_code: BAD }, b: end }, "INVALID_CODE", "a.device_code"],
  ["DeleteCable", { a: end, b: { device_code: "PDU" } }, "INVALID_CODE", "b.port_name"],
  ["DeleteFabricLink", { a: { device_code: "LEAF-1" }, b: { device_code: BAD } }, "INVALID_CODE", "b.device_code"],
  ["DeleteFabricLink", { a: { device_code: "LEAF-1" } }, "REQUIRED_FIELD", "b"],
];

/** What is well formed and not there. */
const MISSING: readonly (readonly [rpc: string, request: JsonObject, field: string])[] = [
  ["GetRack", { code: "R9" }, "code"],
  ["GetDevice", { code: "D9" }, "code"],
  ["GetPort", { device_code: "D9", port_name: "e1" }, "device_code"],
  ["GetPort", { device_code: "LEAF-1", port_name: "e9" }, "port_name"],
  ["GetPort", { port_ref: "port:LEAF-1/e9" }, "port_ref"],
  ["TraceCablePath", { port_ref: "port:LEAF-1/e9" }, "port_ref"],
  ["TraceCablePath", { start: { device_code: "D9", port_name: "e1" } }, "start"],
  ["PowerBlastRadius", { source_ref: "feed:NONE" }, "source_ref"],
  ["ThermalHeadroom", { scope_ref: "floor:S1/1", failed_crac_codes: ["C1", "C9"] }, "failed_crac_codes[1]"],
  ["FabricTopology", { fabric_id: "F9" }, "fabric_id"],
  ["FabricTopology", { failed_device_codes: ["D9"] }, "failed_device_codes[0]"],
  ["FloorPlan", { floor_ref: "floor:S1/9" }, "floor_ref"],
  ["Render", { subject_ref: "rack:R9" }, "subject_ref"],
  ["DeleteRack", { code: "R9" }, "code"],
];

describe("What a request names", async () => {
  const site = await smallSite();
  const refusalOf = (rpc: string, request: JsonObject): Promise<Refusal> =>
    site.call(rpc, request).then(
      () => Promise.reject(new Error("was answered")),
      (error: unknown) => error as Refusal,
    );

  for (const [rpc, request, reason, field] of ASKED) {
    test(`is refused by ${rpc} in ${field} when it can be nothing: ${JSON.stringify(request)}`, async () => {
      const { kind, violations } = await refusalOf(rpc, request);

      const [first] = violations;
      expect([kind, first?.code as string, first?.field]).toEqual(["invalid_argument", reason, field]);
      expect(first?.expected).not.toBeUndefined();
    });
  }

  for (const [rpc, request, field] of MISSING) {
    test(`is not found by ${rpc} in ${field}: ${JSON.stringify(request)}`, async () => {
      const { reason, violations } = await refusalOf(rpc, request);

      expect([reason as string, violations[0]?.field]).toEqual(["NOT_FOUND", field]);
      expect(violations[0]?.ref).not.toBeUndefined();
    });
  }

  test("is told for each code of a bulk delete, by its place", async () => {
    const { results, failed } = await site.call("BulkDeleteRacks", {
      codes: ["R9", BAD, "R1", "R8", "r8"],
      validate_only: true,
    });

    const told = results.map(({ outcome, error }: { outcome: string; error: { details: JsonObject[] } }) => {
      const { reason = "", metadata = {} } = error.details[0] as { reason?: string; metadata?: JsonObject };
      return [outcome, reason, metadata["field"]];
    });
    expect(told).toEqual([
      ["OUTCOME_NOT_FOUND", "NOT_FOUND", "codes[0]"],
      ["OUTCOME_FAILED", "INVALID_CODE", "codes[1]"],
      ["OUTCOME_FAILED", "RACK_NOT_EMPTY", "codes[2]"],
      ["OUTCOME_FAILED", "DUPLICATE", "codes[3]"],
      ["OUTCOME_FAILED", "DUPLICATE", "codes[4]"],
    ]);
    expect(failed).toBe(5);
  });

  test("is refused as a whole when the mask of a bulk call leads nowhere", async () => {
    await expect(
      site.call("BulkUpsertRacks", { items: [{ code: "R1" }], update_mask: "colour" }),
    ).rejects.toMatchObject({ reason: "UNKNOWN_FIELD", violations: [{ field: "update_mask", value: "colour" }] });
  });

  test("is told by an item that needs another one which failed", async () => {
    const location = { site_id: "S1", floor_number: 1 };
    const inlet = { name: "p", kind: "PORT_KIND_POWER_IN", power_in: { source_ref: "device:NEW-1" } };
    const items = [
      { code: "NEW-2", kind: "DEVICE_KIND_SERVER", location, ports: [inlet] },
      { code: "NEW-1", kind: "DEVICE_KIND_RPP", location, role: "No Slug" },
    ];

    const { results } = await site.call("BulkUpsertDevices", { items, validate_only: true });

    const fields = results.map(
      ({ error }: { error: { details: { metadata: JsonObject }[] } }) => error.details[0]?.metadata,
    );
    expect(fields).toEqual([{ field: "items[0].code" }, { field: "items[1].role" }]);
  });
});

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
  ["SearchDevices", { order_by: "code sideways" }, OUT, "order_by"],
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
