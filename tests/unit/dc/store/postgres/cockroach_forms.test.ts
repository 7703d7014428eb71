import { expect, test } from "bun:test";
import { unknownForm } from "../../../../support/dc/cockroach_forms.ts";

test.each([
  "COMMIT",
  "SELECT body FROM device WHERE key = $1 AND name LIKE 'LOCK TABLE (x)' ESCAPE '!' LIMIT 5",
  "SELECT COUNT(*) AS steps FROM migration",
  "SELECT key FROM device WHERE (key, seq) > ($1, $2) OR draw_w <= 3",
  "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  "CREATE INDEX IF NOT EXISTS device_floor ON device (site, floor)",
  "CREATE TABLE IF NOT EXISTS device_tag (device_key TEXT NOT NULL REFERENCES device (key) ON DELETE CASCADE)",
  "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; SET LOCAL lock_timeout = 10000;",
  "  SELECT   version() AS version  ",
])("%s has an allowed form", (sql) => {
  expect(unknownForm(sql)).toBeUndefined();
});

test.each([
  ["LOCK TABLE writer_queue", "no form begins like this: LOCK TABLE writer_queue"],
  ["COMMITTED", "no form begins like this: COMMITTED"],
  ["SELECT pg_advisory_lock(1)", "pg_advisory_lock is not allowed in SELECT: SELECT pg_advisory_lock(1)"],
  ["SELECT (device (1))", "device is not allowed in SELECT: SELECT (device (1))"],
  ["SELECT body FROM device WHERE body @> ?", "@ is not allowed in SELECT: SELECT body FROM device WHERE body @> ?"],
  ["SELECT body FROM device; TRUNCATE device", "no form begins like this: TRUNCATE device"],
  ["SELECT body FROM device TABLESAMPLE", "TABLESAMPLE is not allowed in SELECT: SELECT body FROM device TABLESAMPLE"],
  ["SELECT name FROM queue FOR UPDATE", "FOR is not allowed in SELECT: SELECT name FROM queue FOR UPDATE"],
  [
    "CREATE INDEX IF NOT EXISTS device_body ON device USING gin (body)",
    "USING is not allowed in CREATE INDEX IF NOT EXISTS: CREATE INDEX IF NOT EXISTS device_body ON device USING gin (body)",
  ],
])("%s has no allowed form: %s", (sql, problem) => {
  expect(unknownForm(sql)).toBe(problem);
});
