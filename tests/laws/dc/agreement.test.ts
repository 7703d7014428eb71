import { expect, test } from "bun:test";
import { isPowerKind } from "#dc/model/draw.ts";
import { formatPercent, formatPlainNumber, formatWatts } from "#words/figures.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { agreeingSites } from "../../support/dc/agreeing_sites.ts";
import type { Pictured, WalkedSite } from "../../support/dc/walked_site.ts";

// Every interface that repeats a judgement about a rack says the same: health, search, GetRack, FloorPlan, ThermalHeadroom,
// the lists and the pictures.

const STATES: Readonly<Record<string, string>> = { HEALTH_OK: "OK", HEALTH_WATCH: "Watch", HEALTH_FAULT: "Fault" };
const RANKS = ["HEALTH_OK", "HEALTH_WATCH", "HEALTH_FAULT"];

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

/** What the whole site says about its racks and devices, asked once. */
interface Known {
  readonly site: WalkedSite;
  readonly racks: ReadonlyMap<string, Json>;
  readonly devices: readonly Json[];
  readonly unmet: ReadonlySet<string>;
  readonly unknown: ReadonlySet<string>;
  readonly dark: ReadonlySet<string>;
  readonly undocumented: ReadonlySet<string>;
}

async function known(site: WalkedSite): Promise<Known> {
  const rows = await site.rows("RACK");
  return {
    site,
    racks: new Map(rows.map((row) => [row.name, row])),
    devices: await site.rows("DEVICE"),
    unmet: await site.found({ redundancy_unmet: true }),
    unknown: await site.found({ redundancy_unknown: true }),
    dark: await site.found({ supply_states: ["SUPPLY_STATE_NO_LIVE_SUPPLY"] }),
    undocumented: await site.found({ supply_states: ["SUPPLY_STATE_UNDOCUMENTED"] }),
  };
}

/** The same things about a rack as every interface says them. */
test("all interfaces and pictures say the same about every rack", async () => {
  for await (const site of agreeingSites()) {
    const all = await known(site);
    let walked = 0;
    for (const { ref } of await site.rows("FLOOR")) {
      const plan = await site.call("FloorPlan", { floor_ref: ref });
      const floor = await site.call("ThermalHeadroom", { scope_ref: ref });
      const pictures = { floor: await site.pictured("FLOOR", ref), thermal: await site.pictured("THERMAL", ref) };
      const tiles: Json[] = [...(plan.racks ?? []), ...(plan.unplaced_racks ?? [])];
      walked += tiles.length;
      const counts = Object.values(plan.counts ?? {}).reduce<number>((sum, one) => sum + Number(one), 0);
      expect([site.name, ref, counts]).toEqual([site.name, ref, tiles.length]);
      for (const tile of tiles) {
        const rack = await site.call("GetRack", { code: tile.code });
        const heat = (floor.racks ?? []).find(({ code }: Json) => code === tile.code);
        await healthAgrees(all, { tile, rack, heat, pictures });
        await figuresAgree(all, { tile, rack, heat, pictures });
        weightAgrees(all, rack);
        suppliesAgree(all, rack);
      }
    }
    expect([site.name, walked]).toEqual([site.name, all.racks.size]);
    devicesAgree(all);
  }
}, 3_600_000);

interface Seen {
  readonly tile: Json;
  readonly rack: Json;
  readonly heat: Json;
  readonly pictures: Readonly<Record<"floor" | "thermal", Pictured>>;
}

async function healthAgrees({ site, racks }: Known, { tile, rack, heat, pictures }: Seen): Promise<void> {
  const row = racks.get(tile.code);
  const ref = `rack:${tile.code}`;
  const drawn = await site.pictured("ELEVATION", ref);
  const reasons = rack.rack.health_reasons ?? [];
  expect({ site: site.name, rack: tile.code, health: rack.rack.health, reasons, findings: reasons.length }).toEqual({
    site: site.name,
    rack: tile.code,
    health: tile.health,
    reasons: tile.reasons ?? [],
    findings: row.figures.findings ?? 0,
  });
  const shown = STATES[tile.health];
  expect([ref, `HEALTH_${row.texts.health}`]).toEqual([ref, tile.health]);
  expect([ref, pictures.floor.of(ref)["Health"], drawn.of(ref)["Health"]]).toEqual([ref, shown, shown]);
  expect({ ref, words: drawn.words }).toEqual({ ref, words: expect.arrayContaining(metersOf(rack, heat)) });
  // What is too warm in a rack is a part of its health.
  expect(RANKS.indexOf(heat.health)).toBeLessThanOrEqual(RANKS.indexOf(tile.health));
}

/** The figures of heat and weight in the picture of a rack. */
function metersOf({ capacity }: Json, { air_heat_w = 0, utilization_pct }: Json): readonly string[] {
  const { devices = 0, devices_without_weight: missing = 0, weight_kg = 0, heat_w = 0 } = capacity;
  const heat =
    utilization_pct === undefined ? [] : [formatPercent(utilization_pct), formatWatts(Math.round(air_heat_w))];
  const limit = capacity.cooling_capacity_w;
  const isPart = (capacity.devices_without_draw ?? 0) > 0 ? "at least " : "";
  return [
    heat_w === 0 && isPart !== ""
      ? "not recorded"
      : heat.length === 0
        ? `${isPart}${formatWatts(air_heat_w)}, no limit recorded`
        : `${isPart}${heat[1]} of ${formatWatts(limit)} (${heat[0]})`,
    ...(missing > 0 && missing < devices
      ? [`${missing} of ${formatCountWithNoun(devices, "device")} without weight`]
      : []),
    ...(missing > 0 && missing === devices ? ["not recorded"] : []),
    ...(weight_kg > 0 && capacity.max_load_kg === undefined
      ? [`${missing > 0 ? "at least " : ""}${formatPlainNumber(weight_kg)} kg, no limit recorded`]
      : []),
  ];
}

async function figuresAgree({ site, racks }: Known, { tile, rack, heat, pictures }: Seen): Promise<void> {
  const say = `${site.name} ${tile.code}`;
  const ref = `rack:${tile.code}`;
  const row = racks.get(tile.code).figures;
  const { capacity } = rack;
  const own = await site.call("ThermalHeadroom", { scope_ref: ref });
  const [alone] = own.racks;
  expect([say, alone]).toEqual([say, heat]);
  const heatW = heat.heat_w ?? 0;
  expect([say, tile.heat_w ?? 0, row.heat_w]).toEqual([say, heatW, Number(heatW.toFixed(1))]);
  expect([say, capacity.heat_w ?? 0, capacity.air_heat_w ?? 0]).toEqual([
    say,
    Math.round(heatW),
    Math.round(heat.air_heat_w ?? 0),
  ]);
  // A reply has kilowatts to the thousandth.
  expect([say, (own.heat_kw ?? 0) * 1000]).toEqual([say, expect.closeTo(heatW, 0)]);
  expect([say, tile.cooling_pct, tile.inlet_temp_c]).toEqual([say, heat.utilization_pct, heat.inlet_temp_c]);
  const facts = pictures.floor.of(ref);
  expect([say, facts["Heat"], facts["Space taken"], facts["Power"], facts["Inlet"]]).toEqual([
    say,
    formatWatts(heatW),
    formatPercent(capacity.space_pct ?? 0),
    capacity.power_pct === undefined ? "no limit recorded" : formatPercent(capacity.power_pct),
    heat.inlet_temp_c === undefined ? undefined : `${formatPlainNumber(heat.inlet_temp_c)} °C`,
  ]);
  const warm = pictures.thermal.of(ref);
  expect([say, warm["Heat"], warm["Heat to air"], warm["Cooling"], warm["Share"], warm["Inlet"]]).toEqual([
    say,
    facts["Heat"],
    formatWatts(heat.air_heat_w ?? 0),
    capacity.cooling_capacity_w === undefined ? "no limit recorded" : formatWatts(capacity.cooling_capacity_w),
    heat.utilization_pct === undefined ? undefined : formatPercent(heat.utilization_pct),
    facts["Inlet"],
  ]);
  expect([say, tile.space_pct ?? 0, tile.power_pct]).toEqual([say, capacity.space_pct ?? 0, capacity.power_pct]);
}

/** A rack's weight is the sum over the listed devices that have one; the others are counted. */
function weightAgrees({ site, devices }: Known, { rack: { code }, capacity, occupants = [] }: Json): void {
  const say = `${site.name} ${code}`;
  const inside = devices.filter(({ texts }) => texts.rack === code);
  const weighed = inside.flatMap(({ figures }) => figures.weight_kg ?? []);
  expect([say, capacity.devices ?? 0, capacity.devices_without_weight ?? 0, capacity.weight_kg ?? 0]).toEqual([
    say,
    inside.length,
    inside.length - weighed.length,
    expect.closeTo(
      weighed.reduce((sum, one) => sum + one, 0),
      6,
    ),
  ]);
  expect([say, occupants.length]).toEqual([say, inside.length]);
}

/** The reasons of a rack name the devices that the filters of a search find in it. */
function suppliesAgree({ site, devices, unmet, unknown, dark, undocumented }: Known, rack: Json): void {
  const { code, health_reasons: reasons = [] } = rack.rack;
  const inside = devices.filter(({ texts }) => texts.rack === code).map(({ name }) => `device:${name}`);
  const found = (codes: ReadonlySet<string>) =>
    inside.filter((ref) => codes.has(ref.slice("device:".length))).toSorted();
  const named = (...words: string[]) =>
    reasons.flatMap((reason: Json) => (words.includes(reason.code) ? reason.ref : [])).toSorted();
  const say = `${site.name} ${code}`;
  expect([say, named("REDUNDANCY_UNKNOWN")]).toEqual([say, found(unknown)]);
  // A consumer is no power equipment; what a dead PDU feeds is named instead of it.
  const consumers = new Set(devices.filter(({ texts }) => !isPowerKind(texts.kind)).map(({ name }) => name));
  expect([say, named("NO_LIVE_SUPPLY")]).toEqual([say, found(dark.intersection(consumers))]);
  expect([say, named("SUPPLY_UNDOCUMENTED").length > 0]).toEqual([say, found(undocumented).length > 0]);
  const isWhole = reasons.some((reason: Json) => reason.ref === `rack:${code}` && /PATH|UNMET/.test(reason.code));
  if (isWhole) expect([say, found(unmet).length]).not.toEqual([say, 0]);
  else expect([say, named("REDUNDANCY_UNMET")]).toEqual([say, found(unmet)]);
}

/** The list of devices and the search say the same about every device. */
function devicesAgree({ site, devices, unmet, unknown, dark, undocumented }: Known): void {
  const listed = (column: string, word: string) =>
    devices
      .filter(({ texts }) => texts[column] === word)
      .map(({ name }) => name)
      .toSorted();
  expect([site.name, listed("redundancy", "UNMET")]).toEqual([site.name, [...unmet].toSorted()]);
  expect([site.name, listed("redundancy", "UNKNOWN")]).toEqual([site.name, [...unknown].toSorted()]);
  expect([site.name, listed("supply", "NO_LIVE_SUPPLY")]).toEqual([site.name, [...dark].toSorted()]);
  expect([site.name, listed("supply", "UNDOCUMENTED")]).toEqual([site.name, [...undocumented].toSorted()]);
}
