import type { Dialect } from "../sql/dialect.ts";

/** Small JSON documents that rules do not check: device types, and the origin of imported resources. */
export function documents({ types: { text } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE document (space ${text} NOT NULL, key ${text} NOT NULL, body ${text} NOT NULL,
      PRIMARY KEY (space, key))`,
  ];
}
