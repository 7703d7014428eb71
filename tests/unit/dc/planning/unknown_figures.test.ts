import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { readAreaGauges } from "#cli/dc/serve/inventory_facts.ts";
import { createServiceBackend } from "#interfaces/dc_mcp/service_backend.ts";
import { createDcTools } from "#interfaces/dc_mcp/tool_set.ts";
import { type TestService, testService } from "../../../support/dc/service.ts";

/** Asks a tool of an agent, which leaves out what is 0. */
async function askTool(service: TestService["service"], name: string, args: JsonObject) {
  const tool = createDcTools(async () => createServiceBackend(service)).get(name);
  return JSON.parse(JSON.stringify((await tool?.call(args, new AbortController().signal))?.value));
}

const location = { site_id: "S", floor_number: 1, room: "H" };
const inlet = (name: string, source: string) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref: source },
});
const on = (...sources: readonly string[]) => ({ ports: sources.map((source, at) => inlet(`psu${at + 1}`, source)) });
const server = (fields: JsonObject = {}): JsonObject => ({ kind: "DEVICE_KIND_SERVER", ...fields });
const pdu = (code: string, more: JsonObject = {}): JsonObject => ({
  code,
  kind: "DEVICE_KIND_RACK_PDU",
  power: { capacity_w: 4000 },
  ports: [inlet("main", `feed:${code}`), { name: "1", kind: "PORT_KIND_POWER_OUT" }],
  ...more,
});
const FED = on("feed:A", "feed:B");
const SVG = { format: "RENDER_FORMAT_SVG" };
const NO_RENDER = { format: "RENDER_FORMAT_NONE" };
const LIQUID = { cooling_method: "COOLING_METHOD_LIQUID" };

interface Figures {
  /** Percent of the 4,000 W and of the 2,000 W of heat to air that the rack may take. */
  readonly power?: number;
  readonly cooling?: number;
  /** Heat in the list of racks, in watts. */
  readonly heat?: number;
  /** Power that is left, in kilowatts. */
  readonly free?: number;
  /** Numbers of devices of which no heat, and no heat to liquid, is recorded. */
  readonly without?: readonly [heat: number, liquid: number];
  /** Whether the rack is known not to be too warm. */
  readonly cool?: true;
}

/** Devices of a rack, and its figures; a figure that is not named is not recorded. */
const RACKS: readonly (readonly [string, readonly JsonObject[], Figures])[] = [
  ["a server of which nothing is recorded", [server()], { without: [1, 0] }],
  ["two, one of them cooled by liquid", [server(), server(LIQUID)], { without: [2, 1] }],
  ["a supply without a draw", [server(FED)], { without: [1, 0], free: 0 }],
  ["an inlet temperature without a draw", [server({ inlet_temp_c: 24 })], { without: [1, 0], cool: true }],
  ["heat of 0 W without a draw", [server({ heat_w: 0 })], { heat: 0, cooling: 0, cool: true }],
  [
    "one draw of two",
    [server({ allocated_draw_w: 500 }), server()],
    { power: 12.5, heat: 500, cooling: 25, without: [1, 0], cool: true },
  ],
  ["a draw of 0 W", [server({ allocated_draw_w: 0 })], { power: 0, heat: 0, cooling: 0, cool: true }],
  [
    "a draw on both feeds",
    [server({ allocated_draw_w: 500, ...FED })],
    { power: 12.5, heat: 500, cooling: 25, free: 0, cool: true },
  ],
  [
    "a draw to liquid",
    [server({ allocated_draw_w: 500, ...LIQUID })],
    { power: 12.5, heat: 500, cooling: 0, cool: true },
  ],
  ["a measured draw alone", [server({ measured_draw_w: 300 })], { power: 7.5, heat: 300, cooling: 15, cool: true }],
  ["nothing in it", [], { power: 0, heat: 0, cooling: 0, cool: true }],
  ["patch panels", [{ kind: "DEVICE_KIND_PATCH_PANEL" }], { power: 0, heat: 0, cooling: 0, cool: true }],
  ["planned devices", [server({ status: "DEVICE_STATUS_PLANNED" })], { power: 0, heat: 0, cooling: 0, cool: true }],
  ["a PDU without ports", [{ kind: "DEVICE_KIND_RACK_PDU" }], { power: 0, heat: 0, cooling: 0, free: 4, cool: true }],
  // Rack PDUs carry 80 % of 4,000 W for long; the rack takes 4,000 W on both.
  ["two PDUs", [pdu("A"), pdu("B")], { power: 0, heat: 0, cooling: 0, free: 4, cool: true }],
  [
    "a failed PDU",
    [pdu("A", { status: "DEVICE_STATUS_FAILED" })],
    { power: 0, heat: 0, cooling: 0, free: 0, cool: true },
  ],
];

describe("a sum of which nothing is recorded", () => {
  test.each(RACKS)("is not 0, and a recorded 0 is: %s", async (_, devices, wanted) => {
    const { call, service } = await testService();
    await call("UpsertRack", { rack: { code: "R", location, power_capacity_w: 4000, cooling_capacity_w: 2000 } });
    const items = devices.map((device, at) => ({ code: `D${at + 1}`, rack_code: "R", ...device }));
    if (items.length > 0) expect((await call("BulkUpsertDevices", { items, atomic: true })).committed).toBe(true);

    const { unplaced_racks } = await call("FloorPlan", { floor_ref: "floor:S/1", render: NO_RENDER });
    const told = await askTool(service, "floor_plan", { floor_ref: "floor:S/1" });
    const { capacity } = await call("GetRack", { code: "R" });
    const { racks, ...thermal } = await call("ThermalHeadroom", { scope_ref: "rack:R" });
    const { areas } = await call("GetCapacity", { scope_ref: "rack:R" });
    const { rows } = await call("ListInventory", { kind: "INVENTORY_KIND_RACK" });
    const rooms = await call("ListInventory", { kind: "INVENTORY_KIND_ROOM" });

    const [tile] = unplaced_racks;
    const { power_pct, cooling_pct, heat_w, draw_w } = rows[0].figures;
    const drawnW = wanted.power === undefined ? undefined : wanted.power * 40;
    expect([draw_w, rooms.rows[0].figures.draw_w]).toEqual([drawnW, drawnW]);
    expect([tile.power_pct, capacity.power_pct, power_pct]).toEqual(Array(3).fill(wanted.power));
    expect([tile.cooling_pct, racks[0].utilization_pct, cooling_pct]).toEqual(Array(3).fill(wanted.cooling));
    expect(heat_w).toBe(wanted.heat);
    const gauges = await readAreaGauges({ service, caller: { interface: "SYSTEM" } }, []);
    const watts = gauges.find(({ name }) => name.endsWith("power_planned_watts"))?.samples.map(({ value }) => value);
    expect(watts).toEqual(drawnW === undefined ? [] : Array(3).fill(drawnW));
    expect([areas[0].power.free_kw, areas[0].power.failover_free_kw]).toEqual(Array(2).fill(wanted.free));
    const [heat, liquid] = wanted.without ?? [0, 0];
    const counted = [tile, racks[0], thermal, told.unplaced_racks[0]].map((one) => one.devices_without_heat ?? 0);
    expect(counted).toEqual(Array(4).fill(heat));
    expect(thermal.devices_without_liquid_heat ?? 0).toBe(liquid);
    expect(racks[0].health).toBe(wanted.cool === true ? "HEALTH_OK" : undefined);
  });

  const SUPPLIES: readonly (readonly [string, readonly JsonObject[], number | undefined, number])[] = [
    ["a server without a draw", [server(on("device:A"))], undefined, 1],
    ["one draw of two", [server({ allocated_draw_w: 400, ...on("device:A") }), server(on("device:A"))], 10, 1],
    ["a draw of 0 W", [server({ allocated_draw_w: 0, ...on("device:A") })], 0, 0],
    ["nothing", [], 0, 0],
    ["a draw elsewhere", [server({ allocated_draw_w: 400, ...on("device:B") })], 0, 0],
  ];

  test.each(SUPPLIES)("is no load of a supply of: %s", async (_, devices, wanted, without) => {
    const { call, service } = await testService();
    await call("UpsertRack", { rack: { code: "R", location } });
    const placed = { rack_code: "", location, placement: { x_mm: 0, y_mm: 0, width_mm: 600, depth_mm: 600 } };
    const items = [pdu("A", placed), pdu("B"), ...devices.map((device, at) => ({ code: `D${at}`, ...device }))];
    const inRack = items.map((item) => ({ rack_code: "R", ...item }));
    expect(await call("BulkUpsertDevices", { items: inRack, atomic: true })).toMatchObject({ committed: true });

    const { rows } = await call("ListInventory", { kind: "INVENTORY_KIND_SUPPLY", query: "A" });
    const device = await call("GetDevice", { code: "A" });
    const told = await askTool(service, "get_device", { code: "A" });
    const plan = await call("FloorPlan", { floor_ref: "floor:S/1", render: NO_RENDER });
    const { power } = await call("GetPort", { port_ref: "port:A/main" });

    const { figures } = rows.find(({ ref }: JsonObject) => ref === "device:A");
    expect([figures.load_pct, device.power_pct, plan.devices[0].power_pct]).toEqual(Array(3).fill(wanted));
    expect(figures.load_w).toBe(wanted === undefined ? undefined : wanted * 40);
    const counted = [figures, device, power, told].map((one) => one.consumers_without_draw ?? 0);
    expect(counted).toEqual(Array(4).fill(without));
  });

  const UNITS: readonly (readonly [string, readonly JsonObject[], number | undefined, number])[] = [
    ["a server without a draw", [server()], undefined, 1],
    ["one draw of two", [server({ allocated_draw_w: 5000 }), server()], 10, 1],
    ["a draw of 0 W", [server({ allocated_draw_w: 0 })], 0, 0],
    ["nothing", [], 0, 0],
    ["an unknown draw that liquid cools", [server(LIQUID)], 0, 0],
    ["a draw that it cools", [server({ allocated_draw_w: 5000 })], 10, 0],
  ];

  test.each(UNITS)("is no load of a cooling unit of 50 kW of: %s", async (_, devices, wanted, without) => {
    const { call } = await testService();
    await call("UpsertRack", { rack: { code: "R", location } });
    const placement = { x_mm: 0, y_mm: 0, width_mm: 600, depth_mm: 600 };
    const crac = { code: "C", kind: "CRAC_KIND_CRAH", location, placement, sensible_capacity_kw: 50 };
    await call("UpsertCrac", { crac });
    const items = devices.map((device, at) => ({ code: `D${at}`, rack_code: "R", ...device }));
    if (items.length > 0) await call("BulkUpsertDevices", { items, atomic: true });

    const { cracs, render } = await call("ThermalHeadroom", { scope_ref: "room:S/1/H", render: SVG });
    const plan = await call("FloorPlan", { floor_ref: "floor:S/1", render: SVG });
    const { rows } = await call("ListInventory", { kind: "INVENTORY_KIND_CRAC" });

    const { areas } = await call("GetCapacity", { scope_ref: "room:S/1/H" });
    expect(areas[0].air.heat_not_recorded ?? false).toBe(wanted === undefined);
    const { load_kw, load_pct } = rows[0].figures;
    expect([load_kw, load_pct]).toEqual([wanted === undefined ? undefined : wanted / 2, wanted]);
    expect([cracs, plan.cracs].map(([unit]) => unit.devices_without_heat ?? 0)).toEqual([without, without]);
    expect(render.text.includes("C load not recorded")).toBe(wanted === undefined);
    expect(plan.render.text.includes("Load: not recorded")).toBe(wanted === undefined);
  });
});
