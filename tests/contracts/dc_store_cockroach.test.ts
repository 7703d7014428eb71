import { afterAll, describe, expect, test } from "bun:test";
import type { DcStore } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { CockroachFront } from "../support/cockroach_front.ts";
import { ams1 } from "../support/dc/ams1.ts";
import { fill } from "../support/dc/ams1_inventory.ts";
import { unknownForm } from "../support/dc/cockroach_forms.ts";
import { testService } from "../support/dc/service.ts";
import { stored } from "../support/dc/stored.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { QUESTIONS } from "./dc_answers.ts";
import { dcStoreContract } from "./dc_store.ts";

/** Transactions between two that end with 40001. */
const FAIL_EVERY = 2;
/** Statements of the migration between two kills that are tried. */
const KILL_EVERY = 17;

/** Servers that write at the same moment, and how often each. */
const SERVERS = 6;
const WRITES = 10;

/** Every field of a search that becomes a condition. */
const FILTERS = [
  { query: "pdu", kinds: ["DEVICE_KIND_SERVER"], roles: ["leaf"], statuses: ["DEVICE_STATUS_ACTIVE"] },
  { site_ids: ["AMS1"], floor_refs: ["floor:AMS1/1"], rack_codes: ["A01", "B01"], racked: true },
  { manufacturers: ["acme"], models: ["x"], tags: ["a", "b"], labels: { tier: "1" }, single_corded: true },
  { min_draw_w: 1, max_draw_w: 9000, updated_since: "2020-01-01T00:00:00Z", port_type: "SFP28", has_free_port: true },
  { fed_by: "device:UPS-A1" },
  { redundancy_unmet: true, redundancy_unknown: false, supply_states: ["SUPPLY_STATE_LIVE"] },
];

const fronts: CockroachFront[] = [];
let databases = 0;

/** A database behind a front, empty unless it is copied. Its text is in the order of bytes, as CockroachDB's is. */
async function front(failEvery = 0, template = "template0 LOCALE_PROVIDER libc LOCALE 'C'"): Promise<CockroachFront> {
  const server = await sharedPostgres();
  databases += 1;
  const name = `roach_${databases}`;
  await server.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const made = await CockroachFront.start(server.url(name), { failEvery });
  fronts.push(made);
  return made;
}

afterAll(() => {
  for (const one of fronts) one.close();
});

let migrated: Promise<string> | undefined;

/** A front of a copy of one database, in which the steps of the schema were run behind a front as well. */
async function migratedFront(): Promise<CockroachFront> {
  migrated ??= front(FAIL_EVERY).then(async ({ url }) => {
    await (await openPostgres(url)).close();
    return new URL(url).pathname.slice(1);
  });
  return front(FAIL_EVERY, await migrated);
}

dcStoreContract("cockroach, by its documented rules,", async () => openPostgres((await migratedFront()).url));

describe("Under the documented rules of CockroachDB", () => {
  test("every statement has an allowed form, and transactions that end with 40001 are tried again", () => {
    expect(fronts.flatMap(({ violations }) => violations)).toEqual([]);
    expect(fronts.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(5);
    const seen = new Set(fronts.flatMap(({ statements }) => [...statements]));
    expect([...seen].some((sql) => sql.includes("jsonb_array_elements_text"))).toBe(true);
    expect([...seen].map(unknownForm).filter((problem) => problem !== undefined)).toEqual([]);
  });

  test("every statement of a whole site, its questions and its changes has an allowed form", async () => {
    const made = await front();
    const store = await openPostgres(made.url);
    await fill(store, ams1);
    const { call, service } = await testService({ store });
    for (const { rpc, request } of Object.values(QUESTIONS)) await call(rpc, request);
    for (const filter of FILTERS) await call("SearchDevices", { filter, page_size: 3 });
    for (const order_by of ["name desc", "rack_code", "update_time desc", "draw_w", "position_u"]) {
      const { next_page_token } = await call("SearchDevices", { order_by, page_size: 3 });
      await call("SearchDevices", { order_by, page_size: 3, page_token: String(next_page_token) });
    }
    for (const entity of ["rack:A01", "device:PDU-A01-A"]) {
      await service.readHistory({ entity, actor: "anonymous", action: "CREATE" }, { interface: "REST" });
      await service.readHistory({ entity, actor: "none:anonymous" }, { interface: "REST" });
    }
    const location = { site_id: "AMS1", floor_number: 1 };
    const ports = [{ name: "e0", kind: "PORT_KIND_NETWORK", type: "1000base-t" }];
    const many = (prefix: string, more: object) =>
      [0, 1, 2].map((at) => ({ code: `${prefix}-${at}`, location, ...more }));
    const server = { kind: "DEVICE_KIND_SERVER", ports };
    const cable = { a: { device_code: "NEW-0", port_name: "e0" }, b: { device_code: "NEW-1", port_name: "e0" } };
    const bulks = {
      BulkUpsertRacks: many("NEW-R", {}),
      BulkUpsertDevices: many("NEW", server),
      BulkUpsertCracs: many("NEW-C", { kind: "CRAC_KIND_CRAH", sensible_capacity_kw: 9 }),
      BulkUpsertCables: [cable],
    };
    // Twice: what is new is written otherwise than what is there.
    for (const atomic of [true, false]) {
      for (const [rpc, items] of Object.entries(bulks)) await call(rpc, { items, atomic });
    }
    const changes = [
      { device: { code: "NEW-2", location, ...server, name: "changed" } },
      { device: { code: "NEW-3", location, ...server } },
    ];
    await call("ApplyChanges", { changes });
    await call("DeleteRack", { code: "A01" }).catch(() => {});
    await store.close();

    expect(made.statements.size).toBeGreaterThan(60);
    expect([...made.statements].map(unknownForm).filter((problem) => problem !== undefined)).toEqual([]);
  });

  test("writers of several servers lose no change and all succeed", async () => {
    const { url, violations } = await front();
    const stores = await Promise.all(Array.from({ length: SERVERS }, () => openPostgres(url)));
    const seen: number[] = [];
    const write = async (store: DcStore, code: string) => {
      const revision = await store.write(async (writer) => {
        const count = Number((await writer.document("space", "count")) ?? 0);
        await writer.putDocument("space", "count", String(count + 1));
        await writer.put("device", stored({ code, kind: "SERVER", role: "compute" }));
        return writer.raiseRevision();
      });
      seen.push(revision);
    };

    await Promise.all(
      stores.map(async (store, server) => {
        for (let n = 0; n < WRITES; n += 1) await write(store, `S${server}-${n}`);
      }),
    );

    const all = SERVERS * WRITES;
    const found = await stores[0]?.read(async (reader) => ({
      count: await reader.document("space", "count"),
      devices: (await reader.page("device", "", all + 1)).length,
      revision: await reader.revision(),
    }));
    for (const store of stores) await store.close();
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: all }, (_, index) => index + 1));
    expect(found).toEqual({ count: String(all), devices: all, revision: all });
    expect(violations).toEqual([]);
  });

  const shape = async (url: string) => {
    const server = await sharedPostgres();
    const columns = await server.sql(
      "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
      url,
    );
    const indexes = await server.sql("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1", url);
    const rows = await server.sql(
      "SELECT name, value FROM setting UNION ALL SELECT name, step::text FROM migration ORDER BY 1, 2",
      url,
    );
    return { columns, indexes, rows };
  };

  test("a migration that is killed behind any statement is finished by the next server", async () => {
    const server = await sharedPostgres();
    const whole = await front();
    let statements = 0;
    const store = await openPostgres(whole.url, () => {
      statements += 1;
    });
    await store.close();
    const expected = await shape(whole.url);

    for (let last = 3; last < statements; last += KILL_EVERY) {
      const { url } = await front();
      let sent = 0;
      const killed = openPostgres(url, () => {
        sent += 1;
        if (sent > last) throw new Error("killed");
      });
      await expect(killed).rejects.toThrow();
      // As if the time of its lease had passed.
      await server.sql("UPDATE migration_lease SET until = 0", url).catch(() => {});
      await (await openPostgres(url)).close();

      expect({ last, shape: await shape(url) }).toEqual({ last, shape: expected });
    }
    expect(fronts.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test("servers that start at the same moment take the steps once", async () => {
    const { url } = await front();

    const stores = await Promise.all([0, 1, 2].map(() => openPostgres(url)));
    await stores[2]?.write((writer) => writer.raiseRevision());

    expect(await stores[0]?.revision()).toBe(1);
    for (const store of stores) await store.close();
  }, 240_000);
});
