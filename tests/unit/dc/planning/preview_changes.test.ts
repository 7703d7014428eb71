import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { smallSite } from "../../../support/dc/small_site.ts";

const location = { site_id: "S1", floor_number: 1, room: "DH1", row: "A", zone_id: "Z1" };
const heavy = (code: string, draw: number): JsonObject => ({
  code,
  kind: "DEVICE_KIND_SERVER",
  rack_code: "R1",
  position_u: 5,
  u_height: 2,
  face: "FACE_FRONT",
  weight_kg: 900,
  allocated_draw_w: draw,
  ports: [{ name: "psu", kind: "PORT_KIND_POWER_IN", type: "iec-60320-c14", power_in: { source_ref: "feed:FB" } }],
});

// biome-ignore lint/suspicious/noExplicitAny: parts of replies
type Json = any;

const of = (list: Json[] | undefined, key: string, value: string) => list?.find((one) => one[key] === value);

describe("PreviewChanges", () => {
  test("answers the figures of supplies and racks before and after a new device", async () => {
    const { call } = await smallSite();

    const reply = await call("PreviewChanges", { changes: [{ device: heavy("NEW", 8000) }] });

    expect(reply.results.map(({ outcome }: Json) => outcome)).toEqual(["OUTCOME_CREATED"]);
    expect(of(reply.supplies, "ref", "feed:FB")).toMatchObject({
      load_w: { before: 200, after: 8200 },
      capacity_w: { before: 22170, after: 22170 },
      failover_w: { before: 400, after: 8400 },
    });
    expect(of(reply.racks, "rack_code", "R1")).toMatchObject({
      draw_w: { before: 400, after: 8400 },
      used_u: { before: 3, after: 5 },
      weight_kg: { before: 30, after: 930 },
      health_after: "HEALTH_FAULT",
    });
    expect(of(reply.new_findings, "code", "WEIGHT")).toMatchObject({
      ref: "rack:R1",
      health: "HEALTH_WATCH",
      value: 93,
    });
    expect(reply.devices).toBeUndefined();
  });

  test("names what loses its supply or a part of it, IT devices before power equipment", async () => {
    const { call } = await smallSite();
    const second = { ports: [{ name: "psu1", kind: "PORT_KIND_POWER_IN", power_in: {} }] };
    await call("UpsertDevice", { device: { code: "SRV-1", ...second }, update_mask: "ports" });

    const lost = await call("PreviewChanges", {
      changes: [{ device: { code: "PDU", kind: "DEVICE_KIND_RACK_PDU", status: "DEVICE_STATUS_OFFLINE" } }],
    });
    const cut = await call("PreviewChanges", { changes: [{ delete_ref: "cable:PDU/OUT1~SRV-1/psu1" }] });
    const panel = await call("PreviewChanges", {
      changes: [{ device: { code: "RPP-A", kind: "DEVICE_KIND_RPP", status: "DEVICE_STATUS_FAILED" } }],
    });

    expect(lost.devices.map(({ ref, effect, state_after }: Json) => [ref, effect, state_after])).toEqual([
      ["device:SRV-1", "SUPPLY_EFFECT_LOST", "SUPPLY_STATE_NO_LIVE_SUPPLY"],
    ]);
    expect(cut.devices[0]).toMatchObject({ effect: "SUPPLY_EFFECT_LOST", state_after: "SUPPLY_STATE_UNDOCUMENTED" });
    expect(panel.devices.map(({ ref, effect, is_supply = false }: Json) => [ref, effect, is_supply])).toEqual([
      ["device:SRV-1", "SUPPLY_EFFECT_LOST", false],
      ["crac:C1", "SUPPLY_EFFECT_REDUCED", false],
      ["device:PDU", "SUPPLY_EFFECT_LOST", true],
    ]);
    expect([panel.lost_count, panel.reduced_count]).toEqual([1, 1]);
  });

  test("answers heat, usable capacity and reserve of the areas that cooling units serve", async () => {
    const { call } = await smallSite();
    const crac = { code: "C1", kind: "CRAC_KIND_CRAH", sensible_capacity_kw: 60, serves: ["zone:S1/1/Z1"] };
    await call("UpsertCrac", { crac });
    await call("UpsertCrac", { crac: { ...crac, code: "C2", location } });

    const { cooling, new_findings } = await call("PreviewChanges", {
      changes: [{ crac: { code: "C2", kind: "CRAC_KIND_CRAH", status: "CRAC_STATUS_FAILED" } }],
    });

    expect(of(cooling, "ref", "zone:S1/1/Z1")).toEqual({
      ref: "zone:S1/1/Z1",
      medium: "COOLING_MEDIUM_AIR",
      heat_kw: { before: 0.4, after: 0.4 },
      usable_kw: { before: 60, after: 0 },
      reserve_kw: { before: 60, after: 60 },
      headroom_kw: { before: 59.6, after: -0.4 },
      health_before: "HEALTH_OK",
      health_after: "HEALTH_WATCH",
    });
    expect(of(new_findings, "code", "ZONE_WITHOUT_RESERVE")).toMatchObject({ ref: "zone:S1/1/Z1" });
  });

  test("leaves refused changes out of the figures, and removes what depends on a resource if that is asked for", async () => {
    const { call } = await smallSite();

    const refused = await call("PreviewChanges", {
      changes: [{ delete_ref: "device:PDU" }, { rack: { code: "R1", power_capacity_w: 5000 } }],
    });
    const gone = await call("PreviewChanges", { changes: [{ delete_ref: "device:PDU", cascade: true }] });
    const applied = await call("ApplyChanges", { changes: [{ delete_ref: "device:PDU", cascade: true }] });

    expect([refused.refused, refused.results[0].error.details[0].reason]).toEqual([1, "DEVICE_HAS_CABLES"]);
    expect(refused.devices).toBeUndefined();
    expect(of(refused.racks, "rack_code", "R1").power_capacity_w).toEqual({ before: 10000, after: 5000 });
    expect([gone.refused, gone.reduced_count]).toEqual([undefined, 1]);
    expect(of(gone.supplies, "ref", "device:PDU")).toEqual({
      ref: "device:PDU",
      load_w: { before: 200 },
      failover_w: { before: 400 },
    });
    expect(applied.committed).toBe(true);
    await expect(call("GetDevice", { code: "PDU" })).rejects.toThrow("Cannot find");
  });

  test("answers nothing where no figure differs, and cuts lists to what is asked for", async () => {
    const { call } = await smallSite();

    const same = await call("PreviewChanges", { changes: [{ device: { code: "SRV-1", name: "first" } }] });
    const cut = await call("PreviewChanges", { changes: [{ device: heavy("NEW", 8000) }], max_items: 1 });

    expect(same).toEqual({
      results: [expect.objectContaining({ outcome: "OUTCOME_UPDATED" })],
      revision: same.revision,
    });
    expect([cut.supplies.length, cut.racks.length]).toEqual([1, 1]);
    expect(cut.omitted_supplies).toBe(2);
  });

  test("writes nothing, and asks for changes", async () => {
    const { call, service, store } = await smallSite();
    const changes = [{ device: heavy("NEW", 100) }];
    const { total_count: before } = await call("ListInventory", { kind: "INVENTORY_KIND_DEVICE" });
    const revision = await store.revision();

    await call("PreviewChanges", { changes });

    await expect(call("GetDevice", { code: "NEW" })).rejects.toThrow("Cannot find");
    expect((await call("ListInventory", { kind: "INVENTORY_KIND_DEVICE" })).total_count).toBe(before);
    expect(await store.revision()).toBe(revision);
    const { entries } = await service.readHistory({ entity: "device:NEW" }, { interface: "REST" });
    expect(entries).toEqual([]);
    await expect(call("PreviewChanges", {})).rejects.toThrow("A bulk call needs items");
    await expect(call("PreviewChanges", { changes, max_items: -1 })).rejects.toThrow('"max_items"');
  });
});
