/** Differences between databases, as data. Statements are written once, with `?` for parameters. */
export interface Dialect {
  readonly name: "sqlite" | "postgres" | "cockroach";
  /** Column types of the migrations. Text is compared byte by byte, so that every database pages in the same order. */
  readonly types: Readonly<Record<"text" | "integer" | "real", string>>;
  /** Returns the condition that a column equals one of the strings of a JSON array, which is one parameter. */
  readonly formatInList: (column: string) => string;
  /** Returns the column in a form for which the database does not use its index. */
  readonly formatUnindexed: (column: string) => string;
  /** Returns the expression for a text field at the top level of a JSON column. */
  readonly formatJsonText: (column: string, field: string) => string;
  /** Statement that begins a write. Only one write runs at a time; others wait. May return rows of `setting`. */
  readonly beginWrite: string;
  /** Returns a statement with each `?` replaced by the database's own parameter mark. */
  readonly numberParameters: (sql: string) => string;
}

export const SQLITE: Dialect = {
  name: "sqlite",
  types: { text: "TEXT", integer: "INTEGER", real: "REAL" },
  formatInList: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  formatUnindexed: (column) => `+${column}`,
  formatJsonText: (column, field) => `json_extract(${column}, '$.${field}')`,
  beginWrite: "BEGIN IMMEDIATE",
  numberParameters: (sql) => sql,
};

/**
 * Returns statements that limit one transaction: the time of a statement (reading a large inventory takes seconds), the
 * wait for another writer, and the idle time. They follow BEGIN, because a pooler rejects them as parameters of a
 * connection, and because a plain SET would affect other clients of the pooler.
 */
function formatTimeLimits(idleMs: number): string {
  return `SET LOCAL statement_timeout = 60000; SET LOCAL lock_timeout = 10000; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;
}

/**
 * Maximum idle time inside a write in milliseconds. A write blocks all other writes, even after its process hangs or
 * the network to it fails; the database ends it after this time. Two statements of a write are milliseconds apart.
 */
const MAX_IDLE_WRITE_MS = 10_000;
/** Maximum idle time inside a read in milliseconds. A read blocks no other transaction, and its reader may be slow. */
const MAX_IDLE_READ_MS = 60_000;

const BEGIN_WRITE = `BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; ${formatTimeLimits(MAX_IDLE_WRITE_MS)}`;

/** Statement that begins a read on a server: a snapshot that later writes do not change. */
export const BEGIN_SERVER_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${formatTimeLimits(MAX_IDLE_READ_MS)}`;

/**
 * Dialect of CockroachDB, which compares text byte by byte and rejects columns with a collation clause. A write begins
 * with a change of the row that every write changes. A transaction that waits for this row has read nothing yet, so the
 * server can move its timestamp forward without a retry. With a lock on another row, the transaction would keep its old
 * timestamp and have to be retried at its end. Source: CockroachDB, Transaction retry error reference; Advanced
 * client-side transaction retries.
 */
export const COCKROACH: Dialect = {
  name: "cockroach",
  types: { text: "TEXT", integer: "BIGINT", real: "DOUBLE PRECISION" },
  // An array, because the database would join a subquery by reading the whole table.
  // The parameter is text, because the driver would encode a jsonb parameter as JSON a second time.
  formatInList: (column) => `${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(CAST(? AS TEXT) AS JSONB))))`,
  // CockroachDB chooses indexes by row counts and needs no hint.
  formatUnindexed: (column) => column,
  formatJsonText: (column, field) => `CAST(${column} AS JSONB) ->> '${field}'`,
  beginWrite: `${BEGIN_WRITE}; UPDATE setting SET value = value WHERE name = 'revision' RETURNING name, value`,
  numberParameters: (sql) => {
    let count = 0;
    return sql.replaceAll("?", () => {
      count += 1;
      return `$${count}`;
    });
  },
};

/**
 * Between the parts of one statement, PostgreSQL waits for its client without a limit, even if the client's machine is
 * gone. The lock for which all writers queue would then be held for minutes to hours. TCP ends the connection after 10
 * s: by its limit for unacknowledged data, or by its probes if nothing was sent. CockroachDB does not support these
 * settings; it ends a transaction without a heartbeat, and with it the lock.
 */
const KEEPALIVE_SETTINGS =
  "SET LOCAL tcp_keepalives_idle = 5; SET LOCAL tcp_keepalives_interval = 2; SET LOCAL tcp_keepalives_count = 3; SET LOCAL tcp_user_timeout = 10000";

/**
 * Dialect of PostgreSQL, which compares text by language rules unless a column has a collation. A table lock is granted
 * in the order of requests and before the transaction takes its snapshot, so a write that waited does not begin with an
 * old snapshot.
 */
export const POSTGRES: Dialect = {
  ...COCKROACH,
  name: "postgres",
  types: { ...COCKROACH.types, text: 'TEXT COLLATE "C"' },
  beginWrite: `${BEGIN_WRITE}; ${KEEPALIVE_SETTINGS}; LOCK TABLE writer_queue IN SHARE ROW EXCLUSIVE MODE`,
};
