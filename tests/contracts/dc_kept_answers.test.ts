import { afterAll, describe, expect, test } from "bun:test";
import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { datacenterRpcs } from "#dc/operations/index.ts";
import { detailRegistry } from "#dc/operations/messages/status.ts";
import type { DcStore } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { goodRequests } from "../support/dc/good_requests.ts";
import { openMemory } from "../support/dc/memory/store.ts";
import { START, type TestService, testService } from "../support/dc/service.ts";
import { cables, devices, racks, smallSite } from "../support/dc/small_site.ts";
import { databaseFile } from "../support/dc/stores.ts";
import { sharedPostgres } from "../support/postgres.ts";

const READS = datacenterRpcs.filter(({ effect }) => effect === "read").map(({ method }) => method.name);
const HOUR_S = 3600;

const after = (seconds: number) => new Date(Date.parse(START) + seconds * 1000).toISOString();
const rack = (parts: JsonObject): JsonObject => ({ rack: { ...racks[0], ...parts } });

interface Sites {
  /** Asks and changes. */
  readonly here: TestService;
  /** Another server on the same database. */
  readonly there: TestService;
  moveS(seconds: number): Promise<void>;
}

/** What happens between the questions; time never stands on a boundary by chance. */
const STEPS: readonly (readonly [string, (sites: Sites) => Promise<unknown>])[] = [
  ["nothing", async () => {}],
  [
    "a draw changes through this server",
    ({ here }) => here.call("UpsertDevice", { device: { ...devices[4], allocated_draw_w: 450 } }),
  ],
  [
    "a reservation until in two hours comes through the other server",
    ({ there }) =>
      there.call(
        "UpsertRack",
        rack({ measured_at: after(0), reservations: [{ units: [40], owner: "acme", until: after(2 * HOUR_S) }] }),
      ),
  ],
  ["an hour passes", ({ moveS }) => moveS(HOUR_S)],
  ["the reservation ends", ({ moveS }) => moveS(HOUR_S)],
  ["a cable goes through the other server", ({ there }) => there.call("DeleteCable", cableEnds())],
  ["the measurement is just not stale", ({ moveS }) => moveS(22 * HOUR_S - 1)],
  ["the measurement grows stale", ({ moveS }) => moveS(1)],
  ["the stale measurement grows older", ({ moveS }) => moveS(HOUR_S)],
  ["the cable comes back through this server", ({ here }) => here.call("UpsertCable", { cable: cables[1] ?? {} })],
];

function cableEnds(): JsonObject {
  const { a, b } = cables[1] as Record<"a" | "b", JsonObject>;
  return { a, b };
}

/** The answers of all reads; tokens of pages are sealed anew by each server. */
async function answers(site: TestService): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (const rpc of READS) {
    const { next_page_token: _, ...reply } = await site.call(rpc, goodRequests[rpc]);
    found.set(rpc, reply);
  }
  return found;
}

const DATABASES: Readonly<Record<string, () => Promise<readonly [DcStore, DcStore]>>> = {
  memory: async () => {
    const store = openMemory();
    return [store, store];
  },
  SQLite: async () => {
    const file = databaseFile();
    return [await openSqlite(file), await openSqlite(file)];
  },
  PostgreSQL: async () => {
    const url = await (await sharedPostgres()).database();
    return [await openPostgres(url), await openPostgres(url)];
  },
};

for (const [name, open] of Object.entries(DATABASES)) {
  describe(`kept answers on ${name}`, () => {
    const stores: DcStore[] = [];
    afterAll(async () => {
      for (const store of new Set(stores)) await store.close();
    });

    test("are those of a server that keeps none, whatever happened in between", async () => {
      stores.push(...(await open()));
      const [first, second] = stores;
      const here = await smallSite({ ...(first !== undefined && { store: first }) });
      const there = await testService({ ...(second !== undefined && { store: second }) });
      let movedS = 0;
      const moveS = async (seconds: number) => {
        movedS += seconds;
        for (const { clock } of [here, there]) clock.moveS(seconds);
      };

      for (const [step, happen] of STEPS) {
        await happen({ here, there, moveS });
        const fresh = await testService({ store: here.store });
        fresh.clock.moveS(movedS);
        const expected = await answers(fresh);

        for (const site of [here, there, here]) {
          for (const [rpc, reply] of await answers(site)) {
            expect({ step, rpc, reply }).toEqual({ step, rpc, reply: expected.get(rpc) ?? {} });
          }
        }
      }
    });
  });
}

test("no read changes its request, which may be asked again", async () => {
  const { service } = await smallSite();
  for (const rpc of datacenterRpcs.filter(({ effect }) => effect === "read")) {
    const request = fromJson(rpc.method.input, goodRequests[rpc.method.name] ?? {});
    const before = toJson(rpc.method.input, request, { registry: detailRegistry });

    await service.call(rpc, request, { interface: "REST" });

    expect(toJson(rpc.method.input, request, { registry: detailRegistry })).toEqual(before);
  }
});
