import { afterAll, expect, test } from "bun:test";
import { openPostgres } from "#dc/store/postgres/postgres_store.ts";
import { watchStore } from "#dc/store/server_stores.ts";
import { stored } from "../../../support/dc/stored.ts";
import { PostgresServer } from "../../../support/postgres.ts";

const rack = stored({ code: "R1", heightU: 42 });
const servers: PostgresServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.end();
});

test("a standby answers reads, refuses changes with the reason, is not ready, and is once it is promoted", async () => {
  const server = await PostgresServer.start();
  servers.push(server);
  const url = await server.database();
  const primary = await openPostgres(url);
  await primary.write((writer) => writer.put("rack", rack));
  await primary.close();
  await server.stop();
  server.beStandby();
  await server.start();

  const said: string[] = [];
  const store = watchStore(await openPostgres(url), (message) => said.push(message));
  const isStandby = { kind: "unavailable", message: "The database accepts no changes: it is a standby" };

  expect(await store.read((reader) => reader.stored("rack", "r1"))).toMatchObject({ resource: { code: "R1" } });
  await expect(store.check()).rejects.toMatchObject(isStandby);
  await expect(store.write((writer) => writer.put("rack", rack))).rejects.toMatchObject(isStandby);
  // The log names an outage once a read has told whether reads succeed.
  while (said.length === 0) await Bun.sleep(5);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("it is a standby; changes are refused");

  await server.sql("SELECT pg_promote()");
  await store.check();
  await store.write((writer) => writer.put("rack", rack));
  expect(said.at(-1)).toBe("The database can be used again");
  await store.close();
});
