import type { Dialect } from "../sql/dialect.ts";
import { PORT_TYPE_COLUMNS, portTypes } from "../sql/sql_port_types.ts";

/** Counts free data ports apart from power inlets and outlets, for searches that name no type of port. */
export function dataPorts({ types: { integer } }: Dialect): readonly string[] {
  return [
    `ALTER TABLE port_type ADD COLUMN data_free ${integer} NOT NULL DEFAULT 0`,
    "DELETE FROM port_type",
    `INSERT INTO port_type (${PORT_TYPE_COLUMNS}) ${portTypes([])}`,
    "DROP INDEX port_type_some",
    "CREATE INDEX port_type_some ON port_type (device_key) WHERE data_free > 0",
  ];
}
