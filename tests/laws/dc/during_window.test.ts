import { expect, test } from "bun:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { codeKey, formatEdgeKey, parseRef } from "#dc/model/ref.ts";
import { agreeingStores } from "../../support/dc/agreeing_sites.ts";
import { START, type TestService, testService } from "../../support/dc/service.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// A failure as during a window takes what the failure and the window take together and the window alone does not. A plan of a
// floor, a rack, cooling and capacity as during a window are those of a site whose elements are written as off.

const WINDOWS_PER_SITE = 3;
const FAILURES_PER_WINDOW = 12;
const LENGTHS = [
  { ms: 80 * 24 * 3_600_000, assume_battery: false },
  { ms: 1000, assume_battery: true },
];

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;

interface Window {
  readonly refs: readonly string[];
  readonly assume_battery: boolean;
}

async function refsOf(site: TestService, kind: string): Promise<readonly string[]> {
  const { rows = [] }: Json = await site.call("ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 1000 });
  return rows.map(({ ref }: Json) => ref);
}

/** Inlets and power cables, which are no rows of supplies. */
async function inletsOf({ store }: TestService): Promise<readonly string[]> {
  const { devices, cables } = await store.read((reader) => reader.powerInventory());
  const inlets = devices.flatMap(({ code, ports = [] }) =>
    ports.flatMap(({ kind, name }) => (kind === "POWER_IN" ? [`port:${code}/${name}`] : [])),
  );
  const end = ({ deviceCode, portName }: { readonly deviceCode: string; readonly portName: string }) =>
    `${deviceCode}/${portName}`;
  return [...inlets, ...cables.map(({ a, b }) => `cable:${end(a)}~${end(b)}`)];
}

async function storeWindow(site: TestService, refs: readonly string[], ms: number): Promise<boolean> {
  const ends_at = new Date(Date.parse(START) + ms).toISOString();
  const window = { code: "MW", starts_at: START, ends_at, element_refs: [...refs] };
  // An inlet whose cable the inventory has under another name is no element.
  return site.call("UpsertWindow", { window, update_mask: "*" }).then(
    () => true,
    () => false,
  );
}

async function blast(site: TestService, refs: readonly string[], more: JsonObject): Promise<Json> {
  const [source_ref = "", ...additional_source_refs] = refs;
  return site.call("PowerBlastRadius", { source_ref, additional_source_refs, max_items: 10_000, ...more });
}

const offline = ({ affected = [] }: Json): readonly string[] =>
  affected
    .filter(({ kind, state }: Json) => kind !== "ITEM_KIND_RACK" && state === "IMPACT_STATE_OFFLINE")
    .map(({ kind, code }: Json) => `${kind} ${code}`);

/** Compares failures as during the window with failures of all together. @returns how many took something */
async function compareFailures(site: TestService, { refs, assume_battery }: Window, failing: readonly string[]) {
  const { cascade_steps = [] }: Json = await blast(site, refs, { cascade: true, assume_battery });
  const trips = cascade_steps.flatMap(({ trips: some = [] }: Json) => some.map(({ ref }: Json) => ref));
  const out = [...refs, ...trips];
  const alone = new Set(offline(await blast(site, out, { assume_battery })));
  let taking = 0;
  for (const ref of failing) {
    // A feed from outside is known by its consumers alone: once all of them are out, there is none of this name.
    const asked = blast(site, [ref], { assume_battery, during_window: "MW" });
    const during = offline(await asked.catch((error) => (ref.startsWith("feed:") ? {} : Promise.reject(error))));
    const both = offline(await blast(site, [...out, ref], { assume_battery }));
    const expected = both.filter((item) => !alone.has(item)).toSorted();
    // What fails itself counts as off only if it had power.
    expect([refs, ref, during.toSorted()]).toEqual([refs, ref, expected]);
    if (expected.length > 0) taking += 1;
  }
  return taking;
}

test("a failure as during a window takes what it takes together with the window", async () => {
  const compared = { windows: 0, taking: 0 };
  for await (const { store, seed } of agreeingStores()) {
    const random = new SeededRandom(seed + 21);
    const site = await testService({ store });
    const failing = [...(await refsOf(site, "SUPPLY")), ...(await refsOf(site, "CRAC"))];
    const elements = [...failing, ...(await refsOf(site, "RACK")), ...(await inletsOf(site))];
    if (failing.length < 2) continue;
    for (const { ms, assume_battery } of LENGTHS) {
      for (let count = 0; count < WINDOWS_PER_SITE; count += 1) {
        const refs = Array.from({ length: 1 + random.below(3) }, () => random.pick(elements));
        if (!(await storeWindow(site, [...new Set(refs)], ms))) continue;
        const others = failing.filter((ref) => !refs.includes(ref));
        const chosen = Array.from({ length: Math.min(FAILURES_PER_WINDOW, others.length) }, () => random.pick(others));
        compared.taking += await compareFailures(site, { refs: [...new Set(refs)], assume_battery }, chosen);
        compared.windows += 1;
      }
    }
    await site.call("DeleteWindow", { code: "MW", allow_missing: true });
  }
  expect(compared.windows).toBeGreaterThan(20);
  expect(compared.taking).toBeGreaterThan(20);
}, 3_600_000);

type Kind = "device" | "crac" | "fabric_link";

/** Writes resources past the rules, and back to what they were. */
async function written<Result>(
  { store }: TestService,
  wanted: ReadonlyMap<string, { readonly kind: Kind; readonly key: string; readonly change: (before: Json) => Json }>,
  work: () => Promise<Result>,
): Promise<Result> {
  const before: { readonly kind: Kind; readonly stored: Json }[] = [];
  await store.write(async (writer) => {
    for (const { kind, key, change } of wanted.values()) {
      const stored: Json = await writer.stored(kind, key);
      before.push({ kind, stored });
      await writer.put(kind, { ...stored, resource: change(stored.resource) });
    }
  });
  try {
    return await work();
  } finally {
    await store.write(async (writer) => {
      for (const { kind, stored } of before) await writer.put(kind, stored);
    });
  }
}

const WORKING = ["ACTIVE", "STANDBY", "DECOMMISSIONING"];
const switchedOff = (before: Json) =>
  WORKING.includes(before.status ?? "ACTIVE") ? { ...before, status: "OFFLINE" } : before;

/** What has to be written for the effects of a window: what it takes out, what trips, and what goes down with it. */
async function writesOf(site: TestService, refs: readonly string[]) {
  const {
    affected = [],
    cascade_steps = [],
    fabric_links_down: down = [],
  }: Json = await blast(site, refs, { cascade: true });
  const { devices } = await site.store.read((reader) => reader.powerInventory());
  const wanted = new Map<string, { kind: Kind; key: string; change: (before: Json) => Json }>();
  const inside = ({ rackCode = "", parentDeviceCode = "" }: (typeof devices)[number], ref: string) =>
    ref === `rack:${codeKey(rackCode)}` || ref === `device:${codeKey(parentDeviceCode)}`;
  const turnOff = (text: string): void => {
    const [kind = "", name = ""] = text.split(":");
    const key = codeKey(name);
    if (kind === "device" || kind === "crac") wanted.set(text, { kind, key, change: switchedOff });
    for (const device of devices) if (inside(device, `${kind}:${key}`)) turnOff(`device:${device.code}`);
  };
  for (const ref of refs) turnOff(ref);
  const trips: readonly string[] = cascade_steps.flatMap((step: Json) => step.trips ?? []).map(({ ref }: Json) => ref);
  for (const ref of trips) turnOff(ref);
  for (const { kind, code, state } of affected)
    if (kind === "ITEM_KIND_CRAC" && state === "IMPACT_STATE_OFFLINE") turnOff(`crac:${code}`);
  for (const text of down) {
    const ref = parseRef(text);
    if (ref?.kind !== "fabric_link") continue;
    wanted.set(text, {
      kind: "fabric_link",
      key: formatEdgeKey(ref.a, ref.b),
      change: (link) => ({ ...link, status: "DOWN" }),
    });
  }
  return { wanted, isWritable: trips.every((ref) => ref.startsWith("device:")) };
}

/** Replies as during a window, or as things are. */
async function replies(site: TestService, more: JsonObject): Promise<string> {
  const { racks } = await site.store.read((reader) => reader.powerInventory());
  const floors = new Set(
    racks.flatMap(({ location }) => (location === undefined ? [] : `${location.siteId}/${location.floorNumber}`)),
  );
  const render = { format: "RENDER_FORMAT_NONE" };
  const asked: (readonly [string, JsonObject])[] = [
    ...[...floors].flatMap((floor): (readonly [string, JsonObject])[] => [
      ["FloorPlan", { floor_ref: `floor:${floor}`, render }],
      ["ThermalHeadroom", { scope_ref: `floor:${floor}`, render }],
    ]),
    ...racks.slice(0, 3).map(({ code }) => ["GetRack", { code, render }] as const),
    ["GetCapacity", { by: "AREA_KIND_RACK", page_size: 20 }],
    ["RehearseFailures", { page_size: 50 }],
    ...["SUPPLY", "CRAC", "RACK", "FABRIC_LINK"].map(
      (kind) => ["ListInventory", { kind: `INVENTORY_KIND_${kind}`, page_size: 50 }] as const,
    ),
    ["FindPlacement", { count: 2, u_height: 1, draw_w: 300 }],
  ];
  const found: unknown[] = [];
  for (const [rpc, request] of asked) found.push([rpc, request, await site.call(rpc, { ...request, ...more })]);
  return JSON.stringify(
    found,
    (name, value) => (["revision", "etag", "next_page_token"].includes(name) ? undefined : value),
    1,
  );
}

test("replies as during a window are those of a site in which its effects are written", async () => {
  let compared = 0;
  for await (const { name, store, seed } of agreeingStores()) {
    const random = new SeededRandom(seed + 22);
    const site = await testService({ store });
    const elements: string[] = [];
    for (const kind of ["DEVICE", "CRAC", "RACK"]) elements.push(...(await refsOf(site, kind)));
    if (elements.length < 2) continue;
    for (let count = 0; count < 2; count += 1) {
      const refs = [...new Set([random.pick(elements), random.pick(elements)])];
      if (!(await storeWindow(site, refs, LENGTHS[0]?.ms ?? 0))) continue;
      const { wanted, isWritable } = await writesOf(site, refs);
      if (!isWritable) continue;
      const during = await replies(site, { during_window: "MW" });
      await site.call("DeleteWindow", { code: "MW" });
      const model = await written(site, wanted, async () => replies(await testService({ store }), {}));
      expect([name, refs, during]).toEqual([name, refs, model]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(10);
}, 3_600_000);
