import type { ResourceKind } from "#dc/model/resources.ts";
import type { ChainHead, CheckedRow, DcReader, DcStore, StoredCheckpoint, StoredDocument } from "#dc/ports.ts";
import { OperationError } from "#kernel/errors.ts";
import { checkResourceRows, countStrayRows, createPortTypesQuery, PORT_TYPE_COLUMNS } from "./sql/row_check.ts";
import { SqlReader } from "./sql/sql_reader.ts";
import { type Dialect, getTextColumn, type SqlRunner } from "./sql/sql_runner.ts";

/**
 * Migrates a database to the newest schema inside the caller's transaction.
 * @returns the names of the executed steps; empty if the schema was current
 * @throws OperationError failed_precondition for a database that a newer program has written
 */
export async function migrateSchema(runner: SqlRunner, dialect: Dialect): Promise<readonly string[]> {
  await runner.run(
    `CREATE TABLE IF NOT EXISTS migration (step ${dialect.types.integer} PRIMARY KEY, name ${dialect.types.text} NOT NULL)`,
  );
  const [row] = await runner.all("SELECT COUNT(*) AS steps FROM migration");
  const done = Number(row?.["steps"] ?? 0);
  requireKnownSteps(done);
  for (const [index, { name, statements }] of migrations.slice(done).entries()) {
    for (const statement of statements(dialect)) await runner.run(statement);
    await runner.run("INSERT INTO migration (step, name) VALUES (?, ?)", [done + index + 1, name]);
  }
  return migrations.slice(done).map(({ name }) => name);
}

/**
 * Requires that the program knows all steps.
 * @throws OperationError failed_precondition if the database has more steps than this program
 */
export function requireKnownSteps(done: number): void {
  if (done <= migrations.length) return;
  const expected = `its schema has ${done} steps, this program supports ${migrations.length}`;
  throw new OperationError("failed_precondition", `it is from a newer program: ${expected}`);
}

/**
 * Requires the newest schema.
 * @throws OperationError failed_precondition for a database that lacks steps, which only a writer can execute
 */
export function requireMigratedSchema(done: number): void {
  requireKnownSteps(done);
  if (done === migrations.length) return;
  const expected = `its schema has ${done} of ${migrations.length} steps, and it is read-only`;
  throw new OperationError("failed_precondition", `it is from an older program: ${expected}`);
}

export interface SchemaState {
  /** Number of executed steps; 0 for an empty database. */
  readonly done: number;
  /** Number of steps in this program. */
  readonly known: number;
  /** First version of the program that has the last executed step; undefined for an empty database. */
  readonly since: string | undefined;
  /** Names of the pending steps, oldest first. */
  readonly pending: readonly string[];
}

/**
 * Returns the state of a schema with a number of executed steps.
 * @throws OperationError failed_precondition for more steps than this program has
 */
export function getSchemaState(done: number): SchemaState {
  requireKnownSteps(done);
  const pending = migrations.slice(done).map(({ name }) => name);
  return { done, known: migrations.length, since: migrations[done - 1]?.since, pending };
}

/**
 * Creates the first schema. A resource is one row: its canonical JSON in `body`, and columns for lookups. Keys are
 * lower-case codes, because codes are unique without regard to case. Ports are separate rows, in the order of their
 * device.
 */
function createFirstSchema({ types: { text, integer, real } }: Dialect): readonly string[] {
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

/** One step of the schema: its name, and its statements in a dialect. A released step never changes. */
interface Migration {
  readonly name: string;
  /** First version of the program that has the step. */
  readonly since: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** All steps, oldest first. The database stores the executed steps. */
export const migrations: readonly Migration[] = [
  { name: "start", since: "0.1.0", statements: createFirstSchema },
  { name: "change feed", since: "0.1.0", statements: createChangeFeedTables },
  { name: "search", since: "0.1.0", statements: createSearchTables },
  { name: "cords and free ports", since: "0.1.0", statements: createCordIndexes },
  { name: "documents", since: "0.2.0", statements: createDocumentTable },
  { name: "audit head and checkpoints", since: "0.2.0", statements: createAuditTables },
  { name: "liquid cooling units", since: "0.2.0", statements: setLiquidMedium },
  { name: "free data ports", since: "0.2.0", statements: addDataPortCounts },
  { name: "readings", since: "0.3.0", statements: createReadingTables },
  { name: "draws of inlets", since: "0.4.0", statements: setInletDraws },
];

/**
 * Creates the table of checkpoints, and the setting of the log's last entry, which is stored apart from the rows so
 * that removed rows are detected. The setting `audit_since` records the length of an existing log.
 */
function createAuditTables({ types: { text, integer } }: Dialect): readonly string[] {
  const insertLastEntry = (name: string, value: string) =>
    `INSERT INTO setting (name, value) SELECT '${name}', ${value} FROM change_log ORDER BY seq DESC LIMIT 1`;
  return [
    `CREATE TABLE audit_checkpoint (size ${integer} PRIMARY KEY, note ${text} NOT NULL)`,
    insertLastEntry("audit_head", "CAST(seq AS TEXT) || ' ' || hash"),
    insertLastEntry("audit_since", "CAST(seq AS TEXT) || ' ' || hash"),
  ];
}

/** Creates tables for deliveries of change feeds, to detect repetitions, and for events that could not be processed. */
function createChangeFeedTables({ types: { text, integer } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE feed_delivery (source_table ${text} NOT NULL, row_key ${text} NOT NULL, mark ${text} NOT NULL,
      seq ${integer} NOT NULL, received_at ${text} NOT NULL, PRIMARY KEY (source_table, row_key, mark))`,
    "CREATE INDEX feed_delivery_seq ON feed_delivery (seq)",
    `CREATE TABLE dead_letter (id ${text} PRIMARY KEY, received_at ${text} NOT NULL, feed ${text} NOT NULL,
      reason ${text} NOT NULL, body ${text} NOT NULL)`,
    "CREATE INDEX dead_letter_age ON dead_letter (received_at)",
  ];
}

/**
 * Creates indexes that cover searches by cords and by free ports. Without them, such a search reads the rows of all
 * devices, or looks up the port types of each device.
 */
function createCordIndexes(): readonly string[] {
  return [
    "DROP INDEX device_role",
    "CREATE INDEX device_cords ON device (role, inlets, key)",
    "CREATE INDEX port_type_some ON port_type (device_key) WHERE free > 0",
  ];
}

/** Adds counts of free data ports, without power inlets and outlets, for searches without a port type. */
function addDataPortCounts({ types: { integer } }: Dialect): readonly string[] {
  return [
    `ALTER TABLE port_type ADD COLUMN data_free ${integer} NOT NULL DEFAULT 0`,
    "DELETE FROM port_type",
    `INSERT INTO port_type (${PORT_TYPE_COLUMNS}) ${createPortTypesQuery([])}`,
    "DROP INDEX port_type_some",
    "CREATE INDEX port_type_some ON port_type (device_key) WHERE data_free > 0",
  ];
}

/** Creates a table for small JSON documents that no rule checks: device types, and origins of imported resources. */
function createDocumentTable({ types: { text } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE document (space ${text} NOT NULL, key ${text} NOT NULL, body ${text} NOT NULL,
      PRIMARY KEY (space, key))`,
  ];
}

/** Sets the medium of coolant distribution units to liquid: earlier versions stored a missing medium as AIR. */
function setLiquidMedium(): readonly string[] {
  return [
    `UPDATE crac SET body = REPLACE(body, '"medium":"AIR"', '"medium":"LIQUID"') WHERE body LIKE '%"kind":"CDU"%'`,
  ];
}

/**
 * Creates tables for searches: the text of all devices in one narrow index with their roles, and for each device its
 * port types with the number of free ports.
 */
function createSearchTables({ types: { text, integer } }: Dialect): readonly string[] {
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

/**
 * Creates tables for readings, separate from the inventory and its change log. Rows of `reading` are written with every
 * report, rows of `reading_history` once a day.
 */
function createReadingTables({ types: { text, integer, real } }: Dialect): readonly string[] {
  return [
    `CREATE TABLE reading (key ${text} NOT NULL, quantity ${text} NOT NULL, ref ${text} NOT NULL,
      owner_kind ${text} NOT NULL, owner_key ${text} NOT NULL, port ${text} NOT NULL, value ${real} NOT NULL,
      measured_at ${integer} NOT NULL, source ${text} NOT NULL, days ${text} NOT NULL, PRIMARY KEY (key, quantity))`,
    "CREATE INDEX reading_owner ON reading (owner_key, owner_kind)",
    `CREATE TABLE reading_history (key ${text} NOT NULL, quantity ${text} NOT NULL, days ${text} NOT NULL,
      PRIMARY KEY (key, quantity), FOREIGN KEY (key, quantity) REFERENCES reading (key, quantity) ON DELETE CASCADE)`,
  ];
}

/**
 * Sets the draw of devices that record none to that of their inlets, and to -1 if nothing is recorded: earlier
 * versions stored 0.
 */
function setInletDraws({ types: { integer }, formatJsonText }: Dialect): readonly string[] {
  const isAbsent = (field: string) => `${formatJsonText("device.body", field)} IS NULL`;
  const sum = (field: string) => {
    const powerIn = formatJsonText("port.body", "powerIn");
    const enabled = `COALESCE(CAST(${formatJsonText("port.body", "enabled")} AS TEXT), '') NOT IN ('0', 'false')`;
    return `(SELECT SUM(CAST(${formatJsonText(`(${powerIn})`, field)} AS ${integer})) FROM port
      WHERE port.device_key = device.key AND port.kind = 'POWER_IN' AND ${enabled})`;
  };
  const supplies = `'UTILITY', 'GENERATOR', 'SWITCHGEAR', 'TRANSFER_SWITCH', 'UPS', 'FLOOR_PDU', 'RPP', 'BUSWAY', 'RACK_PDU'`;
  const isUnrecorded = `draw_w = 0 AND ${["allocatedDrawW", "maxDrawW", "measuredDrawW"].map(isAbsent).join(" AND ")}`;
  return [
    `UPDATE device SET draw_w = -1 WHERE kind IN (${supplies}) AND ${isUnrecorded}`,
    `UPDATE device SET draw_w = CAST(COALESCE(${sum("allocatedDrawW")}, ${sum("maxDrawW")}, -1) AS ${integer})
      WHERE ${isUnrecorded}`,
  ];
}

/** A database that is opened read-only. */
export interface InspectedStore extends DcStore {
  /** Number of migration steps that the database has. */
  readonly steps: number;
  /** Returns damage that SQLite finds in a file's pages; undefined without damage. Cost: reads the whole file. */
  readonly findDamage: () => Promise<string | undefined>;
}

/** Returns a reader for a database of any schema version, without migrating it. */
export function createStoreReader(runner: SqlRunner, dialect: Dialect, steps: number): DcReader {
  if (steps === migrations.length) return new SqlReader(runner, dialect);
  const executedSteps = new Set(migrations.slice(0, steps).map(({ name }) => name));
  return new EarlierSchemaReader(runner, dialect, executedSteps);
}

/** Reader for verifications in a schema that lacks migration steps. */
class EarlierSchemaReader extends SqlReader {
  readonly #executedSteps: ReadonlySet<string>;

  constructor(runner: SqlRunner, dialect: Dialect, taken: ReadonlySet<string>) {
    super(runner, dialect);
    this.#executedSteps = taken;
  }

  override async strayRows(): Promise<ReadonlyMap<string, number>> {
    return countStrayRows(this.runner, this.#executedSteps.has("documents"));
  }

  override async document(space: string, key: string): Promise<string | undefined> {
    return this.#executedSteps.has("documents") ? super.document(space, key) : undefined;
  }

  override async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    return this.#executedSteps.has("documents") ? super.documents(space, after, limit) : [];
  }

  /** Returns nothing: a database of an earlier schema may lack tables. */
  override async timesAfter(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  /** Returns the last entry if the database records no head, so a truncated log is not detected. */
  override async chainHead(): Promise<ChainHead> {
    if (this.#executedSteps.has("audit head and checkpoints")) return super.chainHead();
    const [row] = await this.runner.all("SELECT seq, hash FROM change_log ORDER BY seq DESC LIMIT 1");
    return row === undefined ? { seq: 0, hash: "" } : { seq: Number(row["seq"]), hash: getTextColumn(row, "hash") };
  }

  override async checkpoints(): Promise<readonly StoredCheckpoint[]> {
    return this.#executedSteps.has("audit head and checkpoints") ? super.checkpoints() : [];
  }

  override async checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]> {
    const page = { kind, after, limit, ignoredColumns: this.#executedSteps.has("draws of inlets") ? [] : ["draw_w"] };
    return this.#executedSteps.has("free data ports")
      ? checkResourceRows(this.runner, page)
      : checkResourceRows(this.runner, { ...page, portTypeColumns: "device_key, type, free" });
  }
}
