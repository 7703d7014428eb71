import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
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
  test("tell of a panel and a breaker above their continuous share", async () => {
    const { call } = await site();

    const panel = await call("BulkUpsertDevices", { items: even(540) });
    const breaker = await (await site()).call("UpsertDevice", { device: server("S", 600, "A1") });

    expect(told(panel.results[0])).toContainEqual(["SOURCE_NEAR_LIMIT", "device:P-A", "810 W"]);
    expect(told(breaker)).toContainEqual(["SOURCE_NEAR_LIMIT", "port:P-A/1", "600 VA"]);
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

    expect(told(reply)).toContainEqual(["SOURCE_NEAR_LIMIT", "port:P-A/1", "600 VA"]);
  });
});
