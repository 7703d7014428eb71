import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Refusal } from "#dc/model/refusal.ts";
import type { TestService } from "../../../support/dc/service.ts";
import { smallSite } from "../../../support/dc/small_site.ts";

const codes = (reply: { readonly devices?: readonly JsonObject[] }) => (reply.devices ?? []).map(({ code }) => code);

async function allPages(site: TestService, request: JsonObject): Promise<unknown[]> {
  const found: unknown[] = [];
  let token = "";
  do {
    const page = await site.call("SearchDevices", { ...request, page_token: token });
    found.push(...codes(page));
    token = page.next_page_token ?? "";
  } while (token !== "");
  return found;
}

describe("SearchDevices", async () => {
  const site = await smallSite();

  test("answers every device once over its pages, in the order asked for", async () => {
    const byCode = await allPages(site, { page_size: 3 });
    const byDraw = await allPages(site, { page_size: 2, order_by: "draw_w desc" });

    expect(byCode).toEqual(["BL-1", "CH-1", "LEAF-1", "PDU", "PP-1", "RPP-A", "RPP-B", "SPINE-1", "SRV-1", "UTIL"]);
    expect(byDraw[0]).toBe("SRV-1");
    expect(byDraw.toSorted()).toEqual(byCode);
  });

  test("counts by role what matches on all pages", async () => {
    const reply = await site.call("SearchDevices", { page_size: 1, filter: { rack_codes: ["R1"] } });

    expect(reply.total_count).toBe(3);
    expect(reply.role_counts).toEqual({ compute: 1, leaf: 1, "rack-pdu": 1 });
  });

  const rows: readonly (readonly [string, JsonObject, readonly string[]])[] = [
    ["a part of the code in any case", { query: "rv-" }, ["SRV-1"]],
    ["a percent sign as itself", { query: "%" }, []],
    ["the asset tag", { query: "at-1" }, ["SRV-1"]],
    ["kinds", { kinds: ["DEVICE_KIND_UTILITY", "DEVICE_KIND_CHASSIS"] }, ["CH-1", "UTIL"]],
    ["roles", { roles: ["leaf", "spine"] }, ["LEAF-1", "SPINE-1"]],
    ["a row", { row_refs: ["row:S1/1/A"], racked: false }, ["PP-1", "RPP-A", "RPP-B", "UTIL"]],
    ["one cord", { single_corded: true }, ["PDU", "RPP-A", "RPP-B"]],
    ["a draw", { min_draw_w: 400, max_draw_w: 400 }, ["SRV-1"]],
    [
      "a type of port that is free",
      { port_type: "100gbase-x-qsfp28", has_free_port: true },
      ["LEAF-1", "SPINE-1", "SRV-1"],
    ],
    ["a free data port, where outlets do not count", { has_free_port: true }, ["LEAF-1", "PP-1", "SPINE-1", "SRV-1"]],
    ["what a panel feeds", { fed_by: "device:RPP-A" }, ["PDU", "SRV-1"]],
    ["what a feed feeds", { fed_by: "feed:FB" }, ["SRV-1"]],
    ["what lacks the redundancy that it requires", { redundancy_unmet: true }, ["SRV-1"]],
    ["what lacks no redundancy", { redundancy_unmet: false, roles: ["leaf", "spine"] }, ["LEAF-1", "SPINE-1"]],
    ["two demands of the power graph at once", { fed_by: "feed:FB", redundancy_unmet: true }, ["SRV-1"]],
  ];
  for (const [what, filter, expected] of rows) {
    test(`finds by ${what}`, async () => {
      expect(codes(await site.call("SearchDevices", { filter }))).toEqual([...expected]);
    });
  }

  test("refuses places that nothing is located in", async () => {
    const unknown: readonly JsonObject[] = [
      { rack_codes: ["R1", "NONE"] },
      { site_ids: ["NONE"] },
      { floor_refs: ["floor:S1/9"] },
      { room_refs: ["room:S1/1/NONE"] },
      { row_refs: ["row:S1/1/NONE"] },
    ];
    for (const filter of unknown) {
      const refused = await site.call("SearchDevices", { filter }).catch((error: Refusal) => error);
      expect(refused).toMatchObject({ reason: "NOT_FOUND" });
    }
  });

  test("leaves ports out unless the whole device is asked for", async () => {
    const request = { filter: { query: "SRV-1" } };

    const basic = await site.call("SearchDevices", request);
    const full = await site.call("SearchDevices", { ...request, view: "DEVICE_VIEW_FULL" });

    expect(basic.devices[0].ports).toBeUndefined();
    expect(full.devices[0].ports).toHaveLength(3);
  });

  test("refuses a token of another filter, an altered one, and one that is none", async () => {
    const { next_page_token: token } = await site.call("SearchDevices", { page_size: 1 });
    const altered = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;

    for (const request of [
      { page_token: token, filter: { query: "s" } },
      { page_token: token, order_by: "name" },
      { page_token: altered },
      { page_token: "bm9wZQ" },
      { page_token: "!" },
    ]) {
      await expect(site.call("SearchDevices", request)).rejects.toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
    }
  });

  test("takes another page size with a token", async () => {
    const { next_page_token: token } = await site.call("SearchDevices", { page_size: 1 });

    const rest = await site.call("SearchDevices", { page_size: 1000, page_token: token });

    expect(rest.devices).toHaveLength(9);
  });

  test("sees a write at once although answers are kept", async () => {
    const own = await smallSite();
    const before = await own.call("SearchDevices", { filter: { query: "fresh" } });
    await own.call("UpsertDevice", {
      device: { code: "FRESH", kind: "DEVICE_KIND_SENSOR", location: { site_id: "S1" } },
    });

    const after = await own.call("SearchDevices", { filter: { query: "fresh" } });

    expect([codes(before), codes(after)]).toEqual([[], ["FRESH"]]);
  });
});

describe("GetDevice", () => {
  test("shows the way of each inlet to its root, single points, cables and changes", async () => {
    const site = await smallSite();

    const reply = await site.call("GetDevice", { code: "srv-1" });

    expect(reply.power_chain).toEqual([
      {
        inlet: "psu1",
        path: ["port:PDU/OUT1", "device:PDU", "feed:FA", "device:RPP-A", "device:UTIL"],
        path_label: "A",
        live: true,
      },
      { inlet: "psu2", path: ["feed:FB", "device:RPP-B", "device:UTIL"], path_label: "B", live: true },
    ]);
    expect(reply.power_single_points).toEqual(["device:UTIL"]);
    expect(reply.cables).toHaveLength(1);
    expect(reply.power_load_w).toBe(400);
    expect(reply.recent.map(({ entity }: JsonObject) => entity)).toEqual(["cable:PDU/OUT1~SRV-1/psu1", "device:SRV-1"]);
  });

  test("repeats the beginning of a text that is far too long, and its end", async () => {
    const site = await smallSite();

    const refusal = await site
      .call("FloorPlan", { floor_ref: `x${"🙂".repeat(100_000)}z` })
      .catch((error: unknown) => error);

    const { message, violations } = refusal as Refusal;
    expect(message).toStartWith('Cannot read floor_ref "x🙂');
    expect(message).toEndWith('🙂z": expected floor:<site_id>/<floor_number>');
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
    expect(message.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(violations[0]?.value ?? "")).toBeLessThanOrEqual(2048);
  });
});

describe("GetPort", () => {
  test("shows the port with its cable and far end, named in either way", async () => {
    const site = await smallSite();

    const byRef = await site.call("GetPort", { port_ref: "port:leaf-1/e1" });
    const byFields = await site.call("GetPort", { device_code: "LEAF-1", port_name: "e1" });

    expect(byRef).toEqual(byFields);
    expect(byRef.port).toMatchObject({
      device_code: "LEAF-1",
      far_end: { device_code: "SPINE-1", port_name: "e1" },
      path_status: "PATH_STATUS_COMPLETE",
      cable: { length_m: 20 },
    });
    expect(byRef.device).toMatchObject({ code: "LEAF-1", rack_code: "R1", position_u: 20 });
  });

  test("tells what an outlet can pass", async () => {
    const site = await smallSite();

    const { port } = await site.call("GetPort", { port_ref: "port:RPP-A/CB1" });

    expect(port.power_out).toMatchObject({ feed_id: "FA", capacity_w: 22170 });
  });

  test("refuses a request that names no port, or two", async () => {
    const site = await smallSite();

    for (const [request, reason] of [
      [{}, "REQUIRED_FIELD"],
      [{ port_ref: "device:LEAF-1" }, "INVALID_REF"],
      [{ port_ref: "port:LEAF-1/e1", port_name: "e2" }, "FIELD_CONFLICT"],
      [{ port_ref: "port:LEAF-1/e9" }, "NOT_FOUND"],
    ] as const) {
      await expect(site.call("GetPort", request)).rejects.toMatchObject({ reason });
    }
  });
});
