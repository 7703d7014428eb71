import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { openService } from "#dc/service.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";
import { eachTest } from "../../../support/each_test.ts";

const location = { site_id: "S", floor_number: 1, room: "DH1" };
const inlet = (name: string, source_ref: string) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref },
});
const outlet = (name: string, power_out: JsonObject = {}) => ({ name, kind: "PORT_KIND_POWER_OUT", power_out });
const breaker = (feed_id: string) => outlet(feed_id, { feed_id, phase: "PHASE_THREE", voltage_v: 400, amperage_a: 32 });
const pdu = (side: string): JsonObject => ({
  code: `PDU-${side}`,
  kind: "DEVICE_KIND_RACK_PDU",
  rack_code: "R1",
  ports: [inlet("main", `feed:F${side}`), outlet("1"), outlet("2")],
});
const server = (index: number): JsonObject => ({
  code: `S${index}`,
  kind: "DEVICE_KIND_SERVER",
  rack_code: "R1",
  position_u: index,
  face: "FACE_FRONT",
  u_height: 1,
  allocated_draw_w: 400,
  thermal_class: "THERMAL_CLASS_A1",
  ports: [inlet("a", `port:PDU-A/${index}`), inlet("b", `port:PDU-B/${index}`)],
});

/** Two servers on two PDUs, a UPS, a chassis with a blade and a cooling unit. */
async function site(): Promise<TestService> {
  const made = await testService();
  const { call } = made;
  await call("UpsertRack", { rack: { code: "R1", location } });
  await call("UpsertRack", { rack: { code: "R2", location: { ...location, room: "DH2" } } });
  const items: readonly JsonObject[] = [
    { code: "UPS-1", kind: "DEVICE_KIND_UPS", location, power: { capacity_w: 10_000, runtime_s: 600 } },
    { code: "RPP", kind: "DEVICE_KIND_RPP", location, ports: [breaker("FA"), breaker("FB")] },
    pdu("A"),
    pdu("B"),
    server(1),
    server(2),
    {
      code: "CH",
      kind: "DEVICE_KIND_CHASSIS",
      rack_code: "R2",
      position_u: 1,
      face: "FACE_FRONT",
      u_height: 8,
      allocated_draw_w: 500,
    },
    { code: "BL", kind: "DEVICE_KIND_BLADE", parent_device_code: "CH", bay: "1", allocated_draw_w: 300 },
  ];
  const reply = await call("BulkUpsertDevices", { items: [...items], atomic: true });
  if (reply.committed !== true) throw new Error(JSON.stringify(reply.results).slice(0, 800));
  const unit = { code: "C1", kind: "CRAC_KIND_CRAH", location, sensible_capacity_kw: 60, allocated_draw_w: 4000 };
  await call("UpsertCrac", { crac: unit });
  return made;
}

type Values = Readonly<Record<string, number>>;

/** Reports values by "<reference> <quantity>", of power without one. */
async function report({ call, service }: TestService, values: Values, source = "probe"): Promise<void> {
  const readings = Object.entries(values).map(([name, value]) => {
    const [element_ref = "", quantity = "POWER_W"] = name.split(" ");
    return { element_ref, quantity: `READING_QUANTITY_${quantity}`, value };
  });
  const { failures } = await call("ReportReadings", { readings, source });
  if (failures !== undefined) throw new Error(JSON.stringify(failures));
  await service.updateFindingStarts();
}

async function reportFor(made: TestService, minutes: number, values: Values): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 15) {
    made.clock.moveS(15 * 60);
    await report(made, values);
  }
}

async function findings({ call }: TestService, request: JsonObject = {}) {
  const { findings: found = [] } = await call("ListFindings", request);
  return found;
}

/** Kind, element and figures of each finding. */
async function short(made: TestService, request: JsonObject = {}) {
  return (await findings(made, request)).map((one: JsonObject) => [
    String(one["kind"]).slice("FINDING_KIND_".length),
    one["element_ref"],
    one["figures"],
  ]);
}

const made = eachTest(site);

describe("a dead supply", () => {
  const dead = { "port:S1/a": 0, "port:S1/b": 300 };

  test("is found after an hour, with since when", async () => {
    await report(made, dead);
    const since = made.clock.now().toISOString().replace(".000", "");

    await reportFor(made, 45, dead);
    expect(await findings(made)).toEqual([]);
    await reportFor(made, 15, dead);

    expect(await findings(made)).toEqual([
      {
        kind: "FINDING_KIND_DEAD_SUPPLY",
        severity: "HEALTH_FAULT",
        element_ref: "port:S1/a",
        since,
        figures: { devices: 1, carried_w: 300 },
        summary: "S1/a carries nothing: other supplies carry 300 W of S1",
        related_refs: ["device:S1"],
        location,
        rack_code: "R1",
      },
    ]);
  });

  test("counts from its last interruption", async () => {
    await reportFor(made, 60, dead);
    await reportFor(made, 15, { "port:S1/a": 150, "port:S1/b": 150 });
    await reportFor(made, 60, dead);
    expect(await short(made)).toEqual([]);
    await reportFor(made, 15, dead);
    expect(await short(made)).toHaveLength(1);
  });

  test("is the highest one whose meter shows nothing", async () => {
    const all = { "port:S1/a": 0, "device:S1": 300, "port:S2/b": 250, "device:PDU-A": 0, "feed:FA STATE": 2 };

    await reportFor(made, 75, all);

    expect(await short(made)).toEqual([["DEAD_SUPPLY", "feed:FA", { devices: 2, carried_w: 550 }]]);
  });

  test("is no device that is off, no supply of one device alone, and none above which something is carried", async () => {
    await reportFor(made, 75, { "port:S1/a": 0, "port:S1/b": 0, "device:S1": 0 });
    await reportFor(made, 75, { "device:PDU-A": 0, "port:PDU-A/1": 120, "port:S1/b": 120 });

    expect(await short(made, { kinds: ["FINDING_KIND_DEAD_SUPPLY"] })).toEqual([]);
  });
});

describe("ListFindings", () => {
  test("finds draws above what is planned, of a chassis with its blades", async () => {
    await report(made, { "device:S1": 400, "port:S2/a": 201, "port:S2/b": 200, "device:CH": 800, "crac:C1": 4001 });

    expect((await short(made)).toSorted()).toEqual([
      ["ABOVE_PLAN", "crac:C1", { measured_w: 4001, planned_w: 4000 }],
      ["ABOVE_PLAN", "device:S2", { measured_w: 401, planned_w: 400 }],
    ]);
    await report(made, { "device:CH": 801 });
    expect(await short(made)).toContainEqual(["ABOVE_PLAN", "device:CH", { measured_w: 801, planned_w: 800 }]);
  });

  test("finds supplies above their limit by power and by current, the worst reading of each", async () => {
    await report(made, {
      "feed:FA": 17_000,
      "feed:FA CURRENT_L1_A": 33,
      "port:RPP/FB CURRENT_A": 25.6,
      "device:UPS-1": 8001,
    });

    expect(await short(made)).toEqual([
      ["ABOVE_LIMIT", "feed:FA", { measured_a: 33, limit_a: 25.6, rating_a: 32, used_pct: 103.125 }],
      ["ABOVE_LIMIT", "device:UPS-1", { measured_w: 8001, limit_w: 8000, rating_w: 10_000, used_pct: 80.01 }],
    ]);
    expect(await short(made, { min_severity: "HEALTH_FAULT" })).toHaveLength(1);
  });

  test("finds phases that differ by more than a fifth of their mean", async () => {
    const phases = (ref: string, values: readonly number[]) =>
      Object.fromEntries(values.map((value, at) => [`${ref} CURRENT_L${at + 1}_A`, value]));
    await report(made, {
      ...phases("feed:FA", [10, 10, 12.3]),
      ...phases("device:PDU-B", [10, 10, 12]),
      ...phases("device:PDU-A", [0.1, 0.2, 0.9]),
      "feed:FB CURRENT_L1_A": 1,
      "feed:FB CURRENT_L2_A": 9,
    });

    const found = await findings(made);

    expect(found).toMatchObject([
      {
        element_ref: "feed:FA",
        figures: { l1_a: 10, l2_a: 10, l3_a: 12.3 },
        summary: expect.stringContaining("21.4 %"),
      },
    ]);
  });

  test("finds inlets warmer than the class allows, and batteries below their recorded time", async () => {
    await report(made, {
      "device:S1 INLET_C": 32.1,
      "device:S2 INLET_C": 32,
      "rack:R1 INLET_C": 35,
      "rack:R2 INLET_C": 35.5,
      "device:UPS-1 BATTERY_MIN": 9.5,
    });

    expect((await short(made)).toSorted()).toEqual([
      ["BATTERY_BELOW_RUNTIME", "device:UPS-1", { measured_min: 9.5, recorded_min: 10 }],
      ["INLET_ABOVE_ALLOWABLE", "device:S1", { measured_c: 32.1, limit_c: 32 }],
      ["INLET_ABOVE_ALLOWABLE", "rack:R2", { measured_c: 35.5, limit_c: 35 }],
    ]);
  });

  test("finds meters that differ from those below them", async () => {
    await report(made, { "device:S1": 390, "device:S2": 390, "device:PDU-A": 350, "device:PDU-B": 430 });
    expect(await short(made)).toEqual([]);
    await report(made, { "port:PDU-A/1": 200, "port:PDU-A/2": 200, "device:PDU-A": 520 });

    expect(await short(made)).toEqual([["METERS_DIFFER", "device:PDU-A", { own_w: 520, below_w: 400 }]]);
  });

  test("finds readings that stopped for twice their usual time, by device", async () => {
    const hourly = { "rack:R2 INLET_C": 20 };
    for (let hour = 0; hour < 3; hour += 1) {
      await report(made, hourly);
      await reportFor(made, 60, { "port:S1/a": 100, "port:S1/b": 100, "device:S2": 50 });
    }
    const since = made.clock.now().toISOString().replace(".000", "");
    await reportFor(made, 30, { "device:S2": 50 });

    expect(await findings(made)).toMatchObject([
      {
        kind: "FINDING_KIND_READING_STOPPED",
        element_ref: "device:S1",
        since,
        figures: { readings: 2 },
        related_refs: ["port:S1/a", "port:S1/b"],
        quantities: ["READING_QUANTITY_POWER_W"],
        source: "probe",
        summary: "POWER_W of S1 from probe stopped",
      },
    ]);
    await reportFor(made, 30, { "device:S2": 50 });
    expect((await short(made)).map(([, ref]: readonly string[]) => ref)).toEqual(["device:S1", "rack:R2"]);
  });

  test("names a source once all readings of many devices stopped", async () => {
    const many = Array.from({ length: 60 }, (_, at) => `Z${at}`);
    const items = many.map((code) => ({ code, kind: "DEVICE_KIND_SERVER", location, allocated_draw_w: 9 }));
    await made.call("BulkUpsertDevices", { items, atomic: true });
    await report(made, Object.fromEntries(many.map((code) => [`device:${code}`, 5])), "snmp");
    await report(made, { "device:S1": 5 });
    await reportFor(made, 30, { "device:S1": 5 });

    const found = await findings(made);

    expect(found).toMatchObject([{ source: "snmp", figures: { readings: 60 } }]);
    expect(found[0]).not.toHaveProperty("element_ref");
    expect(found[0].summary).toBe("All 60 readings of snmp stopped");
  });

  test("filters by place and kind, and pages join to the whole", async () => {
    await report(made, { "device:S1": 500, "device:S2": 500, "device:CH": 900, "rack:R1 INLET_C": 40 });

    expect((await short(made, { scope_ref: "room:S/1/DH2" })).map(([, ref]: string[]) => ref)).toEqual(["device:CH"]);
    expect(await short(made, { scope_ref: "rack:R1" })).toHaveLength(3);
    expect(await short(made, { scope_ref: "rack:R1", kinds: ["FINDING_KIND_ABOVE_PLAN"] })).toHaveLength(2);
    await expect(short(made, { scope_ref: "rack:GONE" })).rejects.toMatchObject({ reason: "NOT_FOUND" });
    const first = await made.call("ListFindings", { page_size: 3 });
    const second = await made.call("ListFindings", { page_size: 3, page_token: first.next_page_token });
    expect([...first.findings, ...second.findings]).toEqual(await findings(made));
    expect(first).toMatchObject({ total_count: 4, fault_count: 1, watch_count: 3 });
  });

  test("keeps since when over a restart, and forgets what ended", async () => {
    await report(made, { "device:S1": 500 });
    const since = made.clock.now().toISOString().replace(".000", "");
    await reportFor(made, 45, { "device:S1": 501 });
    const again = await openService(made.store, { clock: made.clock, authRequired: false });
    await again.updateFindingStarts();

    expect(await findings(made)).toMatchObject([{ since }]);
    await reportFor(made, 15, { "device:S1": 400 });
    const kept = () => made.store.read((reader) => reader.documents("reading_finding", "", 9));
    expect(await kept()).toEqual([]);
    await reportFor(made, 15, { "device:S1": 500 });
    expect(await findings(made)).toMatchObject([{ since: made.clock.now().toISOString().replace(".000", "") }]);
  });

  test("changes neither the inventory's revision nor its log", async () => {
    const state = () => made.store.read(async (reader) => [await reader.revision(), await reader.chainHead()]);
    const before = await state();

    await report(made, { "device:S1": 500 });

    expect(await state()).toEqual(before);
  });
});

test("RehearseFailures lists findings of its scope with measured loads, and none otherwise", async () => {
  await report(made, { "device:S1": 500, "device:CH": 900 });
  const rehearse = (more: JsonObject) => made.call("RehearseFailures", more);

  const measured = await rehearse({ load_basis: "LOAD_BASIS_MEASURED", max_elements: 1 });
  const inScope = await rehearse({ load_basis: "LOAD_BASIS_MEASURED_PEAK", scope_ref: "room:S/1/DH1" });

  expect(measured).toMatchObject({ findings: [{ kind: "FINDING_KIND_ABOVE_PLAN" }], omitted_findings: 1 });
  expect(inScope.findings).toMatchObject([{ element_ref: "device:S1" }]);
  expect(await rehearse({})).not.toHaveProperty("findings");
});
