import type { Dialect } from "../sql/dialect.ts";

/** Deliveries of change feeds, to detect repetitions, and events that could not be understood. */
export function changeFeed({ types: { text, integer } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE feed_delivery (source_table ${text} NOT NULL, row_key ${text} NOT NULL, mark ${text} NOT NULL,
      seq ${integer} NOT NULL, received_at ${text} NOT NULL, PRIMARY KEY (source_table, row_key, mark))`,
    "CREATE INDEX feed_delivery_seq ON feed_delivery (seq)",
    `CREATE TABLE dead_letter (id ${text} PRIMARY KEY, received_at ${text} NOT NULL, feed ${text} NOT NULL,
      reason ${text} NOT NULL, body ${text} NOT NULL)`,
    "CREATE INDEX dead_letter_age ON dead_letter (received_at)",
  ];
}
