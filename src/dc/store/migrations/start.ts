import type { Dialect } from "../sql/dialect.ts";

/**
 * Creates the first schema. A resource is one row: its canonical JSON in `body`, and columns for lookups. Keys are
 * lower-case codes, because codes are unique without regard to case. Ports are separate rows, in the order of their
 * device.
 */
export function createFirstSchema({ types: { text, integer, real } }: Dialect): readonly string[] {
  const kept = `body ${text} NOT NULL, etag ${text} NOT NULL, create_time ${text} NOT NULL, update_time ${text} NOT NULL`;
  return [
    `CREATE TABLE rack (key ${text} PRIMARY KEY, code ${text} NOT NULL, asset_tag ${text},
      site ${text} NOT NULL, floor ${integer} NOT NULL, ${kept})`,
    "CREATE INDEX rack_floor ON rack (site, floor)",
    "CREATE INDEX rack_asset_tag ON rack (asset_tag)",
    `CREATE TABLE device (key ${text} PRIMARY KEY, code ${text} NOT NULL, name ${text} NOT NULL, kind ${text} NOT NULL,
      role ${text} NOT NULL, status ${text} NOT NULL, asset_tag ${text}, manufacturer ${text} NOT NULL,
      model ${text} NOT NULL, search_text ${text} NOT NULL, site ${text} NOT NULL, floor ${integer} NOT NULL,
      room ${text} NOT NULL, lane ${text} NOT NULL, rack_key ${text} NOT NULL, rack_code ${text} NOT NULL,
      position_u ${real} NOT NULL, parent_key ${text} NOT NULL, draw_w ${integer} NOT NULL, inlets ${integer} NOT NULL,
      ${kept})`,
    "CREATE INDEX device_rack ON device (rack_key)",
    "CREATE INDEX device_parent ON device (parent_key)",
    "CREATE INDEX device_asset_tag ON device (asset_tag)",
    "CREATE INDEX device_role ON device (role)",
    "CREATE INDEX device_floor ON device (site, floor)",
    `CREATE TABLE device_tag (device_key ${text} NOT NULL REFERENCES device (key) ON DELETE CASCADE,
      tag ${text} NOT NULL, PRIMARY KEY (device_key, tag))`,
    `CREATE TABLE device_label (device_key ${text} NOT NULL REFERENCES device (key) ON DELETE CASCADE,
      name ${text} NOT NULL, value ${text} NOT NULL, PRIMARY KEY (device_key, name))`,
    `CREATE TABLE port (device_key ${text} NOT NULL REFERENCES device (key) ON DELETE CASCADE, name ${text} NOT NULL,
      place ${integer} NOT NULL, kind ${text} NOT NULL, type ${text} NOT NULL, marked ${integer} NOT NULL, feed_key ${text}, source_key ${text},
      body ${text} NOT NULL, PRIMARY KEY (device_key, name))`,
    "CREATE INDEX port_power ON port (device_key) WHERE kind IN ('POWER_IN', 'POWER_OUT')",
    "CREATE UNIQUE INDEX port_feed ON port (feed_key) WHERE feed_key IS NOT NULL",
    "CREATE INDEX port_source ON port (source_key) WHERE source_key IS NOT NULL",
    `CREATE TABLE crac (key ${text} PRIMARY KEY, code ${text} NOT NULL, site ${text} NOT NULL, floor ${integer} NOT NULL,
      rack_key ${text} NOT NULL, ${kept})`,
    "CREATE INDEX crac_floor ON crac (site, floor)",
    `CREATE TABLE crac_input (crac_key ${text} NOT NULL REFERENCES crac (key) ON DELETE CASCADE,
      place ${integer} NOT NULL, source_key ${text} NOT NULL, PRIMARY KEY (crac_key, place))`,
    "CREATE INDEX crac_input_source ON crac_input (source_key)",
    `CREATE TABLE cable (key ${text} PRIMARY KEY, ${kept})`,
    `CREATE TABLE cable_end (device_key ${text} NOT NULL, port_name ${text} NOT NULL,
      cable_key ${text} NOT NULL REFERENCES cable (key) ON DELETE CASCADE, PRIMARY KEY (device_key, port_name))`,
    "CREATE INDEX cable_end_cable ON cable_end (cable_key)",
    `CREATE TABLE fabric_link (key ${text} PRIMARY KEY, ${kept})`,
    `CREATE TABLE fabric_link_end (device_key ${text} NOT NULL,
      link_key ${text} NOT NULL REFERENCES fabric_link (key) ON DELETE CASCADE, PRIMARY KEY (device_key, link_key))`,
    "CREATE INDEX fabric_link_end_link ON fabric_link_end (link_key)",
    `CREATE TABLE change_log (seq ${integer} PRIMARY KEY, occurred_at ${text} NOT NULL, principal ${text} NOT NULL,
      action ${text} NOT NULL, request_id ${text} NOT NULL, door ${text} NOT NULL, body ${text} NOT NULL,
      hash ${text} NOT NULL)`,
    "CREATE INDEX change_log_request ON change_log (request_id)",
    "CREATE INDEX change_log_principal ON change_log (principal, seq)",
    `CREATE TABLE change_ref (ref_key ${text} NOT NULL, seq ${integer} NOT NULL REFERENCES change_log (seq),
      PRIMARY KEY (ref_key, seq))`,
    `CREATE TABLE remembered_request (principal ${text} NOT NULL, request_id ${text} NOT NULL, method ${text} NOT NULL,
      fingerprint ${text} NOT NULL, reply ${text} NOT NULL, created_at ${text} NOT NULL,
      PRIMARY KEY (principal, request_id))`,
    "CREATE INDEX remembered_request_age ON remembered_request (created_at)",
    `CREATE TABLE setting (name ${text} PRIMARY KEY, value ${text} NOT NULL)`,
    "INSERT INTO setting (name, value) VALUES ('revision', '0')",
  ];
}
