import { expect, test } from "bun:test";
import type { DcStore } from "#dc/ports.ts";
import { agreeingStores } from "../../support/dc/agreeing_sites.ts";
import { draftedChanges } from "../../support/dc/drafted_changes.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// What a preview says of afterwards is what every read says once the changes are applied, and nothing else differs.

const DRAFTS = 6;

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;
type Figures = Readonly<Record<string, number | string | undefined>>;
type Things = ReadonlyMap<string, Figures>;

/** What the reads say of supplies, racks, cooling and devices, by reference. */
interface Seen {
  readonly supplies: Things;
  readonly racks: Things;
  readonly cooling: Things;
  readonly devices: Things;
}

async function rows({ call }: TestService, kind: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (;;) {
    const request = { kind: `INVENTORY_KIND_${kind}`, page_size: 1000, skip: found.length };
    const { rows: page = [] } = await call("ListInventory", request);
    found.push(...page);
    if (page.length < 1000) return found;
  }
}

async function seen(service: TestService): Promise<Seen> {
  const supplies = (await rows(service, "SUPPLY")).map(({ ref, figures = {} }): [string, Figures] => {
    const { load_w, capacity_w, load_pct, failover_w, failover_pct } = figures;
    return [ref, { load_w, capacity_w, load_pct, failover_w, failover_pct }];
  });
  const racks: [string, Figures][] = [];
  for (const { name } of await rows(service, "RACK")) {
    const { rack, capacity } = await service.call("GetRack", { code: name });
    racks.push([
      name,
      {
        draw_w: capacity.allocated_w ?? 0,
        used_u: capacity.used_u ?? 0,
        free_u: capacity.free_u ?? 0,
        largest_free_block_u: capacity.largest_free_block_u ?? 0,
        weight_kg: capacity.weight_kg ?? 0,
        power_capacity_w: capacity.power_capacity_w,
        max_load_kg: capacity.max_load_kg,
        air_heat_w: capacity.air_heat_w ?? 0,
        health: rack.health,
      },
    ]);
  }
  const cooling: [string, Figures][] = [];
  for (const { ref } of await rows(service, "SITE")) {
    const { zones = [] } = await service.call("ThermalHeadroom", { scope_ref: ref });
    for (const zone of zones) {
      for (const [medium, of] of [
        ["AIR", ""],
        ["LIQUID", "liquid_"],
      ] as const) {
        const figure = (name: string) => zone[of + name] ?? 0;
        const [usable_kw, reserve_kw, headroom_kw] = ["usable_kw", "reserve_kw", "headroom_kw"].map(figure);
        const heat_kw = figure("heat_kw");
        cooling.push([`${zone.ref} ${medium}`, { heat_kw, usable_kw, reserve_kw, headroom_kw }]);
      }
    }
  }
  const devices = (await rows(service, "DEVICE")).map(({ ref, texts }): [string, Figures] => [
    ref,
    { supply: texts.supply },
  ]);
  return { supplies: new Map(supplies), racks: new Map(racks), cooling: new Map(cooling), devices: new Map(devices) };
}

/** Figures of lists have two digits. */
const close = (a: unknown, b: unknown) =>
  a === b || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 0.011);

/** What the reads say differently afterwards, by reference: only the figures that are given for it. */
function differing(before: Things, after: Things): readonly string[] {
  const refs = new Set([...before.keys(), ...after.keys()]);
  return [...refs].filter((ref) => {
    const [was, is] = [before.get(ref), after.get(ref)];
    return !(was && is) || Object.keys({ ...was, ...is }).some((name) => !close(was[name], is[name]));
  });
}

/** Checks the entries of a preview against the reads before and after, and that nothing that differs is missing. */
const agreeing =
  (name: string) =>
  (what: string, entries: readonly Json[], refOf: (entry: Json) => string, sides: readonly [Things, Things]) => {
    const told = new Map(entries.map((entry) => [refOf(entry), entry]));
    for (const [ref, entry] of told) {
      sameFigures(what, { ref, entry, side: "before" }, sides[0].get(ref));
      sameFigures(what, { ref, entry, side: "after" }, sides[1].get(ref));
    }
    const missing = differing(...sides).filter((ref) => !told.has(ref) && isTold(what, ref, sides));
    expect({ name, what, missing }).toEqual({ name, what, missing: [] });
  };

interface Told {
  readonly ref: string;
  readonly entry: Json;
  readonly side: "before" | "after";
}

function sameFigures(what: string, { ref, entry, side }: Told, figures: Figures = {}) {
  for (const [name, read] of Object.entries(figures)) {
    const said = name === "health" ? entry[`health_${side}`] : entry[name]?.[side];
    // An area that no unit serves for a kind of heat has no figures of it.
    const isUnserved = what === "cooling" && read === 0 && said === undefined;
    if (!close(said, read) && !isUnserved)
      expect({ what, ref, name, side, said }).toEqual({ what, ref, name, side, said: read });
  }
}

/** An area without heat and units of a kind has nothing to tell of it; a device that comes or goes has no change of supply. */
function isTold(what: string, ref: string, [before, after]: readonly [Things, Things]): boolean {
  const [was, is] = [before.get(ref), after.get(ref)];
  if (what === "devices")
    return (
      was !== undefined &&
      is !== undefined &&
      [was, is].every(({ supply }) => supply !== undefined) &&
      [was, is].some(({ supply }) => supply === "LIVE")
    );
  if (what !== "cooling") return true;
  return [was, is].some((side) => side !== undefined && Object.values(side).some((value) => value !== 0));
}

async function tried(name: string, store: DcStore, random: SeededRandom): Promise<number> {
  const service = await testService({ store });
  const before = await seen(service);
  const changes = draftedChanges(await store.read((reader) => reader.inventory()), random);
  if (changes.length === 0) return 0;

  const preview = await service.call("PreviewChanges", { changes: [...changes], max_items: 1000 });
  const untouched = await seen(service);
  expect([name, changes, untouched]).toEqual([name, changes, before]);
  expect(await seen(await testService({ store }))).toEqual(before);

  const taken = changes.filter((_, at) => preview.results[at].error === undefined);
  if (taken.length === 0) return 0;
  const applied = await service.call("ApplyChanges", { changes: taken });
  expect([name, changes, applied.committed]).toEqual([name, changes, true]);
  const after = await seen(await testService({ store }));
  const { supplies = [], racks = [], cooling = [], devices = [] } = preview;
  const agree = agreeing(`${name}: ${JSON.stringify(changes)}`);
  const isFeed = ({ ref }: Json) => before.supplies.has(ref) || after.supplies.has(ref);
  agree("supplies", supplies.filter(isFeed), ({ ref }) => ref, [before.supplies, after.supplies]);
  agree("racks", racks, ({ rack_code }) => rack_code, [before.racks, after.racks]);
  const areaOf = ({ ref, medium }: Json) => `${ref} ${medium.replace("COOLING_MEDIUM_", "")}`;
  agree("cooling", cooling, areaOf, [before.cooling, after.cooling]);
  const states = devices.map(({ ref }: Json) => ({ ref }));
  agree("devices", states, ({ ref }) => ref, [new Map(), new Map()]);
  const told = new Set(devices.map(({ ref }: Json) => ref));
  const missing = differing(before.devices, after.devices).filter(
    (ref) => !told.has(ref) && isTold("devices", ref, [before.devices, after.devices]),
  );
  expect({ name, changes, missing }).toEqual({ name, changes, missing: [] });
  return taken.length;
}

test("a preview says what the reads say once the changes are applied, and leaves them as they are", async () => {
  let taken = 0;
  for await (const { name, store, seed } of agreeingStores()) {
    const random = new SeededRandom(seed + 1);
    for (let draft = 0; draft < DRAFTS; draft += 1) taken += await tried(`${name}, draft ${draft}`, store, random);
  }
  expect(taken).toBeGreaterThan(LAW_INVENTORIES);
}, 600_000);
