import type { Dialect } from "../sql/dialect.ts";

/** Small JSON documents that no rule looks into: types of devices, and what was imported from where. */
export function documents({ types: { text } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE document (space ${text} NOT NULL, key ${text} NOT NULL, body ${text} NOT NULL,
      PRIMARY KEY (space, key))`,
  ];
}
