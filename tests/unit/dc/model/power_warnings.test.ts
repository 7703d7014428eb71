import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { type PowerGraph, powerGraph } from "#dc/analysis/power_graph.ts";
import { liveSet } from "#dc/analysis/power_live.ts";
import { loads, ownDrawW } from "#dc/analysis/power_load.ts";
import { DemandWalk } from "#dc/model/power_demand.ts";
import { ams1Store } from "../../../support/dc/ams1_estate.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

const location = { site_id: "S", floor_number: 1 };
const inlet = (source_ref: string): JsonObject => ({
  name: `in-${source_ref}`,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref },
});

/** Two panels of 1,000 W, each with a breaker of 690 W on phase A and outlets on phases B and C. */
async function site(): Promise<TestService> {
  const service = await testService();
  const outlet = (name: string, power_out: JsonObject): JsonObject => ({
    name,
    kind: "PORT_KIND_POWER_OUT",
    power_out,
  });
  const panel = (side: string): JsonObject => ({
    code: `P-${side}`,
    kind: "DEVICE_KIND_RPP",
    location,
    power: { capacity_w: 1000 },
    ports: [
      inlet("feed:MAINS"),
      outlet("1", { feed_id: `${side}1`, voltage_v: 230, amperage_a: 3, leg: "PHASE_LEG_A" }),
      outlet("2", { feed_id: `${side}2`, leg: "PHASE_LEG_B" }),
      outlet("3", { feed_id: `${side}3`, leg: "PHASE_LEG_C" }),
    ],
  });
  await service.call("BulkUpsertDevices", { items: [panel("A"), panel("B")] });
  return service;
}

const server = (code: string, draw: number, ...feeds: string[]): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  location,
  allocated_draw_w: draw,
  ports: feeds.map((feed) => inlet(`feed:${feed}`)),
});

const LOADS = ["SOURCE_NEAR_LIMIT", "FAILOVER_OVERLOAD", "PHASE_IMBALANCE"];
const told = ({ warnings = [] }: { readonly warnings?: readonly JsonObject[] }) =>
  warnings.filter(({ code }) => LOADS.includes(String(code))).map(({ code, ref, value }) => [code, ref, value]);

/** One server on each phase of both sides, so that the phases stay even. */
const even = (draw: number) => ["1", "2", "3"].map((phase) => server(`S${phase}`, draw, `A${phase}`, `B${phase}`));

describe("PowerWarnings", () => {
  test("are silent below the limits", async () => {
    const { call } = await site();

    const { results } = await call("BulkUpsertDevices", { items: even(300) });

    expect(results.flatMap(told)).toEqual([]);
  });

  test("tell of a panel that could not carry everything alone", async () => {
    const { call } = await site();

    const { results } = await call("BulkUpsertDevices", { items: even(400) });

    expect(told(results[0])).toEqual([
      ["FAILOVER_OVERLOAD", "device:P-A", "1200 W"],
      ["FAILOVER_OVERLOAD", "device:P-B", "1200 W"],
    ]);
  });

  test("tell of a panel and a breaker above their continuous share", async () => {
    const { call } = await site();

    const panel = await call("BulkUpsertDevices", { items: even(540) });
    const breaker = await (await site()).call("UpsertDevice", { device: server("S", 600, "A1") });

    expect(told(panel.results[0])).toContainEqual(["SOURCE_NEAR_LIMIT", "device:P-A", "810 W"]);
    expect(told(breaker)).toContainEqual(["SOURCE_NEAR_LIMIT", "port:P-A/1", "600 W"]);
  });

  test("tell of phases that are loaded unevenly", async () => {
    const { call } = await site();

    const reply = await call("UpsertDevice", { device: server("S", 90, "A1") });

    expect(told(reply)).toEqual([["PHASE_IMBALANCE", "device:P-A", "90, 0 and 0 W"]]);
  });

  test("tell of what a power cable adds", async () => {
    const { call } = await site();
    const open = { ...server("S", 600), ports: [{ name: "psu", kind: "PORT_KIND_POWER_IN" }] };
    await call("UpsertDevice", { device: open });

    const ends = { a: { device_code: "P-A", port_name: "1" }, b: { device_code: "S", port_name: "psu" } };
    const reply = await call("UpsertCable", { cable: ends });

    expect(told(reply)).toContainEqual(["SOURCE_NEAR_LIMIT", "port:P-A/1", "600 W"]);
  });
});

/** The draws of all distinct consumers downstream of a node. */
function everythingW(graph: PowerGraph, start: number): number {
  const seen = new Set([start]);
  for (const index of seen) for (const { to } of graph.supplies[index] ?? []) seen.add(to);
  return [...seen].reduce((sum, index) => sum + ownDrawW(graph, index, "ALLOCATED"), 0);
}

describe("DemandWalk", () => {
  test("adds up on the sample what the whole power graph finds", async () => {
    const store = await ams1Store();
    const estate = await store.read((reader) => reader.estate());
    const graph = powerGraph(estate);
    const carried = loads(graph, liveSet(graph), "ALLOCATED").watts;

    for (const code of ["RPP-A-D", "PDU-A08-A", "UPS-A2", "PDU-D09-A"]) {
      const device = estate.devices.find((one) => one.code === code);
      if (device === undefined) throw new Error(`The sample has no ${code}`);
      const index = graph.indexOf.get(`device:${code.toLowerCase()}`) ?? -1;

      const demand = await store.read((reader) => new DemandWalk(reader, 10_000).of(device));

      expect(demand?.normalW).toBeCloseTo(carried[index] ?? 0, 6);
      expect(demand?.failoverW).toBeCloseTo(everythingW(graph, index), 6);
    }
  }, 60_000);

  test("gives up where more hangs on a supply than it may look at", async () => {
    const store = await ams1Store();

    const demand = await store.read(async (reader) => {
      const ups = await reader.device("UPS-A2");
      return ups && new DemandWalk(reader, 50).of(ups);
    });

    expect(demand).toBeUndefined();
  }, 60_000);
});
