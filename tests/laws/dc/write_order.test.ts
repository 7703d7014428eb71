import { expect, test } from "bun:test";
import { type DescMessage, type JsonObject, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import { Refusal } from "#dc/model/refusal.ts";
import { convertToMessage } from "#dc/operations/messages/convert.ts";
import {
  CableSchema,
  CracSchema,
  DeviceSchema,
  FabricLinkSchema,
  RackSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { ams1 } from "../../support/dc/ams1.ts";
import { cooledWorld } from "../../support/dc/cooled_world.ts";
import { shuffled } from "../../support/dc/fibre_world.ts";
import { furnished } from "../../support/dc/furnished.ts";
import { openMemory } from "../../support/dc/memory/store.ts";
import { oddSite } from "../../support/dc/odd_site.ts";
import { drawnInventory } from "../../support/dc/power_model/inventory.ts";
import { type TestService, testService } from "../../support/dc/service.ts";
import { LAW_INVENTORIES } from "../../support/law_inventories.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

// Whatever order things are written in, one by one or in bulk: every question has the same answer, and every picture is the
// same. History chooses nothing.

/** Some inventories have hundreds of things to ask about. */
const ASKED_OF_A_KIND = Number(process.env["PLANNER_LAW_ASKED"] ?? 4);
const WHOLE_SITES = LAW_INVENTORIES >= 100;

const KINDS = ["rack", "device", "crac", "cable", "fabric_link"] as const;
type Kind = (typeof KINDS)[number];
type Write = readonly [kind: Kind, item: JsonObject];

const UPSERTS: Readonly<Record<Kind, string>> = {
  rack: "UpsertRack",
  device: "UpsertDevice",
  crac: "UpsertCrac",
  cable: "UpsertCable",
  fabric_link: "UpsertFabricLink",
};
const BULKS: Partial<Record<Kind, string>> = {
  rack: "BulkUpsertRacks",
  device: "BulkUpsertDevices",
  crac: "BulkUpsertCracs",
  cable: "BulkUpsertCables",
};

function json<Schema extends DescMessage>(schema: Schema, items: readonly unknown[]): readonly JsonObject[] {
  return items.map(
    (item) =>
      toJson(schema, convertToMessage(schema, item as MessageInitShape<Schema>), {
        useProtoFieldName: true,
      }) as JsonObject,
  );
}

function drawnWrites(seed: number): readonly Write[] {
  const random = new SeededRandom(seed);
  const { racks, devices, cracs, cables, fabricLinks } = furnished(
    seed % 2 === 0 ? drawnInventory(seed) : cooledWorld(random),
    random,
  );
  return writesOf({
    racks: json(RackSchema, racks),
    devices: json(DeviceSchema, devices),
    cracs: json(CracSchema, cracs),
    cables: json(CableSchema, cables),
    fabric_links: json(FabricLinkSchema, fabricLinks),
  });
}

function writesOf(site: typeof ams1): readonly Write[] {
  return KINDS.flatMap((kind) => site[`${kind}s`].map((item): Write => [kind, item]));
}

/** Writes in an order, and again what had to wait for others. @returns what was accepted */
async function written({ call }: TestService, writes: readonly Write[]): Promise<readonly Write[]> {
  const accepted: Write[] = [];
  let left = writes;
  for (;;) {
    const refused: Write[] = [];
    for (const [kind, item] of left) {
      const done = await call(UPSERTS[kind], { [kind]: item }).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
          return false;
        },
      );
      (done ? accepted : refused).push([kind, item]);
    }
    if (refused.length === 0 || refused.length === left.length) return accepted;
    left = refused;
  }
}

/** The same by kinds, a random number of items in each call. */
async function writtenInBulk(site: TestService, writes: readonly Write[], random: SeededRandom): Promise<void> {
  for (const kind of KINDS) {
    const rest = shuffled(
      writes.filter(([one]) => one === kind),
      random,
    );
    const bulk = BULKS[kind];
    const left: Write[] = [];
    while (rest.length > 0) {
      const batch = rest.splice(0, 1 + random.below(Math.min(rest.length, MAX_BATCH_ITEMS)));
      const reply = bulk === undefined ? {} : await site.call(bulk, { items: batch.map(([, item]) => item) });
      if (reply.committed !== true) left.push(...batch);
      else left.push(...batch.filter((_, at) => reply.results[at].error !== undefined));
    }
    expect(await written(site, left)).toHaveLength(left.length);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any;
type Question = readonly [rpc: string, request: JsonObject];

const WHOLE: readonly Question[] = [
  ["SearchDevices", {}],
  ["GetCapacity", { by: "AREA_KIND_ROW" }],
  ["GetCapacity", { by: "AREA_KIND_RACK" }],
  ["RehearseFailures", { cascade: true, max_elements: 100 }],
  ["RehearseFailures", { max_elements: 100, assume_battery: true, load_basis: "LOAD_BASIS_MAX" }],
  ["RehearseFailures", { cascade: true, pairs: true, max_elements: 100 }],
  ["FindPlacement", { u_height: 1, draw_w: 100, count: 3 }],
  ["FindPlacement", { u_height: 1, draw_w: 100, redundancy: "REDUNDANCY_TWO_N" }],
  ["SearchInventory", { query: "r" }],
];
const LISTED = "SITE FLOOR ROOM ROW RACK DEVICE PORT CABLE CRAC SUPPLY FABRIC FABRIC_LINK".split(" ");

/** What is asked about a thing, by the kind of its reference. */
const ABOUT: Readonly<Record<string, (ref: string) => readonly Question[]>> = {
  rack: (ref) => [["GetRack", { code: ref.slice(5) }], ...failing(ref), ["Render", { subject_ref: ref }]],
  device: (ref) => [
    ["GetDevice", { code: ref.slice(7) }],
    ...failing(ref),
    ["Render", { subject_ref: ref }],
    ["Render", { subject_ref: ref, screen: "SCREEN_POWER" }],
    ["PreviewChanges", { changes: [{ delete_device: { code: ref.slice(7) } }] }],
    ["PreviewChanges", { changes: [{ device: { code: ref.slice(7), allocated_draw_w: 5000 } }] }],
  ],
  port: (ref) => [
    ["GetPort", { port_ref: ref }],
    ["TraceCablePath", { port_ref: ref, follow_splits: true }],
    ["PowerBlastRadius", { source_ref: ref }],
    ["Render", { subject_ref: ref }],
  ],
  crac: (ref) => [...failing(ref), ["Render", { subject_ref: ref }]],
  feed: (ref) => [...failing(ref), ["Render", { subject_ref: ref }]],
  cable: (ref) => failing(ref),
  fabric_link: (ref) => failing(ref),
  fabric: (ref) => [
    ["FabricTopology", { fabric_id: ref.slice(7) }],
    ["Render", { subject_ref: ref }],
  ],
  floor: (ref) => [
    ["FloorPlan", { floor_ref: ref }],
    ["ThermalHeadroom", { scope_ref: ref, what_if_failed: true }],
    ["ThermalHeadroom", { scope_ref: ref }],
    ["Render", { subject_ref: ref }],
    ["Render", { subject_ref: ref, screen: "SCREEN_THERMAL" }],
    ...failing(ref),
  ],
  row: failing,
  room: failing,
  site: failing,
};

function failing(ref: string): readonly Question[] {
  return [
    ["PowerBlastRadius", { source_ref: ref, include_protected: true, include_undocumented: true }],
    ["PowerBlastRadius", { source_ref: ref, cascade: true, assume_battery: true, max_items: 3 }],
  ];
}

async function ask({ call }: TestService, [rpc, request]: Question): Promise<Json> {
  return call(rpc, request).then(withoutHistory, (error: unknown) =>
    error instanceof Error ? withoutRevision(error.message) : error,
  );
}

/** When and in which revision something was written is history, which answers may tell. */
function withoutHistory(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutHistory);
  if (typeof value === "string") return withoutRevision(value);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(
    ([key]) => !/^(revision|etag|next_page_token|created_at|updated_at|recent)$/.test(key),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutHistory(item)]));
}

function withoutRevision(text: string): string {
  return text.replace(/revision \d+/g, "revision");
}

async function questions(site: TestService, random: SeededRandom): Promise<readonly Question[]> {
  const lists: Question[] = LISTED.map((kind) => [
    "ListInventory",
    { kind: `INVENTORY_KIND_${kind}`, page_size: 1000 },
  ]);
  const refs: string[] = [];
  for (const [rpc, request] of lists) for (const { ref } of (await site.call(rpc, request)).rows ?? []) refs.push(ref);
  const byKind = Map.groupBy(new Set(refs), (ref) => ref.slice(0, ref.indexOf(":")));
  const asked = [...byKind.values()].flatMap((of) => shuffled(of, random).slice(0, ASKED_OF_A_KIND));
  return [...lists, ...WHOLE, ...asked.flatMap((ref) => ABOUT[ref.slice(0, ref.indexOf(":"))]?.(ref) ?? [])];
}

function* sites(): Generator<{ readonly name: string; readonly writes: readonly Write[] }> {
  if (WHOLE_SITES) yield { name: "AMS1", writes: writesOf(ams1) };
  yield { name: "odd names", writes: writesOf(oddSite) };
  for (let seed = 0; seed < Math.ceil(LAW_INVENTORIES / 5); seed += 1)
    yield { name: `inventory ${seed}`, writes: drawnWrites(seed) };
}

test("every answer and picture is the same whatever order things were written in", async () => {
  let compared = 0;
  for (const { name, writes } of sites()) {
    const random = new SeededRandom(name.length + writes.length);
    const service = () => testService({ store: openMemory() });
    const [first, second, third] = [await service(), await service(), await service()];
    const accepted = await written(first, writes);
    // It follows each write, and the others come upon the outcome.
    await second.call("RehearseFailures", {});
    expect(await written(second, shuffled(accepted, random))).toHaveLength(accepted.length);
    await writtenInBulk(third, accepted, random);
    for (const question of await questions(first, random)) {
      const expected = await ask(first, question);
      for (const site of [second, third])
        expect([name, ...question, await ask(site, question)]).toEqual([name, ...question, expected]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
}, 600_000);
