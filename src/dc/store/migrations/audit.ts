import type { Dialect } from "../sql/dialect.ts";

/**
 * The change log's last entry, stored apart from its rows so that removed rows are detected, and checkpoints. An
 * existing log is kept; the setting `audit_since` records its length.
 */
export function audit({ types: { text, integer } }: Dialect): readonly string[] {
  const last = (name: string, value: string) =>
    `INSERT INTO setting (name, value) SELECT '${name}', ${value} FROM change_log ORDER BY seq DESC LIMIT 1`;
  return [
    `CREATE TABLE audit_checkpoint (size ${integer} PRIMARY KEY, note ${text} NOT NULL)`,
    last("audit_head", "CAST(seq AS TEXT) || ' ' || hash"),
    last("audit_since", "CAST(seq AS TEXT) || ' ' || hash"),
  ];
}
