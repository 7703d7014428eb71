import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import type { DcStore } from "#dc/ports.ts";
import { agreeingStores, sampleSite } from "../../support/dc/agreeing_sites.ts";
import { storeOf } from "../../support/dc/ams1_inventory.ts";
import { at, changeSomething, type Drawn, drawWindow, elementsOf, put } from "../../support/dc/drawn_windows.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// A stored window is judged as a plain model says: cut time at all bounds, ask CheckWindow about the union of what is out in each
// piece as if nothing were stored, and take the worst. Pieces last an hour or more, longer than any battery of these sites.

const WINDOWS = 5;
// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

const CHANGES = LAW_INVENTORIES >= 100 ? 4 : 2;
const VERDICTS = ["GO", "GO_WITH_RISK", "UNKNOWN", "NO_GO"].map((word) => `WINDOW_VERDICT_${word}`);
/** The verdict of each window by hours: one question for each hour that it has. */
async function modelled(site: TestService, windows: readonly Drawn[], own: Drawn): Promise<string> {
  const bounds = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort((a, b) => a - b);
  const ranks: number[] = [];
  for (const [index, from] of bounds.slice(0, -1).entries()) {
    const until = bounds[index + 1] ?? from;
    if (from < own.from || until > own.until) continue;
    const out = windows.filter((other) => other.from <= from && other.until >= until).flatMap(({ refs }) => refs);
    const element_refs = [...new Set(out)].sort();
    ranks.push(await rankAlone(site, { element_refs, starts_at: at(from), ends_at: at(until), ignore_stored: true }));
  }
  return VERDICTS[Math.max(...ranks)] ?? "";
}

/** What was asked of a service since its inventory changed: many pieces are the same question. */
const answered = new WeakMap<TestService, Map<string, number>>();

async function rankAlone(site: TestService, request: JsonObject): Promise<number> {
  const known = answered.get(site) ?? new Map<string, number>();
  answered.set(site, known);
  const key = JSON.stringify(request);
  const rank = known.get(key) ?? VERDICTS.indexOf(((await site.call("CheckWindow", request)) as Json).verdict);
  known.set(key, rank);
  return rank;
}

async function kept(site: TestService): Promise<ReadonlyMap<string, string>> {
  const { windows = [] }: Json = await site.call("ListWindows", { page_size: 1000 });
  return new Map(windows.map(({ window, verdict }: Json) => [window.code, verdict]));
}

/** Answers that windows must not change. */
async function others(site: TestService): Promise<string> {
  const replies = [
    await site.call("ListInventory", { kind: "INVENTORY_KIND_SUPPLY", page_size: 50 }),
    await site.call("RehearseFailures", { cascade: true, page_size: 50 }),
    await site.call("ThermalHeadroom", { render: { format: "RENDER_FORMAT_NONE" } }).catch((error) => error.message),
    await site.call("SearchDevices", { page_size: 50 }),
  ];
  return JSON.stringify(replies, (key, value) => (key === "revision" || key === "next_page_token" ? undefined : value));
}

test("verdicts of stored windows are those of their pieces, also after changes and written in another order", async () => {
  let compared = 0;
  let changed = 0;
  const seen = new Set<string>();
  for await (const { name, store, seed } of agreeingStores()) {
    const random = new SeededRandom(seed);
    const site = await testService({ store });
    const elements = await elementsOf(site);
    if (elements.length < 2) continue;
    const before = await others(site);
    const windows = Array.from({ length: WINDOWS }, (_, index) => drawWindow(`W${index}`, random, elements));
    for (const window of windows) await put(site, window);
    compared += await compareThroughChanges({ site, name, random, elements }, windows, seen);
    // L3: another order of writing. L5: a service that has kept nothing. L6: other answers.
    const last = await kept(site);
    const fresh = await testService({ store });
    expect([name, await kept(fresh)]).toEqual([name, last]);
    expect([name, await others(site)]).toEqual([name, before]);
    for (const { code } of windows) await site.call("DeleteWindow", { code });
    for (const window of windows.toReversed()) await put(site, window);
    expect([name, await kept(site)]).toEqual([name, last]);
    if (await failDevice(site, random, elements)) changed += 1;
    answered.delete(site);
    for (const window of windows) {
      const verdict = (await kept(site)).get(window.code);
      expect([name, window.code, verdict]).toEqual([name, window.code, await modelled(site, windows, window)]);
    }
  }
  process.stdout.write(`L3, L5, L6: ${compared} verdicts of stored windows compared with the plain model\n`);
  expect(changed).toBeGreaterThan(0);
  expect(compared).toBeGreaterThan(40);
  expect(seen.size).toBeGreaterThan(2);
}, 3_600_000);

interface Compared {
  readonly site: TestService;
  readonly name: string;
  readonly random: SeededRandom;
  readonly elements: readonly string[];
}

/** Compares every window, then changes one, again and again. @returns how many were compared */
async function compareThroughChanges(
  { site, name, random, elements }: Compared,
  windows: Drawn[],
  seen: Set<string>,
): Promise<number> {
  for (let change = 0; change < CHANGES; change += 1) {
    const found = await kept(site);
    for (const window of windows) {
      const say = `${name}, change ${change}, ${JSON.stringify(window)}`;
      const verdict = await modelled(site, windows, window);
      expect([say, found.get(window.code)]).toEqual([say, verdict]);
      const { judgement }: Json = await site.call("GetWindow", { code: window.code });
      expect([say, judgement.verdict]).toEqual([say, verdict]);
      await expectBlocking(site, windows, window, judgement);
      seen.add(verdict);
    }
    const index = random.below(windows.length);
    windows[index] = drawWindow(`W${index}`, random, elements);
    await put(site, windows[index] as Drawn);
  }
  return CHANGES * windows.length;
}

/** Takes a device out of the inventory's supply. @returns whether one could be */
async function failDevice(site: TestService, random: SeededRandom, elements: readonly string[]): Promise<boolean> {
  const devices = elements.filter((ref) => ref.startsWith("device:")).map((ref) => ref.slice("device:".length));
  if (devices.length === 0) return false;
  const device = { code: random.pick(devices), status: "DEVICE_STATUS_FAILED" };
  const { outcome }: Json = await site.call("UpsertDevice", { device, update_mask: "status" }).catch(() => ({}));
  return outcome === "OUTCOME_UPDATED";
}

/** Each window that is named, and no other, makes a NO_GO better by leaving. */
async function expectBlocking(site: TestService, windows: readonly Drawn[], own: Drawn, judgement: Json) {
  if (judgement.verdict !== "WINDOW_VERDICT_NO_GO") return;
  const found: string[] = [];
  for (const other of windows) {
    if (other === own) continue;
    const left = windows.filter((window) => window !== other);
    if ((await modelled(site, left, own)) !== "WINDOW_VERDICT_NO_GO") found.push(other.code);
  }
  expect([own.code, judgement.blocking_windows ?? []]).toEqual([own.code, found]);
}

/** Changes of the laws below: PLANNER_WINDOW_CHANGES, else a few. */
const MANY_CHANGES = Number(process.env["PLANNER_WINDOW_CHANGES"] ?? 12);
/** Windows of the first of them: PLANNER_STORED_WINDOWS, else a few. */
const MANY_WINDOWS = Number(process.env["PLANNER_STORED_WINDOWS"] ?? 12);
const FEW_WINDOWS = 12;
/** Comparisons with a service that has kept nothing, for each site. */
const COMPARISONS = MANY_CHANGES > 100 ? 20 : 3;

/** Stores windows, changes the inventory or a window at random, and compares. @returns windows compared, and verdicts that changed */
async function compareWithFresh(
  name: string,
  store: DcStore,
  { seed, count }: { readonly seed: number; readonly count: number },
) {
  const random = new SeededRandom(seed);
  const site = await testService({ store });
  const elements = await elementsOf(site);
  const found = { compared: 0, turned: 0, written: 0 };
  if (!elements.some((ref) => ref.startsWith("device:"))) return found;
  const hours = Math.max(8, count);
  for (let index = 0; index < count; index += 1) await put(site, drawWindow(`W${index}`, random, elements, hours));
  let before = await kept(site);
  for (let change = 1; change <= MANY_CHANGES; change += 1) {
    if (await changeSomething(site, random, { elements, windows: count, hours })) found.written += 1;
    const now = await kept(site);
    found.turned += [...now].filter(([code, verdict]) => before.has(code) && before.get(code) !== verdict).length;
    before = now;
    if (change % Math.ceil(MANY_CHANGES / COMPARISONS) !== 0) continue;
    expect([name, change, now]).toEqual([name, change, await kept(await testService({ store }))]);
    found.compared += now.size;
  }
  return found;
}

test("L5: after many random changes, kept verdicts are those of a service that has kept nothing", async () => {
  const found = { compared: 0, turned: 0 };
  for await (const { name, store, seed } of agreeingStores()) {
    const { compared, turned } = await compareWithFresh(name, store, { seed: seed + 5, count: FEW_WINDOWS });
    found.compared += compared;
    found.turned += turned;
    if (found.compared >= 4 * FEW_WINDOWS * Math.min(MANY_CHANGES, COMPARISONS)) break;
  }
  expect(found.turned).toBeGreaterThan(0);
  expect(found.compared).toBeGreaterThanOrEqual(MANY_CHANGES);
}, 3_600_000);

test("L5: the same on a site of several domains, of which a change leaves most verdicts", async () => {
  const store = await storeOf(sampleSite(Number(process.env["PLANNER_LAW_RACKS"] ?? 44)));
  const { compared, turned, written } = await compareWithFresh("sample", store, { seed: 1, count: MANY_WINDOWS });
  process.stdout.write(
    `L5: ${MANY_CHANGES} changes (${written} of the inventory), ${compared} verdicts compared, ${turned} changed\n`,
  );
  expect(written).toBeGreaterThan(0);
  expect(compared).toBeGreaterThanOrEqual(MANY_CHANGES);
}, 36_000_000);
