import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ams1 } from "../../../support/dc/ams1.ts";
import { fill } from "../../../support/dc/ams1_inventory.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";
import { eachTest } from "../../../support/each_test.ts";

const POWER = "READING_QUANTITY_POWER_W";
const location = { site_id: "S", floor_number: 1 };
const outlet = (name: string) => ({ name, kind: "PORT_KIND_POWER_OUT" });
const inlet = (name: string, source_ref: string, more: JsonObject = {}) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref, ...more },
});
const pdu = (side: string) => ({
  code: `PDU-${side}`,
  kind: "DEVICE_KIND_RACK_PDU",
  rack_code: "R",
  power: { capacity_w: 4000 },
  ports: [inlet("main", `feed:F${side}`), outlet("1"), outlet("2")],
});
const server = (index: number, position_u: number): JsonObject => ({
  code: `S${index}`,
  kind: "DEVICE_KIND_SERVER",
  rack_code: "R",
  position_u,
  face: "FACE_FRONT",
  u_height: 1,
  allocated_draw_w: 1000,
  ports: [inlet("a", `port:PDU-A/${index}`), inlet("b", `port:PDU-B/${index}`)],
});

/** Two servers of 1,000 W planned, each on both of two PDUs. */
async function twoServers(): Promise<TestService> {
  const site = await testService();
  await site.call("UpsertRack", { rack: { code: "R", location } });
  const items = [pdu("A"), pdu("B"), server(1, 1), server(2, 2)];
  const reply = await site.call("BulkUpsertDevices", { items, atomic: true });
  if (reply.committed !== true) throw new Error(JSON.stringify(reply.results));
  return site;
}

const report = ({ call }: TestService, watts: Readonly<Record<string, number>>) =>
  call("ReportReadings", {
    readings: Object.entries(watts).map(([element_ref, value]) => ({ element_ref, quantity: POWER, value })),
  });

/** What PDU B carries after PDU A failed, and what of the load is measured. */
async function afterLoss({ call }: TestService, more: JsonObject = {}) {
  const reply = await call("PowerBlastRadius", {
    source_ref: "device:PDU-A",
    load_basis: "LOAD_BASIS_MEASURED",
    ...more,
  });
  const { nodes, measured_load: load, takeovers } = reply;
  const b = takeovers.find((one: { ref: string }) => one.ref === "device:PDU-B");
  return { before: b?.load_before_w, after: b?.load_after_w, load, nodes };
}

const site = eachTest(twoServers);

describe("load_basis MEASURED", () => {
  test("says of an area's draw what is measured, and nothing without readings", async () => {
    const drawOf = async () => {
      const { areas } = await site.call("GetCapacity", { scope_ref: "rack:R", load_basis: "LOAD_BASIS_MEASURED" });
      return [areas[0].draw_kw, areas[0].measured_draw_kw];
    };

    expect(await drawOf()).toEqual([2, undefined]);
    await report(site, { "device:S1": 400 });
    expect(await drawOf()).toEqual([1.4, 0.4]);
  });

  test("a floor has what meters say of each rack until it is too old, and its warmest measured inlet", async () => {
    await site.call("UpsertRack", { rack: { code: "R", location, power_capacity_w: 4000, inlet_temp_c: 35 } });
    const rackOf = async (more: JsonObject) => {
      const { unplaced_racks } = await site.call("FloorPlan", { floor_ref: "floor:S/1", ...more });
      const [{ measured_w, inlet_temp_c, power_pct }] = unplaced_racks;
      return [measured_w, inlet_temp_c, power_pct];
    };
    const measured = { load_basis: "LOAD_BASIS_MEASURED" };

    expect(await rackOf({})).toEqual([undefined, 35, 50]);
    expect(await rackOf(measured)).toEqual([undefined, undefined, 50]);
    await report(site, { "device:S1": 400 });
    const inlets = { "rack:R": 22, "device:S2": 26.5 };
    const readings = Object.entries(inlets).map(([element_ref, value]) => ({
      element_ref,
      quantity: "READING_QUANTITY_INLET_C",
      value,
    }));
    await site.call("ReportReadings", { readings });

    // The server without a reading counts by its plan: 400 and 1,000 of 4,000 W.
    expect(await rackOf(measured)).toEqual([400, 26.5, 35]);
    expect(await rackOf({})).toEqual([undefined, 35, 50]);
    expect(await rackOf({ load_basis: "LOAD_BASIS_MEASURED_PEAK" })).toEqual([400, 26.5, 35]);
    site.clock.moveS(901);
    expect(await rackOf(measured)).toEqual([undefined, undefined, 50]);
    expect(await rackOf({ ...measured, max_age_s: 3600 })).toEqual([400, 26.5, 35]);
  });

  test("takes a device's own reading, and says how much of the load had one", async () => {
    expect(await afterLoss(site)).toMatchObject({ before: 1000, after: 2000, load: undefined });

    await report(site, { "device:S1": 400 });

    expect(await afterLoss(site)).toMatchObject({
      before: 700,
      after: 1400,
      load: { measured_w: 400, planned_w: 1000, measured_devices: 1, planned_devices: 1 },
    });
  });

  test("a reading wins over the recorded measurement until it is too old", async () => {
    await site.call("UpsertDevice", { device: { ...server(1, 1), measured_draw_w: 900 } });
    await report(site, { "device:S1": 400, "device:S2": 400 });

    expect(await afterLoss(site)).toMatchObject({ after: 800 });
    site.clock.moveS(899);
    expect(await afterLoss(site)).toMatchObject({ after: 800 });
    expect(await afterLoss(site, { max_age_s: 60 })).toMatchObject({ after: 1900 });
    site.clock.moveS(1);
    expect(await afterLoss(site)).toMatchObject({ after: 1900, load: { planned_w: 1900, planned_devices: 2 } });
    await expect(afterLoss(site, { max_age_s: 0 })).rejects.toMatchObject({ reason: "FIELD_OUT_OF_RANGE" });
  });

  test("takes the readings of all inlets of a device, and of the outlets that supply these", async () => {
    await report(site, { "port:S1/a": 300, "port:PDU-B/1": 100, "port:S2/a": 500 });

    // S2 has a reading at one of its two inlets, which says nothing of the other.
    expect(await afterLoss(site)).toMatchObject({ after: 1400, load: { measured_w: 400, planned_w: 1000 } });
  });

  test("divides what a supply's meter measures among the consumers without one", async () => {
    await report(site, { "device:S1": 400, "device:PDU-A": 500, "device:PDU-B": 200 });

    // Of PDU A's 500 W, 200 are S1's; 300 are S2's. Of PDU B's 200 W, S1 draws all.
    const { before, after, load } = await afterLoss(site);

    expect([before, after]).toEqual([200, 700]);
    expect(load).toMatchObject({ measured_w: 700, measured_devices: 2 });
  });

  test("names supplies whose meter differs from the meters below them", async () => {
    const inlets = { "port:S1/a": 500, "port:S1/b": 500, "port:S2/a": 500, "port:S2/b": 500 };
    await report(site, { ...inlets, "device:PDU-A": 850, "device:PDU-B": 1050 });

    const { load } = await afterLoss(site);

    expect(load.differences).toEqual([{ ref: "device:PDU-A", own_w: 850, below_w: 1000 }]);
  });

  test("names no supply that carries more or less than half of what devices with two inlets draw", async () => {
    await report(site, { "device:S1": 500, "device:S2": 500, "device:PDU-A": 950, "device:PDU-B": 50 });
    expect((await afterLoss(site)).load).not.toHaveProperty("differences");

    await report(site, { "device:PDU-A": 1200 });

    expect((await afterLoss(site)).load.differences).toEqual([{ ref: "device:PDU-A", own_w: 1200, below_w: 1000 }]);
  });
});

test("max_age_s is refused with loads that take no readings by their age", async () => {
  const { call } = await twoServers();
  const refusal = { reason: "FIELD_CONFLICT", message: expect.stringContaining('"max_age_s"') };

  for (const load_basis of ["LOAD_BASIS_UNSPECIFIED", "LOAD_BASIS_MAX", "LOAD_BASIS_MEASURED_PEAK"]) {
    await expect(call("RehearseFailures", { load_basis, max_age_s: 60 })).rejects.toMatchObject(refusal);
  }
  await expect(call("GetCapacity", { by: "AREA_KIND_ROW", max_age_s: 60 })).rejects.toMatchObject(refusal);
});

describe("load_basis MEASURED_PEAK", () => {
  test("takes the peak of 30 days, however old the reading is", async () => {
    await report(site, { "device:S1": 900, "device:S2": 500 });
    site.clock.moveS(3600);
    await report(site, { "device:S1": 100 });
    site.clock.moveS(3 * 24 * 3600);

    expect(await afterLoss(site, { load_basis: "LOAD_BASIS_MEASURED_PEAK" })).toMatchObject({ after: 1400 });
    expect(await afterLoss(site)).toMatchObject({ after: 2000 });
    site.clock.moveS(30 * 24 * 3600);
    expect(await afterLoss(site, { load_basis: "LOAD_BASIS_MEASURED_PEAK" })).toMatchObject({ after: 2000 });
  });
});

test("readings of all devices give the answers that the same figures written into the inventory give", async () => {
  const [read, written] = [await testService(), await testService()];
  const devices = ams1.devices.map((device, index) => {
    const planned = Number(device["allocated_draw_w"] ?? 0);
    return planned > 0 ? { ...device, measured_draw_w: Math.round(planned * (0.3 + (index % 7) / 10)) } : device;
  });
  await fill(read.store, ams1);
  await fill(written.store, { ...ams1, devices });
  const readings = devices.flatMap(({ code, measured_draw_w: value }: JsonObject) =>
    value === undefined ? [] : [{ element_ref: `device:${code}`, quantity: POWER, value }],
  );
  expect(await read.call("ReportReadings", { readings })).toEqual({ kept: readings.length });
  const load_basis = "LOAD_BASIS_MEASURED";
  const questions: readonly (readonly [string, JsonObject])[] = [
    ["PowerBlastRadius", { source_ref: "device:UPS-A2", cascade: true, load_basis }],
    ["ThermalHeadroom", { scope_ref: "floor:AMS1/1", load_basis }],
    ["GetCapacity", { by: "AREA_KIND_ROW", load_basis }],
    ["RehearseFailures", { load_basis, page_size: 200 }],
  ];

  for (const [rpc, question] of questions) {
    const { measured_load, revision: _, ...answer } = await read.call(rpc, question);
    const { measured_load: none, revision: __, ...expected } = await written.call(rpc, question);

    expect(measured_load.measured_devices).toBeGreaterThan(100);
    expect(none).toBeUndefined();
    // What of an area's draw is measured is not in what was written.
    const areas = answer.areas?.map(({ measured_draw_kw, ...area }: JsonObject) => {
      expect(measured_draw_kw).toBe(area["draw_kw"]);
      return area;
    });
    expect({ ...answer, ...(areas && { areas }) }).toEqual(expected);
  }
});

test("a reading changes no answer that takes none", async () => {
  const ask = () => Promise.all([site.call("GetRack", { code: "R" }), site.call("RehearseFailures", {})]);
  const before = await ask();

  await report(site, { "device:S1": 1, "device:PDU-A": 3999 });

  expect(await ask()).toEqual(before);
});
