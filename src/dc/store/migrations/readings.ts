import type { Dialect } from "../sql/dialect.ts";

/**
 * What is measured, apart from the inventory and its change log. The rows of `reading` are written with every report, those
 * of `reading_history` once a day.
 */
export function readings({ types: { text, integer, real } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE reading (key ${text} NOT NULL, quantity ${text} NOT NULL, ref ${text} NOT NULL,
      owner_kind ${text} NOT NULL, owner_key ${text} NOT NULL, port ${text} NOT NULL, value ${real} NOT NULL,
      measured_at ${integer} NOT NULL, source ${text} NOT NULL, days ${text} NOT NULL, PRIMARY KEY (key, quantity))`,
    "CREATE INDEX reading_owner ON reading (owner_key, owner_kind)",
    `CREATE TABLE reading_history (key ${text} NOT NULL, quantity ${text} NOT NULL, days ${text} NOT NULL,
      PRIMARY KEY (key, quantity), FOREIGN KEY (key, quantity) REFERENCES reading (key, quantity) ON DELETE CASCADE)`,
  ];
}
