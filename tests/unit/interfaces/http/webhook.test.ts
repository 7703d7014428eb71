import { describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { verifyLog } from "#dc/audit/verify_log.ts";
import { computeEtag } from "#dc/operations/writes/changes.ts";
import { WebhookSecrets } from "#interfaces/http/followed_file.ts";
import { OperationError } from "#kernel/errors.ts";
import { openMemory } from "../../../support/dc/memory/store.ts";
import { type Served, served } from "../../../support/dc/served.ts";
import { eachTest } from "../../../support/each_test.ts";
import { http1 } from "../../../support/http_client.ts";
import { later } from "../../../support/later.ts";

const SECRET = "a-secret-of-the-feed";
const AUTH = { authorization: `Bearer ${SECRET}`, "content-type": "application/json" };
const RACK = { code: "R1", location: { site_id: "S1", floor_number: 1 } };
/** A moment after the service's own writes, as CockroachDB's clock tells it. */
const HLC = "1767323050000000000.0000000000";

const open = () => served({ webhookSecret: SECRET });

async function post(at: Served, body: unknown, headers: Record<string, string> = AUTH, query = "") {
  const sent = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const {
    status,
    text,
    headers: told,
  } = await http1(`${at.url}/audit/webhook${query}`, {
    method: "POST",
    headers,
    body: sent,
  });
  return { status, headers: told, body: JSON.parse(text) };
}

/** The row that the database holds of a rack, as a feed sends it. */
async function rackRow(at: Served, code: string, parts: Record<string, unknown> = {}) {
  const stored = await at.site.store.read((reader) => reader.stored("rack", code.toLowerCase()));
  if (stored === undefined) throw new Error(`There is no rack "${code}"`);
  const resource = { ...stored.resource, ...parts };
  return {
    key: code.toLowerCase(),
    code,
    asset_tag: null,
    site: "s1",
    floor: 1,
    body: JSON.stringify(resource),
    etag: computeEtag(resource),
    create_time: stored.createTime,
    update_time: stored.updateTime,
  };
}

const wrapped = (after: object | null, parts: object = {}) => ({
  after,
  key: ["r1"],
  topic: "rack",
  updated: HLC,
  ...parts,
});
const batch = (...payload: object[]) => ({ payload, length: payload.length });

async function history(at: Served) {
  const { text } = await http1(`${at.url}/audit/history?order=asc`);
  return JSON.parse(text);
}

const at = eachTest(open);

describe("The webhook", () => {
  test("knows the service's own writes and logs nothing twice", async () => {
    await at.site.call("UpsertRack", { rack: RACK });
    at.site.clock.moveS(1);
    const first = await rackRow(at, "R1");
    await at.site.call("UpsertRack", { rack: { ...RACK, name: "row end" } });
    const second = await rackRow(at, "R1");

    const both = await post(at, batch(wrapped(first), wrapped(second, { updated: `${HLC.slice(0, -1)}1` })));
    const again = await post(at, batch(wrapped(first)));

    expect(both.body).toEqual({ accepted: 2, duplicates: 0, out_of_band: 0, ignored: 0, dead_letters: 0 });
    expect(again.body).toEqual({ accepted: 0, duplicates: 1, out_of_band: 0, ignored: 0, dead_letters: 0 });
    expect((await history(at)).entries).toHaveLength(2);
  });

  test("logs a write behind the service's back, in the chain, and drops what was cached", async () => {
    await at.site.call("UpsertRack", { rack: RACK });
    const before = await rackRow(at, "R1");
    const after = await rackRow(at, "R1", { name: "by hand" });
    const revision = await at.site.store.read((reader) => reader.revision());

    const { status, body } = await post(at, batch(wrapped(after, { before })));

    expect([status, body.out_of_band]).toEqual([200, 1]);
    expect((await history(at)).entries[1]).toMatchObject({
      entity: "rack:R1",
      action: "UPDATE",
      outcome: "UPDATED",
      source: "OUT_OF_BAND",
      commit: HLC,
      occurred_at: "2026-01-02T03:04:10.000Z",
      changed_fields: ["name"],
      before: { code: "R1" },
      after: { code: "R1", name: "by hand" },
      actor: { principal: "unknown" },
      request: { interface: "WEBHOOK", method: "AuditWebhook" },
    });
    expect(await at.site.store.read((reader) => reader.revision())).toBe(revision + 1);
    expect(await at.site.store.read((reader) => verifyLog(reader))).toMatchObject({ ok: true, head: { seq: 2 } });
  });

  test("sees that an old version was put back", async () => {
    await at.site.call("UpsertRack", { rack: RACK });
    const old = await rackRow(at, "R1");
    at.site.clock.moveS(1);
    await at.site.call("UpsertRack", { rack: { ...RACK, name: "new" } });
    await post(at, batch(wrapped(old), wrapped(await rackRow(at, "R1"), { updated: "1767323051000000000.0" })));

    const { body } = await post(at, batch(wrapped(old, { updated: "1767323052000000000.0" })));

    expect(body.out_of_band).toBe(1);
  });

  test("tells a deletion of ours from one by hand", async () => {
    for (const code of ["R1", "R2"]) await at.site.call("UpsertRack", { rack: { ...RACK, code } });
    await at.site.call("DeleteRack", { code: "R1" });

    const ours = await post(at, batch(wrapped(null)));
    const theirs = await post(at, batch(wrapped(null, { key: ["r2"] })));

    expect([ours.body.out_of_band, theirs.body.out_of_band]).toEqual([0, 1]);
    expect((await history(at)).entries.at(-1)).toMatchObject({ entity: "rack:r2", action: "DELETE", after: null });
  });

  test("watches ports, which are rows of their own", async () => {
    const device = { code: "D1", kind: "DEVICE_KIND_SERVER", location: RACK.location };
    await at.site.call("UpsertDevice", { device: { ...device, ports: [{ name: "p/1", kind: "PORT_KIND_NETWORK" }] } });
    const port = (body: object) => ({
      after: { device_key: "d1", name: "p/1", body: JSON.stringify({ name: "p/1", kind: "NETWORK", ...body }) },
      key: ["d1", "p/1"],
      topic: "port",
    });

    const ours = await post(at, batch(port({})));
    const theirs = await post(at, batch(port({ enabled: false })));

    expect([ours.body.out_of_band, theirs.body.out_of_band]).toEqual([0, 1]);
    expect((await history(at)).entries.at(-1)).toMatchObject({ entity: "port:d1/p/1", source: "OUT_OF_BAND" });
  });

  test("understands every dialect", async () => {
    const row = { key: "r1", body: JSON.stringify(RACK), update_time: "2026-01-01T00:00:00.000Z" };
    const source = { table_name: "rack", ts_hlc: "1767323060000000000.0", primary_keys: ["key"] };
    const debezium = {
      connector: "postgresql",
      db: "dc",
      schema: "public",
      table: "rack",
      lsn: 4711,
      ts_ms: 1767323061000,
    };
    const bodies = [
      batch({ ...row, __crdb__: { key: ["r1"], topic: "dc.public.rack", updated: HLC } }),
      batch({ payload: { after: row, op: "u", source, ts_ns: 1 }, key: { key: "r1" }, schema: {} }),
      {
        schema: {},
        payload: { before: null, after: { ...row, body: '{"code":"R1"}' }, source: debezium, op: "u", ts_ms: 5 },
      },
      [{ before: row, after: null, source: { ...debezium, lsn: 4712 }, op: "d" }],
    ];

    const told = [];
    for (const body of bodies) told.push((await post(at, body)).body);

    expect(told.map(({ accepted, dead_letters }) => [accepted, dead_letters])).toEqual(bodies.map(() => [1, 0]));
    expect((await history(at)).entries.map(({ action }: { action: string }) => action)).toEqual([
      "CREATE",
      "UPDATE",
      "DELETE",
    ]);
  });

  test("says in the history how far the feeds are", async () => {
    const through = async () => (await history(at)).complete_through;

    const without = await through();
    const replies = [
      await post(at, { resolved: "1767322000000000000.0000000000" }),
      await post(at, { resolved: "999999999.1" }),
      await post(at, { resolved: "1767321000000000000.0000000000" }, AUTH, "?feed=second"),
    ];
    const slowest = await through();
    await post(at, { resolved: "1767329999000000000.0" }, AUTH, "?feed=second");

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([without, slowest, await through()]).toEqual([
      "2026-01-02T03:04:05.000Z",
      "2026-01-02T02:30:00.000Z",
      "2026-01-02T02:46:40.000Z",
    ]);
  });

  test("keeps aside what cannot be understood, takes the rest and counts it", async () => {
    const row = { key: "r9", body: "no JSON", update_time: "x" };

    const mixed = await post(
      at,
      batch(wrapped(row), { what: "else" }, wrapped({ key: "r1", body: JSON.stringify(RACK) })),
    );
    const single = await post(at, { unknown: true });

    expect([mixed.status, mixed.body]).toEqual([
      200,
      { accepted: 1, duplicates: 0, out_of_band: 1, ignored: 0, dead_letters: 2 },
    ]);
    expect([single.status, single.body.dead_letters]).toEqual([200, 1]);
    const letters = await at.site.store.read((reader) => reader.deadLetters(10));
    expect(letters.map(({ reason }) => reason).toSorted()).toEqual([
      "An event is of no dialect that is known: expected CockroachDB's or Debezium's",
      "An event is of no dialect that is known: expected CockroachDB's or Debezium's",
      "The row's body is no Rack",
    ]);
    expect((await http1(`${at.url}/metrics`)).text).toContain("planner_dc_dead_letters_total 3\n");
  });

  test("keeps what was sent, which can be taken later or thrown away", async () => {
    const caller = { interface: "SYSTEM" } as const;
    const row = { key: "r1", body: "no JSON" };
    const sent = wrapped(row);
    await at.site.call("UpsertRack", { rack: RACK });
    const understood = wrapped(await rackRow(at, "R1", { name: "by hand" }));
    await post(at, batch(sent));
    const [letter] = await at.site.store.read((reader) => reader.deadLetters(1));
    if (letter === undefined) throw new Error("Nothing was kept");
    await at.site.store.write((writer) =>
      writer.keepDeadLetter({ ...letter, id: "later", body: JSON.stringify(understood) }),
    );

    const again = at.site.service.settleDeadLetter(letter.id, "replay", caller);
    await expect(again).rejects.toThrow(letter.reason);
    const receipt = await at.site.service.settleDeadLetter("later", "replay", caller);
    await at.site.service.settleDeadLetter(letter.id, "drop", caller);

    expect(JSON.parse(letter.body)).toEqual(sent);
    expect(receipt).toMatchObject({ accepted: 1, outOfBand: 1 });
    expect((await history(at)).entries[1]).toMatchObject({ entity: "rack:R1", source: "OUT_OF_BAND" });
    expect(await at.site.store.read((reader) => reader.deadLetters(10))).toEqual([]);
    await expect(at.site.service.settleDeadLetter("none", "drop", caller)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("opens by the secrets that its file holds now", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "planner-feed-")), "feed.txt");
    writeFileSync(path, `${SECRET}\n`);
    const said: string[] = [];
    const secret = await WebhookSecrets.open(path, (message) => said.push(message));
    const kindOf = (given: string) =>
      secret.checkAuthorization(`Bearer ${given}`).then(
        () => "open",
        ({ kind }) => kind,
      );

    const before = [await kindOf(SECRET), await kindOf("another-secret-of-it")];
    writeFileSync(path, "another-secret-of-it\n");
    const after = await later(async () => [await kindOf(SECRET), await kindOf("another-secret-of-it")]);
    writeFileSync(path, "short\n");
    const broken = await later(() => kindOf("another-secret-of-it"));

    expect([before, after, broken]).toEqual([["open", "unauthenticated"], ["unauthenticated", "open"], "unavailable"]);
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain("another-secret");
  });

  test("never logs its own tables", async () => {
    const { body } = await post(at, batch({ after: { seq: 1 }, key: [1], topic: "change_log", updated: HLC }));

    expect(body).toMatchObject({ accepted: 0, ignored: 1 });
    expect((await history(at)).entries).toEqual([]);
  });

  test("takes a compressed body", async () => {
    const { status } = await post(at, gzipSync('{"payload":[],"length":0}'), { ...AUTH, "content-encoding": "gzip" });

    expect(status).toBe(200);
  });

  test.each([
    ["no secret", { "content-type": "application/json" }, "{}", 401],
    ["another secret", { ...AUTH, authorization: "Bearer another-secret-of-it" }, "{}", 401],
    ["another type", { ...AUTH, "content-type": "text/csv" }, "{}", 415],
    ["another encoding", { ...AUTH, "content-encoding": "zstd" }, "{}", 415],
    ["a broken gzip", { ...AUTH, "content-encoding": "gzip" }, "{}", 400],
    ["no JSON", AUTH, "{", 400],
    ["a length that is not so", AUTH, '{"payload":[],"length":2}', 400],
    ["a body that is too large", AUTH, new Uint8Array(16 * 1024 * 1024 + 1), 413],
    [
      "a body that unfolds too large",
      { ...AUTH, "content-encoding": "gzip" },
      gzipSync(new Uint8Array(17 * 1024 * 1024)),
      413,
    ],
  ])("refuses %s", async (_, headers, body, status) => {
    const answer = await post(at, body, headers);

    expect([answer.status, typeof answer.body.message]).toEqual([status, "string"]);
    expect(at.defects).toEqual([]);
  });

  test("is closed while the operator has set no secret", async () => {
    const at = await served();

    expect(await post(at, {})).toMatchObject({ status: 403, body: { code: "permission_denied" } });
  });

  test("asks for the delivery again while the database is down", async () => {
    const store = { ...openMemory(), down: false };
    const at = await served({
      webhookSecret: SECRET,
      store: {
        ...store,
        write: (work) => {
          if (store.down) throw new OperationError("unavailable", "The database is locked by another process");
          return store.write(work);
        },
      },
    });
    store.down = true;

    expect(await post(at, { resolved: HLC })).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });

  test("is told by its method alone", async () => {
    const { status, headers } = await http1(`${at.url}/audit/webhook`);

    expect([status, headers.allow]).toEqual([405, "POST"]);
  });
});
