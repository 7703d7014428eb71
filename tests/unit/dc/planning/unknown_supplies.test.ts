import { describe, expect, test } from "bun:test";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { drawFloorPlan } from "#dc/render/floor/floor_plan.ts";
import { FloorPlanResponseSchema, RackRisk } from "#gen/datacenter/v1/datacenter_pb.ts";
import { hasUnrecordedPower } from "#words/names.ts";
import { drawOptions, wordsOf } from "../../../support/dc/pictures.ts";
import { testService } from "../../../support/dc/service.ts";

const location = { site_id: "S", floor_number: 1, room: "H" };
const inlet = (name: string, source: string) => ({
  name,
  kind: "PORT_KIND_POWER_IN",
  ...(source !== "" && { power_in: { source_ref: source } }),
});
const on = (...sources: readonly string[]) => sources.map((source, at) => inlet(`psu${at + 1}`, source));
const FED = ["feed:A", "feed:B"];
const server = (fields: JsonObject): JsonObject => ({ kind: "DEVICE_KIND_SERVER", ...fields });
const fed = server({ allocated_draw_w: 500, ports: on(...FED) });
const pdu = (feed: string): JsonObject => ({ kind: "DEVICE_KIND_RACK_PDU", ports: [inlet("main", feed)] });
const chassis = { ...fed, kind: "DEVICE_KIND_CHASSIS" };
const blade = { kind: "DEVICE_KIND_BLADE", parent_device_code: "D1", bay: "1" };
const other: JsonObject = { kind: "DEVICE_KIND_OTHER" };

const ONE_CORD = server({ ports: on("feed:A") });
/** Devices of a rack, what one failure takes, the health shown, and the devices whose supply is not recorded. */
const RACKS: readonly (readonly [string, readonly JsonObject[], string | undefined, string, number])[] = [
  ["servers of which nothing is recorded", [server({}), server({})], undefined, "UNKNOWN", 2],
  ["a switch of which nothing is recorded", [{ kind: "DEVICE_KIND_SWITCH" }], undefined, "UNKNOWN", 1],
  ["a draw without a supply", [server({ allocated_draw_w: 500 })], undefined, "WATCH", 1],
  ["an inlet whose source is not recorded", [server({ ports: on("") })], undefined, "WATCH", 1],
  ["one device among others with both supplies", [fed, server({})], undefined, "UNKNOWN", 1],
  ["PDUs beside devices that are on none", [pdu("feed:A"), pdu("feed:B"), server({})], undefined, "UNKNOWN", 1],
  ["something of kind OTHER alone", [other], undefined, "UNKNOWN", 1],
  ["one cord, among others", [fed, ONE_CORD, server({})], "DEVICE", "UNKNOWN", 1],
  ["two on one feed, among others", [fed, ONE_CORD, ONE_CORD, server({})], "PARTIAL", "UNKNOWN", 1],
  ["both supplies", [fed], "NONE", "OK", 0],
  ["both supplies, and a shelf", [fed, other], "NONE", "OK", 0],
  ["nothing in it", [], "NONE", "OK", 0],
  ["patch panels", [{ kind: "DEVICE_KIND_PATCH_PANEL" }], "NONE", "OK", 0],
  ["PDUs alone", [pdu("feed:A"), pdu("feed:B")], "NONE", "OK", 0],
  ["a draw of 0 W", [server({ allocated_draw_w: 0 })], "NONE", "OK", 0],
  ["devices out of service", [server({ status: "DEVICE_STATUS_PLANNED" })], "NONE", "OK", 0],
  ["two on one feed", [ONE_CORD, ONE_CORD], "DARK", "OK", 0],
  ["a blade in a chassis", [chassis, blade], "DARK", "OK", 0],
];

describe("a device whose supply is not recorded", () => {
  test.each(RACKS)("leaves health and risk unknown, never well: %s", async (_, devices, risk, health, without) => {
    const { call } = await testService();
    await call("UpsertRack", { rack: { code: "R", location } });
    const items = devices.map((device, at) => ({ code: `D${at + 1}`, rack_code: "R", ...device }));
    if (items.length > 0) expect((await call("BulkUpsertDevices", { items, atomic: true })).committed).toBe(true);

    const plan = await call("FloorPlan", { floor_ref: "floor:S/1", coloring: "COLORING_RISK" });
    const { rack } = await call("GetRack", { code: "R" });
    const { rows } = await call("ListInventory", { kind: "INVENTORY_KIND_RACK" });

    const [tile] = plan.unplaced_racks;
    expect(tile.risk).toBe(risk === undefined ? undefined : `RACK_RISK_${risk}`);
    const told = health === "UNKNOWN" ? "OK" : health;
    expect([tile.health, rack.health]).toEqual([`HEALTH_${told}`, `HEALTH_${told}`]);
    for (const reasons of [tile.reasons, rack.health_reasons])
      expect(hasUnrecordedPower(reasons ?? [])).toBe(health === "UNKNOWN");
    expect(rows[0].texts.health).toBe(health);
    expect(tile.devices_without_supply ?? 0).toBe(without);
    const { ok = 0, watch = 0, ok_unproven = 0 } = plan.counts;
    expect([ok, watch]).toEqual(["OK", "WATCH"].map((one) => (one === told ? 1 : 0)));
    expect(ok_unproven).toBe(health === "UNKNOWN" ? 1 : 0);
  });
});

test("a floor counts and hatches racks of an unknown risk beside those that stay on", () => {
  const drawn = (risks: readonly (RackRisk | undefined)[], coloring: "RISK" | "HEALTH" = "RISK") => {
    const racks = risks.map((risk, at) => ({
      code: `R${at}`,
      placement: { xMm: 600 * at, yMm: 0, widthMm: 600, depthMm: 1200 },
      ...(risk === undefined ? { devicesWithoutSupply: 2 } : { risk }),
    }));
    const counts = { ok: racks.length, okUnproven: risks.filter((one) => one === undefined).length };
    const reply = create(FloorPlanResponseSchema, { floorRef: "floor:S/1", racks, counts });
    const { scene, elements } = drawFloorPlan(reply, drawOptions({ coloring }));
    return {
      words: wordsOf(scene.items).join(" "),
      facts: elements.flatMap(({ facts }) => facts),
      title: scene.description,
    };
  };

  const known = drawn([RackRisk.NONE, RackRisk.DEVICE]);
  expect(known.words).not.toMatch(/not recorded/i);
  expect(known.title).toEndWith("2 racks, 2 OK, 0 watch, 0 fault.");
  const mixed = drawn([RackRisk.NONE, undefined, undefined]);
  expect(mixed.words).toContain("Stays on 1");
  expect(mixed.words).toContain("Supply not recorded 2");
  expect(mixed.facts).toContainEqual(["One failure", "supply not recorded"]);
  expect(mixed.facts).toContainEqual(["Supply not recorded", "2 devices"]);
  expect(mixed.title).toEndWith("3 racks, 1 OK, 0 watch, 0 fault, 2 unknown.");
  expect(drawn([RackRisk.NONE, undefined, undefined], "HEALTH").words).toMatch(/OK 1 .*Unknown 2/);
});
