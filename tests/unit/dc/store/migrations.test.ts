import { expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { verifyLog } from "#dc/audit/verify_log.ts";
import type { DeviceFilter, DeviceQuery } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { ams1Database } from "../../../support/dc/ams1_inventory.ts";
import { testService } from "../../../support/dc/service.ts";
import { putAll } from "../../../support/dc/stored.ts";
import { databaseFile } from "../../../support/dc/stores.ts";

const WITHOUT_READINGS = "DROP TABLE reading_history; DROP TABLE reading";
/** Takes back the last two steps. */
const WITHOUT_DATA_PORTS = `${WITHOUT_READINGS}; DROP INDEX port_type_some; ALTER TABLE port_type DROP COLUMN data_free;
  CREATE INDEX port_type_some ON port_type (device_key)`;

const query = (filter: DeviceFilter): DeviceQuery => ({ filter, order: "code", descending: false, limit: 3 });

test("a database from before the search's tables finds the same as one that always had them", async () => {
  const file = await ams1Database();
  const store = await openSqlite(file);
  const asked = query({ portType: "25gbase-x-sfp28", hasFreePort: true });
  const before = await store.read((reader) => reader.searchDevices(asked));
  await store.close();
  const database = new DatabaseSync(file);
  database.exec(`DROP TABLE document; DROP TABLE audit_checkpoint; DROP TABLE port_type; ${WITHOUT_READINGS}`);
  database.exec("DROP INDEX device_search; DROP INDEX device_cords; CREATE INDEX device_role ON device (role)");
  database.exec("DELETE FROM migration WHERE step > 2; DELETE FROM setting WHERE name LIKE 'audit%'");
  database.close();

  const reopened = await openSqlite(file);

  expect(before.total).toBeGreaterThan(0);
  expect(await reopened.read((reader) => reader.searchDevices(asked))).toEqual(before);
  await reopened.close();
});

test("a change log from before its head was recorded is taken over, and the point of it remembered", async () => {
  const file = databaseFile();
  const { store, call } = await testService({ store: await openSqlite(file) });
  const location = { site_id: "S", floor_number: 1 };
  await call("UpsertRack", { rack: { code: "A", location } });
  const { hash } = await store.read((reader) => reader.chainHead());
  await store.close();
  const database = new DatabaseSync(file);
  database.exec("DROP TABLE audit_checkpoint; DELETE FROM setting WHERE name LIKE 'audit%'");
  database.exec("DELETE FROM migration WHERE step >= 6");
  database.exec(WITHOUT_DATA_PORTS);
  database.close();

  const upgraded = await testService({ store: await openSqlite(file) });
  await upgraded.call("UpsertRack", { rack: { code: "B", location } });

  const [since, verdict] = await upgraded.store.read(async (reader) => [
    await reader.setting("audit_since"),
    await verifyLog(reader),
  ]);
  expect(since).toBe(`1 ${hash}`);
  expect(verdict).toMatchObject({ ok: true, head: { seq: 2 } });
  await upgraded.store.close();
});

test("a coolant distribution unit stored without a medium cools liquid after the migration", async () => {
  const file = databaseFile();
  const store = await openSqlite(file);
  const unit = { code: "CDU-1", kind: "CDU", medium: "AIR", sensibleCapacityKw: 90 } as const;
  await store.write((writer) => putAll(writer, "crac", [unit]));
  await store.close();
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM migration WHERE step >= 7");
  database.exec(WITHOUT_DATA_PORTS);
  database.close();

  const reopened = await openSqlite(file);

  expect(await reopened.read((reader) => reader.crac("CDU-1"))).toEqual({ ...unit, medium: "LIQUID" });
  await reopened.close();
});
