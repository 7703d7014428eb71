import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { POSTGRES } from "#dc/store/sql/sql_runner.ts";
import { inspectSqlite } from "#dc/store/sqlite/sqlite_inspection.ts";
import { openSqlite } from "#dc/store/sqlite/sqlite_store.ts";
import { OperationError } from "#kernel/errors.ts";
import { databaseFile } from "../../../support/dc/stores.ts";

test("openSqlite refuses a file that is no database", async () => {
  const file = databaseFile();
  writeFileSync(
    file,
    "This is a letter to my aunt, and it is long enough to be taken for a page of something.\n".repeat(40),
  );

  const opening = openSqlite(file);

  await expect(opening).rejects.toThrow(OperationError);
  await expect(opening).rejects.toMatchObject({ kind: "unavailable" });
});

test("openSqlite refuses a database from a newer program", async () => {
  const file = databaseFile();
  await (await openSqlite(file)).close();
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO migration (step, name) VALUES (900, 'later')");
  database.close();

  await expect(openSqlite(file)).rejects.toMatchObject({ kind: "failed_precondition" });
});

test("openSqlite leaves the file of another program alone", async () => {
  const file = databaseFile();
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE bookmark (url TEXT)");

  await expect(openSqlite(file)).rejects.toMatchObject({
    kind: "failed_precondition",
    message: `Cannot open the database "${file}": it belongs to another program: it has the tables "bookmark"`,
  });
  await expect(inspectSqlite(file)).rejects.toMatchObject({ kind: "failed_precondition" });
  expect(
    database
      .prepare("SELECT name FROM sqlite_master")
      .all()
      .map(({ name }) => name),
  ).toEqual(["bookmark"]);
});

for (const [what, path, why] of [
  ["a folder", dirname(databaseFile()), "it is a folder"],
  ["a path without its folder", "/nowhere/dc.sqlite", "its folder does not exist"],
] as const) {
  test(`openSqlite says what is wrong with ${what}`, async () => {
    const message = `Cannot open the database "${path}": ${why}`;

    await expect(openSqlite(path)).rejects.toMatchObject({ kind: "unavailable", message });
  });
}

test("openSqlite reads beside an open write and sees only what is committed", async () => {
  const store = await openSqlite(databaseFile());
  const { promise: looked, resolve: letGo } = Promise.withResolvers<void>();
  const writing = store.write(async (writer) => {
    await writer.raiseRevision();
    await looked;
  });

  const during = await store.read((reader) => reader.revision());
  letGo();
  await writing;
  const afterwards = await store.read((reader) => reader.revision());
  await store.close();

  expect([during, afterwards]).toEqual([0, 1]);
});

test("POSTGRES numbers its parameter marks", () => {
  expect(POSTGRES.numberParameters("SELECT 1 WHERE a = ? AND b = ?")).toBe("SELECT 1 WHERE a = $1 AND b = $2");
});
