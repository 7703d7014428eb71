import { beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { LIST_KINDS, listAllColumns, listColumnValues } from "#web/console/lists/list_kinds.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

interface Row {
  readonly ref: string;
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly figures: Readonly<Record<string, number>>;
}

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await storeOf(ams1) });
});

const list = (kind: string, request: JsonObject = {}) =>
  site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, ...request });
/** The console's lists by the kinds of the service. */
const LISTS = LIST_KINDS.map(({ page, kind }) => [page, kind] as const);
const names = ({ rows = [] }: { readonly rows?: readonly Row[] }) => rows.map(({ name }) => name);
const refusal = (kind: string, request: JsonObject) =>
  list(kind, request).then(
    () => "accepted",
    (error: Error & { violations?: { field: string }[] }) => error.violations?.[0]?.field,
  );

/** The sample's devices as its file has them, which the service has not touched. */
const devices = ams1.devices as readonly (JsonObject & {
  readonly code: string;
  readonly role?: string;
  readonly rack_code?: string;
  readonly allocated_draw_w?: number;
  readonly ports?: readonly JsonObject[];
})[];
const byCode = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);

describe("ListInventory", () => {
  test.each(LISTS)("has the columns and words that addresses of %s take", async (page, kind) => {
    const known = listAllColumns(page);
    const { columns } = await list(kind, { page_size: 1 });
    expect(columns).toEqual(known as string[]);
    for (const column of known) {
      const words = listColumnValues(page, column);
      if (words === undefined) continue;
      const { facets } = await list(kind, { page_size: 1, facets: [column] });
      expect(Object.keys(facets?.[0]?.counts ?? {}).filter((word) => word !== "" && !words.includes(word))).toEqual([]);
    }
  });

  test("takes the bare code of a source, as it takes its reference", async () => {
    const fed = async (source: string) =>
      (await list("DEVICE", { conditions: [{ column: "fed_by", values: [source] }] })).total_count;
    expect(await fed("ups-a2")).toBe(await fed("device:UPS-A2"));
    expect(await fed("AMS1-A08-A")).toBe(await fed("feed:AMS1-A08-A"));
    expect(await fed("B03")).toBe(await fed("rack:B03"));
    expect(await fed("UPS-A2")).toBeGreaterThan(100);
    expect(await refusal("DEVICE", { conditions: [{ column: "fed_by", values: ["UPS-Z9"] }] })).toBe(
      "conditions[0].values[0]",
    );
  });

  test("lists as many things of every kind as the sample's file has", async () => {
    const totals: Record<string, number> = {};
    for (const kind of ["RACK", "DEVICE", "PORT", "CABLE", "CRAC", "FABRIC_LINK", "SITE", "FLOOR", "ROW", "FABRIC"]) {
      totals[kind] = (await list(kind, { page_size: 1 })).total_count;
    }

    expect(totals).toEqual({
      RACK: ams1.racks.length,
      DEVICE: devices.length,
      PORT: devices.reduce((sum, { ports = [] }) => sum + ports.length, 0),
      CABLE: ams1.cables.length,
      CRAC: ams1.cracs.length,
      FABRIC_LINK: ams1.fabric_links.length,
      SITE: 1,
      FLOOR: 1,
      ROW: 4,
      FABRIC: 1,
    });
  });

  test("leaves the draw of a rack and a row empty if none of their devices has one", async () => {
    const service = await testService();
    const location = { site_id: "S", floor_number: 1, room: "R", row: "A" };
    const device = { kind: "DEVICE_KIND_SERVER", u_height: 1, face: "FACE_FRONT", position_u: 1 };
    for (const code of ["EMPTY", "SILENT", "KNOWN"]) await service.call("UpsertRack", { rack: { code, location } });
    await service.call("UpsertDevice", { device: { ...device, code: "D1", rack_code: "SILENT" } });
    const figures = async (kind: string) => {
      const { rows }: { rows: Row[] } = await service.call("ListInventory", { kind: `INVENTORY_KIND_${kind}` });
      return rows.map(({ name, figures: { draw_w } }) => [name, draw_w]);
    };

    expect(await figures("ROW")).toEqual([["S/1/A", undefined]]);
    await service.call("UpsertDevice", {
      device: { ...device, code: "D2", rack_code: "KNOWN", allocated_draw_w: 300 },
    });
    expect(await figures("ROW")).toEqual([["S/1/A", 300]]);
    expect(await figures("RACK")).toEqual([
      ["EMPTY", 0],
      ["KNOWN", 300],
      ["SILENT", undefined],
    ]);
  });

  test("lists the devices behind sources, and those with a free data port, as a search of devices does", async () => {
    const fed = { column: "fed_by", values: ["device:RPP-A-D", "feed:AMS1-A08-A"] };
    const free = { column: "free_port", values: ["yes"] };
    const asked = async (filter: JsonObject): Promise<string[]> => {
      const found = await site.call("SearchDevices", { filter, page_size: 1000, order_by: "code" });
      return found.devices.map(({ code }: { readonly code: string }) => code);
    };
    const listed = async (...conditions: JsonObject[]) =>
      names(await list("DEVICE", { conditions, page_size: 1000 })).sort(byCode);

    const [rpp, feed] = [await asked({ fed_by: "device:RPP-A-D" }), await asked({ fed_by: "feed:AMS1-A08-A" })];
    const either = [...new Set([...rpp, ...feed])].sort(byCode);
    const withFree = new Set(await asked({ has_free_port: true }));

    expect(await listed(fed)).toEqual(either);
    expect(await listed(free)).toEqual([...withFree].sort(byCode));
    expect(await listed(fed, free)).toEqual(either.filter((code) => withFree.has(code)));
    expect(withFree.size).toBeGreaterThan(0);
    expect(await refusal("DEVICE", { conditions: [{ column: "fed_by", values: ["device:NOPE"] }] })).toBe(
      "conditions[0].values[0]",
    );
    expect(await refusal("DEVICE", { conditions: [{ column: "free_port", values: ["maybe"] }] })).toBe(
      "conditions[0].values",
    );
    expect(await refusal("RACK", { conditions: [fed] })).toBe("conditions[0].column");
  });

  test("filters, orders and pages as a plain filter of the file does", async () => {
    const wanted = devices
      .filter(({ role, rack_code = "" }) => role === "compute" && rack_code.startsWith("B0"))
      .filter(({ allocated_draw_w = 0 }) => allocated_draw_w >= 300)
      .map(({ code }) => code)
      .sort(byCode)
      .reverse();
    const racks = Array.from({ length: 9 }, (_, index) => `b0${index + 1}`);
    const request = {
      conditions: [
        { column: "role", values: ["Compute"] },
        { column: "rack", values: racks },
        { column: "draw_w", min: 300 },
      ],
      order_by: "rack desc",
      page_size: 1000,
    };

    const whole = await list("DEVICE", request);
    const page = await list("DEVICE", { ...request, page_size: 7, skip: 14 });

    expect(whole.total_count).toBe(wanted.length);
    expect(names(whole).toSorted(byCode).reverse()).toEqual(wanted);
    expect(names(page)).toEqual(names(whole).slice(14, 21));
    expect(whole.rows.map(({ texts }: Row) => texts["rack"])).toEqual(
      whole.rows
        .map(({ texts }: Row) => texts["rack"] ?? "")
        .toSorted(byCode)
        .reverse(),
    );
  });

  test("leaves out what is unknown, and puts it last in either order", async () => {
    const up = await list("DEVICE", { order_by: "position_u", page_size: 1000 });
    const down = await list("DEVICE", { order_by: "position_u desc", page_size: 1000 });
    const figure = ({ figures }: Row) => figures["position_u"];

    for (const rows of [up.rows, down.rows]) {
      const known = rows.filter((row: Row) => figure(row) !== undefined);
      expect(known.length).toBeLessThan(rows.length);
      expect(rows.slice(0, known.length)).toEqual(known);
    }
    expect((await list("RACK", { conditions: [{ column: "weight_kg", max: 0 }] })).total_count).toBeUndefined();
  });

  test("counts and sums up the values of columns over all pages", async () => {
    const counts: Record<string, number> = {};
    for (const { rack_code = "" } of devices) counts[rack_code] = (counts[rack_code] ?? 0) + 1;

    const drawn = devices.reduce((sum, { allocated_draw_w = 0 }) => sum + allocated_draw_w, 0);

    const { facets, sums } = await list("DEVICE", { facets: ["rack"], sums: ["draw_w"], page_size: 1 });

    expect(facets).toEqual([{ column: "rack", counts }]);
    expect(sums).toEqual({ draw_w: drawn });
  });

  test("says where ports lead, and finds rows by words in any text", async () => {
    const { rows } = await list("PORT", { query: "srv-b03-07 eth0" });

    expect(rows.map(({ ref, texts }: Row) => [ref, texts["leads_to"]])).toEqual([
      ["port:SRV-B03-07/eth0", "port:LEAF-B03-1/Ethernet7"],
    ]);
  });

  test("tells of a supply what it carries after one failure as GetDevice does", async () => {
    const { rows } = await list("SUPPLY", { order_by: "failover_pct desc", page_size: 1 });
    const { power_failover_w, power_failover_ref } = await site.call("GetDevice", { code: rows[0].name });

    expect([rows[0].figures.failover_w, rows[0].texts.failover_ref]).toEqual([power_failover_w, power_failover_ref]);
  });

  test("shows a fabric link as down exactly if FabricTopology does, its disabled port included", async () => {
    const before = await site.call("GetDevice", { code: "LEAF-A01-1" });
    const ports = before.device.ports.map((port: JsonObject) =>
      port["net_role"] === "NET_ROLE_UPLINK" ? { ...port, enabled: false } : port,
    );
    await site.call("UpsertDevice", { device: { code: "LEAF-A01-1", ports }, update_mask: "ports" });

    const { rows } = await list("FABRIC_LINK", { query: "leaf-a01-1", page_size: 100 });
    const { links } = await site.call("FabricTopology", { scope_ref: "rack:A01" });

    const state = ({ ref, live = false }: { readonly ref: string; readonly live?: boolean }) =>
      `${ref} ${live ? "UP" : "DOWN"}`;
    const listed = rows.map(({ ref, texts }: Row) => `${ref} ${texts["traffic"]}`);
    const answered = links.filter(({ ref }: Row) => ref.includes("LEAF-A01-1/")).map(state);
    expect(listed.toSorted(byCode)).toEqual(answered.toSorted(byCode));
    expect(listed.every((one: string) => one.endsWith(" DOWN"))).toBe(true);
    expect(listed).not.toEqual([]);
    await site.call("UpsertDevice", {
      device: { code: "LEAF-A01-1", ports: before.device.ports },
      update_mask: "ports",
    });
  });

  test("names the field of a wrong request", async () => {
    expect(await refusal("UNSPECIFIED", {})).toBe("kind");
    expect(await refusal("RACK", { order_by: "colour" })).toBe("order_by");
    expect(await refusal("RACK", { order_by: "role down" })).toBe("order_by");
    expect(await refusal("RACK", { conditions: [{ column: "constructor" }] })).toBe("conditions[0].column");
    expect(await refusal("RACK", { facets: ["role", "x"] })).toBe("facets[1]");
    expect(await refusal("RACK", { skip: -1 })).toBe("skip");
    expect(await refusal("RACK", { page_size: -1 })).toBe("page_size");
    expect(await refusal("RACK", { query: "x".repeat(257) })).toBe("query");
  });
});

describe("SearchInventory", () => {
  const search = async (query: string) => {
    const { kinds = [], corrected_query: corrected = "" } = await site.call("SearchInventory", { query });
    const hits = kinds.flatMap((group: { hits: { ref: string }[] }) => group.hits.map(({ ref }) => ref));
    return { first: hits[0], hits, corrected };
  };

  test("finds every rack, device and cooling unit of the sample first by its own code", async () => {
    const codes = [...ams1.racks, ...ams1.devices, ...ams1.cracs].map(({ code }) => String(code));
    const missed: string[] = [];
    // Every seventh of them, so that the test stays short.
    for (const code of codes.filter((_, index) => index % 7 === 0)) {
      const { first } = await search(code.toLowerCase());
      if (!first.endsWith(`:${code}`)) missed.push(`${code}: ${first}`);
    }

    expect(missed).toEqual([]);
  });

  test.each([
    ["lefa d03", "device:LEAF-D03-1", "leaf d03"],
    ["spnie d09", "device:SPINE-D09-1", "spine d09"],
    ["crha-a1", "crac:CRAH-A1", "crah a1"],
    ["srv-b03-07/eth0", "port:SRV-B03-07/eth0", ""],
    ["srv-b03-07 eth0", "port:SRV-B03-07/eth0", ""],
    ["AMS1-D03-A", "feed:AMS1-D03-A", ""],
    ["dh1", "room:AMS1/1/DH1", ""],
    ["fab1", "fabric:FAB1", ""],
  ])("finds %s", async (query, ref, correction) => {
    const { hits, corrected } = await search(query);

    expect(hits).toContain(ref);
    expect(corrected).toBe(correction);
  });

  test("finds nothing for what is like nothing, and follows a change", async () => {
    expect(await search("zzzzqqqq")).toEqual({ first: undefined, hits: [], corrected: "" });
    await site.call("UpsertRack", { rack: { code: "ZZZZQQQQ", location: { site_id: "AMS1", floor_number: 1 } } });
    expect((await search("zzzzqqqq")).first).toBe("rack:ZZZZQQQQ");
    await site.call("DeleteRack", { code: "ZZZZQQQQ" });
    expect((await search("zzzzqqqq")).hits).toEqual([]);
  });
});
