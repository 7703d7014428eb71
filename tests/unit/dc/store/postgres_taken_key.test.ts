import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Rack, ResourceByKind } from "#dc/model/resources.ts";
import type { DcStore, StoredVersion } from "#dc/ports.ts";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { sharedPostgres } from "../../../support/postgres.ts";

let url: string;
let store: DcStore;

beforeAll(async () => {
  url = await (await sharedPostgres()).database();
  store = await openPostgres(url);
});

afterAll(() => store.close());

const rack = (name: string): StoredVersion<ResourceByKind["rack"]> => {
  const resource: Rack = { code: "R1", name, location: { siteId: "S1", floorNumber: 1 } };
  return { resource, etag: "e", createTime: "2026-01-02T03:04:05.000Z", updateTime: "2026-01-02T03:04:05.000Z" };
};

/** Adds a rack as a program does that knows nothing of the service. */
async function addBehindOurBack(): Promise<void> {
  const values = `'r1', 'R1', 's1', 1, '{"code":"R1"}', 'x', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`;
  const columns = "key, code, site, floor, body, etag, create_time, update_time";
  await (await sharedPostgres()).sql(`INSERT INTO rack (${columns}) VALUES (${values})`, url);
}

test("a resource that somebody adds between the look and the write is written on the next try", async () => {
  const found: (string | undefined)[] = [];

  await store.write(async (writer) => {
    const before = await writer.stored("rack", "r1");
    found.push(before?.etag);
    if (found.length === 1) await addBehindOurBack();
    await writer.put("rack", rack("ours"));
  });

  expect(found).toEqual([undefined, "x"]);
  expect((await store.read((reader) => reader.rack("R1")))?.name).toBe("ours");
});
