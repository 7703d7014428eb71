import { expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import type { DeviceFilter, DeviceQuery } from "#dc/ports.ts";
import { openSqlite } from "#dc/store/sqlite_store.ts";
import { ams1 } from "../../../support/dc/ams1.ts";
import { fill } from "../../../support/dc/ams1_estate.ts";
import { databaseFile } from "../../../support/dc/stores.ts";

const query = (filter: DeviceFilter): DeviceQuery => ({ filter, order: "code", descending: false, limit: 3 });

test("a database from before the search's tables finds the same as one that always had them", async () => {
  const file = databaseFile();
  const store = await openSqlite(file);
  await fill(store, ams1);
  const asked = query({ portType: "25gbase-x-sfp28", hasFreePort: true });
  const before = await store.read((reader) => reader.searchDevices(asked));
  await store.close();
  const database = new DatabaseSync(file);
  database.exec("DROP TABLE document; DROP TABLE port_type; DROP INDEX device_search; DROP INDEX device_cords");
  database.exec("CREATE INDEX device_role ON device (role)");
  database.exec("DELETE FROM migration WHERE name IN ('search', 'cords and free ports', 'documents')");
  database.close();

  const reopened = await openSqlite(file);

  expect(before.total).toBeGreaterThan(0);
  expect(await reopened.read((reader) => reader.searchDevices(asked))).toEqual(before);
  await reopened.close();
});
