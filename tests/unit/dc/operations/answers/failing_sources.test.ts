import { beforeAll, expect, test } from "bun:test";
import { ams1Store } from "../../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../../support/dc/service.ts";

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await ams1Store() });
});

const LINK = "fabric_link:LEAF-A01-1/Ethernet49~SPINE-D09-1/Ethernet1";

test.each([
  ["a fabric link", LINK],
  ["the port at its lower end", "port:LEAF-A01-1/Ethernet49"],
  ["the port at its upper end", "port:SPINE-D09-1/Ethernet1"],
  ["the cable at its lower end", "cable:LEAF-A01-1/Ethernet49~PP-A01-1/F1"],
  ["the same cable from its other end", "cable:PP-A01-1/F1~LEAF-A01-1/Ethernet49"],
  ["a port of the patch panel between", "port:PP-A01-1/F1"],
])(
  "%s fails one fabric link and no supply",
  async (_, ref) => {
    const reply = await site.call("PowerBlastRadius", { source_ref: ref });

    expect(reply).toMatchObject({ fabric_links_down: [LINK], fabric_lost_mbps: 100_000, impact: {} });
    expect([reply.affected, reply.switches_cut_off, reply.takeovers]).toEqual([undefined, undefined, undefined]);
  },
  120_000,
);

test("a cooling unit, and a zone with its units, weaken the areas that they serve", async () => {
  const unit = await site.call("PowerBlastRadius", { source_ref: "crac:CRAH-A1" });
  const { causes } = await site.call("RehearseFailures", {
    scope_ref: "row:AMS1/1/A",
    kinds: ["FAILURE_KIND_COOLING"],
    max_elements: 100,
  });

  expect(unit.impact).toEqual({ cracs_offline: 1, cooling_lost_kw: 54 });
  expect(unit.affected).toMatchObject([{ kind: "ITEM_KIND_CRAC", code: "CRAH-A1", state: "IMPACT_STATE_OFFLINE" }]);
  expect(unit.zones).toContainEqual(expect.objectContaining({ ref: "row:AMS1/1/A", short: true, capacity_kw: 54 }));
  expect(causes[0].zones).toEqual(expect.arrayContaining(unit.zones));
  await expect(site.call("PowerBlastRadius", { source_ref: "zone:AMS1/1/none" })).rejects.toMatchObject({
    message: expect.stringContaining("zone:AMS1/1/none"),
  });
});

test("racks are listed first, then what stands in them rack by rack, cooling, and distribution last", async () => {
  const { affected } = await site.call("PowerBlastRadius", { source_ref: "device:UPS-A2", cascade: true });

  const groups = affected.map(({ kind, code, rack_code }: Record<string, string>) => {
    if (kind !== "ITEM_KIND_DEVICE") return kind;
    return /^(?:PDU|RPP|UPS|SWGR|ATS)-/.test(String(code)) ? "distribution" : rack_code;
  });
  const runs = groups.filter((group: unknown, at: number) => group !== groups[at - 1]);
  const racks = runs.slice(1, -2);
  expect([runs.at(0), ...runs.slice(-2)]).toEqual(["ITEM_KIND_RACK", "ITEM_KIND_CRAC", "distribution"]);
  expect(racks).toEqual(racks.toSorted());
  expect(new Set(racks).size).toBe(20);
});

test("edges join the nodes that are shown, and everything is counted although the lists are cut", async () => {
  const request = { source_ref: "feed:AMS1-B03-B" };
  const { nodes, edges } = await site.call("PowerBlastRadius", request);
  const cut = await site.call("PowerBlastRadius", { source_ref: "device:UPS-A1", max_items: 5 });

  expect(edges).toContainEqual({ from_ref: request.source_ref, to_ref: "device:PDU-B03-B", inlet: "main" });
  const shown = nodes.map(({ ref }: { ref: string }) => ref);
  const ends = edges.flatMap(({ from_ref, to_ref }: Record<string, string>) => [from_ref, to_ref]);
  expect(ends.filter((ref: string) => !shown.includes(ref))).toEqual([]);
  expect([cut.impact.devices_offline, cut.affected.length, cut.nodes.length, cut.truncated]).toEqual([66, 5, 5, true]);
});

test("the side that takes over is listed with its loads, the most utilized first", async () => {
  const { takeovers, omitted_takeovers } = await site.call("PowerBlastRadius", { source_ref: "device:RPP-A-D" });
  const cut = await site.call("PowerBlastRadius", { source_ref: "device:RPP-A-D", max_items: 1 });
  const other = takeovers.find(({ ref }: { ref: string }) => ref === "device:RPP-B-D");

  expect(other.utilization_pct).toBeCloseTo(109.4, 0);
  expect(other.load_after_w).toBeGreaterThan(other.load_before_w);
  const used = takeovers.map((one: { utilization_pct?: number }) => one.utilization_pct ?? -1);
  expect(used).toEqual(used.toSorted((a: number, b: number) => b - a));
  expect(omitted_takeovers).toBeUndefined();
  expect(cut.takeovers).toEqual(takeovers.slice(0, 1));
  expect(cut.omitted_takeovers).toBe(takeovers.length - 1);
});

test.each([
  ["port:PP-A01-1/none", "port:PP-A01-1/none"],
  ["cable:LEAF-A01-1/Ethernet49~PP-A01-1/F2", "cable:"],
  ["fabric_link:LEAF-A01-1/Ethernet1~SPINE-D09-1/Ethernet1", "fabric_link:"],
  ["fabric:FAB1", "expected"],
])(
  "%s is no source of a failure",
  async (ref, named) => {
    await expect(site.call("PowerBlastRadius", { source_ref: ref })).rejects.toMatchObject({
      message: expect.stringContaining(named),
    });
  },
  120_000,
);
