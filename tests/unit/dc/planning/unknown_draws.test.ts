import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { type TestService, testService } from "../../../support/dc/service.ts";

const location = { site_id: "S", floor_number: 1, room: "H" };
const ENDS_AT = "2026-01-02T05:04:05Z";
const outlets = ["1", "2"].map((name) => ({ name, kind: "PORT_KIND_POWER_OUT" }));
const inlet = (name: string, source_ref: string, draws: JsonObject = {}) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  power_in: { source_ref, ...draws },
});
const pdu = (side: string): JsonObject => ({
  code: `PDU-${side}`,
  kind: "DEVICE_KIND_RACK_PDU",
  rack_code: "R",
  power: { capacity_w: 4000 },
  ports: [inlet("main", `feed:F${side}`), ...outlets],
});

/** Inlets of a server: on PDU A, on B, or on both. */
const on = (sides: string, draws: JsonObject = {}) =>
  [...sides].map((side, at) => inlet(side, `device:PDU-${side}`, at === 0 ? draws : {}));

/** A room of two PDUs, a server of 500 W on both, a second server with the given fields, and two cooling units. */
async function siteWith(fields: JsonObject): Promise<TestService> {
  const site = await testService();
  const { call } = site;
  const known = { code: "S1", kind: "DEVICE_KIND_SERVER", rack_code: "R", allocated_draw_w: 500, ports: on("AB") };
  const other = { code: "S2", kind: "DEVICE_KIND_SERVER", rack_code: "R", ...fields };
  await call("UpsertRack", { rack: { code: "R", location } });
  const items = [pdu("A"), pdu("B"), pdu("C"), known, other];
  const reply = await call("BulkUpsertDevices", { items, atomic: true });
  if (reply.committed !== true) throw new Error(JSON.stringify(reply.results));
  for (const code of ["C1", "C2"]) {
    const crac = { code, kind: "CRAC_KIND_CRAH", location, sensible_capacity_kw: 50, allocated_draw_w: 100 };
    await call("UpsertCrac", { crac });
  }
  return site;
}

/** Fields of the second server, elements of the window, and whether its unrecorded draw decides the verdict. */
const WINDOWS: readonly (readonly [string, JsonObject, string, boolean])[] = [
  ["moves to the other side", { ports: on("AB") }, "device:PDU-A", true],
  ["behind what takes over", { ports: on("B") }, "device:PDU-A", true],
  ["on a feed that fails", { ports: on("AB") }, "feed:FB", true],
  ["cooled by what is left", { ports: on("C") }, "crac:C1", true],
  ["draw of an inlet is recorded", { ports: on("AB", { max_draw_w: 300 }) }, "device:PDU-A", false],
  ["own draw is recorded", { max_draw_w: 300, ports: on("AB") }, "device:PDU-A", false],
  ["a recorded zero", { allocated_draw_w: 0, ports: on("AB") }, "device:PDU-A", false],
  ["on another supply", { ports: on("C") }, "device:PDU-A", false],
  ["part of the work", { ports: on("AB") }, "device:S2", false],
  ["off anyway", { status: "DEVICE_STATUS_OFFLINE", ports: on("AB") }, "device:PDU-A", false],
  ["no inlet at all", {}, "device:PDU-A", false],
  ["a patch panel", { kind: "DEVICE_KIND_PATCH_PANEL" }, "crac:C1", false],
  ["heat is recorded", { heat_w: 300, ports: on("C") }, "crac:C1", false],
];

describe("a consumer without a recorded draw", () => {
  test.each(WINDOWS)("makes a verdict unknown only if it can change it: %s", async (_, fields, element, decides) => {
    const { call } = await siteWith(fields);

    const { verdict, reasons = [] } = await call("CheckWindow", { element_refs: [element], ends_at: ENDS_AT });

    const unknown = reasons.filter(({ kind }: JsonObject) => kind === "WINDOW_REASON_KIND_DRAW_UNKNOWN");
    expect(unknown.map(({ ref }: JsonObject) => ref)).toEqual(decides ? ["device:S2"] : []);
    expect(verdict === "WINDOW_VERDICT_UNKNOWN").toBe(decides);
  });

  test("is counted beside every figure that lacks it", async () => {
    const { call } = await siteWith({ ports: on("AB") });

    const { occupants, capacity } = await call("GetRack", { code: "R" });
    const { areas } = await call("GetCapacity", { scope_ref: "rack:R" });
    const thermal = await call("ThermalHeadroom", { scope_ref: "rack:R" });
    const { unplaced_racks } = await call("FloorPlan", { floor_ref: "floor:S/1" });
    const supply = await call("GetDevice", { code: "PDU-A" });
    const own = await call("GetDevice", { code: "S2" });
    const { power } = await call("GetPort", { port_ref: "port:S2/A" });
    const blast = await call("PowerBlastRadius", {
      source_ref: "device:PDU-A",
      additional_source_refs: ["device:PDU-B"],
    });
    const listed = await call("ListInventory", { kind: "INVENTORY_KIND_SUPPLY", query: "PDU-B" });
    const { devices: found = [] } = await call("SearchDevices", { filter: { max_draw_w: 100 } });

    const counts = [capacity, areas[0], unplaced_racks[0]].map(({ devices_without_draw }) => devices_without_draw);
    expect([...counts, thermal.devices_without_heat]).toEqual([1, 1, 1, 1]);
    expect([supply.consumers_without_draw, power.consumers_without_draw]).toEqual([1, 1]);
    expect(listed.rows[0].figures.consumers_without_draw).toBe(1);
    expect([own.draw_source, own.draw_w]).toEqual(["DRAW_SOURCE_NOT_RECORDED", undefined]);
    const sources = occupants.map(({ device_code, draw_source }: JsonObject) => [device_code, draw_source]);
    expect(sources).toContainEqual(["S2", "DRAW_SOURCE_NOT_RECORDED"]);
    expect(blast.affected.find(({ code }: JsonObject) => code === "S2").draw_not_recorded).toBe(true);
    expect(found.map(({ code }: JsonObject) => code)).not.toContain("S2");
  });

  test("a device keeps its own draw beside those of its inlets, and a warning names a difference above a tenth", async () => {
    const { call } = await siteWith({});
    const warn = async (own: number, draws: JsonObject) => {
      const device = { code: "S3", kind: "DEVICE_KIND_SERVER", location, allocated_draw_w: own, ports: on("A", draws) };
      const { warnings = [] } = await call("UpsertDevice", { device });
      return warnings.some(({ code }: JsonObject) => code === "INLET_DRAWS_DIFFER");
    };

    const found = [];
    for (const own of [300, 330, 334, 270, 266]) found.push(await warn(own, { allocated_draw_w: 300 }));

    expect(found).toEqual([false, false, true, false, true]);
    expect((await call("GetDevice", { code: "S3" })).draw_w).toBe(266);
  });
});
