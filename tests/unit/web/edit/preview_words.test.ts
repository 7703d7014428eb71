import { expect, test } from "bun:test";
import type { DevicePreview, PreviewChangesResponse, SupplyEffect } from "#gen/datacenter/v1/json.ts";
import { describePreview, listPreviewRows } from "#web/console/edit/preview_words.ts";

const NOTHING: PreviewChangesResponse = {
  results: [{ index: 0, code: "", outcome: "OUTCOME_UPDATED", etag: "", warnings: [], cascaded_refs: [] }],
  revision: 1,
  omitted_devices: 0,
  refused: 0,
  supplies: [],
  omitted_supplies: 0,
  racks: [],
  omitted_racks: 0,
  cooling: [],
  omitted_cooling: 0,
  devices: [],
  lost_count: 0,
  reduced_count: 0,
  gained_count: 0,
  increased_count: 0,
  new_findings: [],
  omitted_new_findings: 0,
  resolved_findings: [],
  omitted_resolved_findings: 0,
};
const judged = { health_before: "HEALTH_OK", health_after: "HEALTH_OK" } as const;
const device = (ref: string, effect: "LOST" | "REDUCED", more: Partial<DevicePreview> = {}): DevicePreview => ({
  ref,
  name: "",
  rack_code: "",
  effect: `SUPPLY_EFFECT_${effect}` satisfies SupplyEffect,
  state_before: "SUPPLY_STATE_LIVE",
  live_inlets_before: 2,
  live_inlets_after: 0,
  state_after: "SUPPLY_STATE_NO_LIVE_SUPPLY",
  is_supply: false,
  ...more,
});
/** Figures and their units stay on one line. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("describePreview names what goes dark first, and says its missing supply once", () => {
  const lines = describePreview({
    ...NOTHING,
    devices: [
      device("device:SRV-1", "LOST"),
      device("device:SRV-2", "REDUCED"),
      device("device:PDU-1", "LOST", { is_supply: true }),
    ],
    lost_count: 1,
    reduced_count: 1,
    new_findings: [
      { code: "NO_LIVE_SUPPLY", ref: "device:SRV-1", health: "HEALTH_FAULT", racks: 1 },
      { code: "POWER_NORMAL", ref: "device:UPS-B", health: "HEALTH_WATCH", value: 81.84, limit: 80, racks: 20 },
    ],
    resolved_findings: [{ code: "ZONE_WITHOUT_RESERVE", ref: "row:S/1/A", health: "HEALTH_WATCH", racks: 0 }],
  });

  expect(lines.map(({ state, title, text }) => [state, title, text])).toEqual([
    ["fault", "1 device would go dark", "SRV-1"],
    ["watch", "Power equipment without supply", "PDU-1"],
    ["watch", "1 device with fewer live inlets", "SRV-2"],
    ["watch", "High load", "UPS-B, 81.8 %, limit 80 %, in 20 racks"],
    ["ok", "1 finding resolved", "Zone without reserve: row A"],
  ]);
});

test("describePreview counts the devices beyond those that are named, and says that nothing would be recorded", () => {
  const unrecorded = { state_after: "SUPPLY_STATE_UNDOCUMENTED" } as const;
  const devices = Array.from({ length: 8 }, (_, at) => device(`device:S${at}`, "LOST", unrecorded));

  const [line] = describePreview({ ...NOTHING, devices, lost_count: 30 });

  expect(line?.text).toBe("S0, S1, S2, S3, S4, S5 and 24 more: no supply would be recorded");
});

test("listPreviewRows writes loads with their shares, what is not well first, and leaves out what reads the same", () => {
  const rows = listPreviewRows({
    ...NOTHING,
    supplies: [
      {
        ref: "device:SWGR",
        load_w: { before: 258_100, after: 258_110 },
        load_pct: { before: 25.81, after: 25.81 },
        ...judged,
      },
      { ref: "device:GONE", load_w: { before: 100 }, ...judged },
      { ref: "feed:F1", load_w: { before: 100, after: 250 }, failover_w: { before: 200, after: 200 }, ...judged },
    ],
    racks: [
      {
        rack_code: "R1",
        draw_w: { before: 4000, after: 8500 },
        power_capacity_w: { before: 10_000, after: 10_000 },
        free_u: { before: 10, after: 8 },
        weight_kg: { before: 0, after: 40 },
        max_load_kg: { before: 1000, after: 1000 },
        ...judged,
      },
    ],
    cooling: [
      {
        ref: "zone:S/1/Z1",
        medium: "COOLING_MEDIUM_AIR",
        heat_kw: { before: 77, after: 80 },
        usable_kw: { before: 54, after: 54 },
        ...judged,
        health_after: "HEALTH_FAULT",
      },
    ],
  });

  expect(rows.map(({ label, before, after, state }) => [label, plain(before), plain(after), state])).toEqual([
    ["zone Z1: heat of usable cooling", "77 kW of 54 kW", "80 kW of 54 kW", "fault"],
    ["R1: power", "4 kW of 10 kW", "8.5 kW of 10 kW", "watch"],
    ["F1: load", "100 W", "250 W", "ok"],
    ["R1: free units", "10 U", "8 U", "ok"],
    ["R1: weight", "0 kg of 1,000 kg", "40 kg of 1,000 kg", "ok"],
  ]);
});

test("describePreview and listPreviewRows say nothing where nothing changes", () => {
  expect([describePreview(NOTHING), listPreviewRows(NOTHING)]).toEqual([[], []]);
});
