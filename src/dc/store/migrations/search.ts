import type { Dialect } from "../sql/dialect.ts";

/**
 * Tables for searches: the text of all devices in one narrow index, counted by role while it is read, and per device
 * the types of its ports with the number of free ones.
 */
export function search({ types: { text, integer } }: Dialect): readonly string[] {
  return [
    "CREATE INDEX device_search ON device (role, search_text, key)",
    `CREATE TABLE port_type (device_key ${text} NOT NULL REFERENCES device (key) ON DELETE CASCADE, type ${text} NOT NULL,
      free ${integer} NOT NULL, PRIMARY KEY (device_key, type))`,
    "CREATE INDEX port_type_free ON port_type (type, free, device_key)",
    `INSERT INTO port_type (device_key, type, free) SELECT port.device_key, port.type,
      SUM(CASE WHEN port.marked = 0 AND cable_end.cable_key IS NULL THEN 1 ELSE 0 END)
      FROM port LEFT JOIN cable_end ON cable_end.device_key = port.device_key AND cable_end.port_name = port.name
      GROUP BY port.device_key, port.type`,
  ];
}
