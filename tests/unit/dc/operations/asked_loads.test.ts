import { beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "../../../support/dc/ams1.ts";
import { storeOf } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

// What may be asked about loads: of ports and phases, of batteries, and whose devices a failure reaches. The law of
// tests/laws/dc/port_loads.test.ts compares the figures with a slow model.

let site: TestService;

beforeAll(async () => {
  site = await testService({ store: await storeOf(ams1) });
});

const LOCATION = { site_id: "S", floor_number: 1 };
const port = async (service: TestService, port_ref: string) => (await service.call("GetPort", { port_ref })).power;

/** A UPS, and a panel with a three-phase breaker to a PDU whose servers are on phases A and C. */
async function phasedSite(): Promise<TestService> {
  const service = await testService();
  const write = (device: JsonObject) => service.call("UpsertDevice", { device: { location: LOCATION, ...device } });
  const inlet = (source_ref: string) => ({ name: "in", kind: "PORT_KIND_POWER_IN", power_in: { source_ref } });
  const outlet = (name: string, power_out: JsonObject) => ({ name, kind: "PORT_KIND_POWER_OUT", power_out });
  await write({ code: "U", kind: "DEVICE_KIND_UPS", power: { capacity_w: 6000, runtime_s: 600 } });
  const breaker = { feed_id: "F", phase: "PHASE_THREE", voltage_v: 400, amperage_a: 16 };
  await write({ code: "P", kind: "DEVICE_KIND_RPP", ports: [inlet("device:U"), outlet("CB1", breaker)] });
  const legs = ["A", "C"].map((leg) => outlet(`o${leg}`, { leg: `PHASE_LEG_${leg}`, voltage_v: 230, amperage_a: 16 }));
  await write({ code: "D", kind: "DEVICE_KIND_RACK_PDU", ports: [inlet("feed:F"), ...legs] });
  const server = (code: string, leg: string, allocated_draw_w: number) =>
    write({ code, kind: "DEVICE_KIND_SERVER", allocated_draw_w, ports: [inlet(`port:D/o${leg}`)] });
  await server("S1", "A", 1000);
  await server("S2", "C", 400);
  return service;
}

describe("GetPort", () => {
  test("answers what an outlet and an inlet carry as the list of supplies and GetDevice do", async () => {
    const { rows } = await site.call("ListInventory", { kind: "INVENTORY_KIND_SUPPLY", page_size: 1000 });
    const feed = rows.find(({ name }: { name: string }) => name === "AMS1-D03-A");
    const breaker = await port(site, `port:${feed.texts.source}`);
    const inlet = await port(site, "port:SRV-B03-06/psu1");

    expect([breaker.load_w, breaker.load_pct, breaker.failover_va, breaker.failover_pct, breaker.failover_ref]).toEqual(
      [
        feed.figures.load_w,
        feed.figures.load_pct,
        feed.figures.failover_w,
        feed.figures.failover_pct,
        feed.texts.failover_ref,
      ],
    );
    expect([breaker.limit_pct, breaker.health]).toEqual([80, "HEALTH_OK"]);
    expect(breaker.phases.map(({ load_va }: { load_va: number }) => load_va)).toEqual([
      feed.figures.phase_a_va,
      feed.figures.phase_b_va,
      feed.figures.phase_c_va,
    ]);
    expect([inlet.live, inlet.load_w, inlet.failover_va, inlet.capacity_va]).toEqual([true, 190, 380, undefined]);
    expect((await site.call("GetPort", { port_ref: "port:LEAF-A01-1/Ethernet1" })).power).toBeUndefined();
  });

  test("names the busiest phase of a breaker and of the inlet behind it", async () => {
    const service = await phasedSite();
    const [breaker, inlet] = [await port(service, "port:P/CB1"), await port(service, "port:D/in")];
    const loads = ({ phases }: { readonly phases: readonly { readonly load_va?: number }[] }) =>
      phases.map(({ load_va = 0 }) => load_va);

    expect([loads(breaker), breaker.worst_leg, breaker.load_va]).toEqual([[1000, 0, 400], "PHASE_LEG_A", 3000]);
    expect([loads(inlet), inlet.worst_leg, inlet.load_va]).toEqual([[1000, 0, 400], "PHASE_LEG_A", 3000]);
    expect(breaker.phases[0].load_pct).toBe(27.064);
    expect([breaker.load_pct, breaker.capacity_va]).toEqual([27.064, 11085]);
  });

  test("leaves the load of an inlet without a recorded source open", async () => {
    const service = await testService();
    const inlet = { name: "in", kind: "PORT_KIND_POWER_IN" };
    const device = { code: "S", kind: "DEVICE_KIND_SERVER", location: LOCATION, allocated_draw_w: 100, ports: [inlet] };
    await service.call("UpsertDevice", { device });

    expect(await port(service, "port:S/in")).toBeUndefined();
  });
});

test("the list of supplies has outlets with a rating, their phases and the minutes of batteries", async () => {
  const service = await phasedSite();
  const { rows } = await service.call("ListInventory", { kind: "INVENTORY_KIND_SUPPLY" });
  const row = (name: string) => rows.find((one: { name: string }) => one.name === name);

  expect(row("F")).toMatchObject({
    texts: { worst_leg: "A" },
    figures: { phase_a_va: 1000, phase_c_va: 400 },
  });
  expect(row("D/oA")).toMatchObject({
    texts: { kind: "OUTLET", source: "D/oA" },
    figures: { load_w: 1000, load_pct: 27.174 },
  });
  expect(row("U").figures).toMatchObject({ load_w: 1400, battery_min: 42.857 });
  expect(await service.call("GetDevice", { code: "U" })).toMatchObject({ battery_min: 42.857 });
});

test("a failure counts the racks and devices of each tenant, in a blast radius and in a rehearsal alike", async () => {
  const service = await testService();
  const location = { ...LOCATION, room: "R" };
  const device = (code: string, rest: JsonObject) =>
    service.call("UpsertDevice", { device: { code, kind: "DEVICE_KIND_SERVER", allocated_draw_w: 100, ...rest } });
  const inlet = (source_ref: string) => ({
    name: `in-${source_ref.at(-1)}`,
    kind: "PORT_KIND_POWER_IN",
    power_in: { source_ref },
  });
  for (const code of ["A", "B"]) await device(`U${code}`, { kind: "DEVICE_KIND_UPS", location, allocated_draw_w: 0 });
  for (const [code, tenant] of [
    ["R1", "acme"],
    ["R2", ""],
  ] as const) {
    await service.call("UpsertRack", { rack: { code, location, tenant } });
  }
  const [one, both] = [[inlet("device:UA")], [inlet("device:UA"), inlet("device:UB")]];
  await device("S1", { rack_code: "R1", ports: one });
  await device("S2", { rack_code: "R1", ports: both, tenant: "other" });
  await device("S3", { rack_code: "R2", ports: one, tenant: "acme" });
  await device("S4", { rack_code: "R2", ports: one });
  const { tenants } = await service.call("PowerBlastRadius", { source_ref: "device:UA" });

  expect(tenants).toEqual([
    { tenant: "acme", racks_partial: 1, it_devices_offline: 2, it_load_lost_w: 200 },
    { tenant: "other", it_devices_degraded: 1 },
  ]);
  const { causes } = await service.call("RehearseFailures", { kinds: ["FAILURE_KIND_POWER"] });
  expect(causes[0].elements[0].refs).toEqual(["device:UA"]);
  expect(causes[0].tenants).toEqual(tenants);
  const short = await service.call("RehearseFailures", { kinds: ["FAILURE_KIND_POWER"], max_elements: 1 });
  expect([short.causes[0].tenants.length, short.causes[0].omitted_tenants]).toEqual([1, 1]);
});
