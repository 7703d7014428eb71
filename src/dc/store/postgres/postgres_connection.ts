import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { OperationError } from "#kernel/errors.ts";
import { createUnavailableRefusal, refuse } from "../../model/refusal.ts";
import { migrations, requireKnownSteps } from "../migrations.ts";
import {
  COCKROACH,
  type Dialect,
  type OnStatement,
  POSTGRES,
  type SqlRow,
  type SqlRunner,
  type SqlValue,
} from "../sql/sql_runner.ts";
import type { PostgresAddress } from "./postgres_address.ts";

/** Timeout for opening a connection, in seconds. */
const CONNECT_TIMEOUT_S = 10;
/** Timeout for closing a connection, in seconds. It limits the wait for a server that hangs and does not react. */
const CLOSE_TIMEOUT_S = 0.2;
/** Maximum duration of one statement in milliseconds: the dialect sets the same limit on the server. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** Milliseconds after which an unresponsive connection is closed: later than the server's own statement timeout. */
const MAX_SILENCE_MS = STATEMENT_TIMEOUT_MS + 10_000;
/** Maximum number of prepared statements per connection. Chosen by us: searches vary too much to prepare them all. */
const MAX_PREPARED = 500;
/** Maximum number of pipelined changes. Chosen by us: below the number that the driver sends without waiting. */
const MAX_PIPELINED_CHANGES = 64;
const INT8_TYPE_ID = 20;

/**
 * One connection, used by one transaction at a time; its statements run in the given order. Changes are not awaited one
 * by one: `settle` awaits them before the transaction ends. After a failed change, a conflict or the loss of the
 * connection, all further statements fail with the same error until `rollback`.
 */
export class PostgresConnection implements SqlRunner {
  /** Dialect of the server, known after the connection is established. */
  dialect: Dialect = POSTGRES;
  readonly #sql: postgres.Sql<{ bigint: number }>;
  readonly #prepared = new Set<string>();
  readonly #pendingChanges = new Set<Promise<void>>();
  /** Rejects each pending statement when the connection is lost. */
  readonly #pendingRejects = new Set<(error: Error) => void>();
  #failure: unknown;
  #lost = false;

  readonly #onStatement: OnStatement;
  /** Whether each transaction may run in another session of the server, without prepared statements. */
  readonly #isPooled: boolean;
  /** Time at which the oldest unanswered statement was sent. */
  #sentAt: number | undefined;
  #pendingCount = 0;

  private constructor({ url, host, tls, pooling }: PostgresAddress, onStatement: OnStatement, connectTimeoutS: number) {
    this.#onStatement = onStatement;
    this.#isPooled = pooling === "transaction";
    this.#sql = postgres(url, {
      // Exactly one connection without replacement, because a transaction must not continue on another one.
      max: 1,
      onclose: () => this.#recordFailure(createLostConnectionError(undefined)),
      ...(host !== undefined && { host }),
      ssl: tls,
      connect_timeout: connectTimeoutS,
      // null disables the driver's lifetime limit, which could replace a connection during a transaction.
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => {},
      // Columns of eight bytes contain counts and small numbers, which a double represents exactly.
      types: { bigint: { to: INT8_TYPE_ID, from: [INT8_TYPE_ID], parse: Number, serialize: String } },
      // A pooler shares sessions and rejects other parameters, so each transaction sets its own; see the dialect.
      connection: { application_name: "planner" },
    });
  }

  /** Opens a connection. @throws Interrupted for an unreachable server or a rejected login, with the reason as cause */
  static async open(
    address: PostgresAddress,
    onStatement: OnStatement,
    connectTimeoutS = CONNECT_TIMEOUT_S,
  ): Promise<PostgresConnection> {
    const connection = new PostgresConnection(address, onStatement, connectTimeoutS);
    // The driver's own limit ends with the login, which a pooler completes even while its server hangs.
    const timer = setTimeout(() => void connection.#sql.end({ timeout: 0 }), connectTimeoutS * 1000);
    try {
      const [row] = await connection.#awaitReply(connection.#sql.unsafe("SELECT version() AS version"));
      if (String(row?.["version"]).startsWith("CockroachDB")) connection.dialect = COCKROACH;
      return connection;
    } catch (error) {
      await connection.close();
      throw createLostConnectionError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reason why the current transaction cannot continue; undefined if it can continue. */
  get failure(): unknown {
    return this.#failure;
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** Time in milliseconds that the server has not replied to a statement; 0 if none is pending. */
  get silentMs(): number {
    return this.#sentAt === undefined ? 0 : performance.now() - this.#sentAt;
  }

  /** Abandons the connection: all pending statements fail as unavailable. */
  giveUp(): void {
    this.#recordFailure(createLostConnectionError(new Error("the database has not answered for some seconds")));
    void this.#sql.end({ timeout: 0 });
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    requireStorableText(params);
    return this.#send(sql, params);
  }

  /** Sends several statements in one round trip and returns the rows of the last one. */
  async runTogether(sql: string): Promise<readonly SqlRow[]> {
    const rows: readonly unknown[] = await this.#send(sql, []);
    // The driver returns a list of results if more than one statement could have rows.
    const last = rows.at(-1);
    return (Array.isArray(last) ? last : rows) as readonly SqlRow[];
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<void> {
    this.#requireUsable();
    requireStorableText(params);
    const done: Promise<void> = this.#send(sql, params)
      .then(() => {})
      .catch((error: unknown) => this.#recordFailure(error))
      .finally(() => this.#pendingChanges.delete(done));
    this.#pendingChanges.add(done);
    if (this.#pendingChanges.size >= MAX_PIPELINED_CHANGES) await this.settle();
  }

  /** Waits until the server has executed every change. @throws the error of a change, or of the transaction */
  async settle(): Promise<void> {
    await Promise.all(this.#pendingChanges);
    this.#requireUsable();
  }

  /** Rolls the transaction back, and prepares the connection for the next one unless it is lost. */
  async rollback(): Promise<void> {
    if (this.#lost) return;
    await Promise.all(this.#pendingChanges);
    this.#failure = undefined;
    try {
      await this.all("ROLLBACK");
    } catch (error) {
      this.#recordFailure(createLostConnectionError(error));
    }
  }

  /** Closes the connection; does not wait if it is lost. */
  async close(): Promise<void> {
    const timeout = this.#lost ? 0 : CLOSE_TIMEOUT_S;
    this.#lost = true;
    await this.#sql.end({ timeout });
  }

  async #send(sql: string, params: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    this.#requireUsable();
    this.#onStatement(sql);
    this.#pendingCount += 1;
    this.#sentAt ??= performance.now();
    const timer = setTimeout(() => void this.#sql.end({ timeout: 0 }), MAX_SILENCE_MS);
    try {
      return await this.#awaitReply(
        this.#sql.unsafe<SqlRow[]>(this.dialect.numberParameters(sql), [...params], {
          prepare: this.#shouldPrepare(sql),
        }),
      );
    } catch (error) {
      const told = translatePostgresError(error);
      if (told instanceof InterruptedTransaction) this.#recordFailure(told);
      throw told;
    } finally {
      clearTimeout(timer);
      this.#pendingCount -= 1;
      // The server replies in order, so the next statement has been waiting since now.
      this.#sentAt = this.#pendingCount === 0 ? undefined : performance.now();
    }
  }

  /**
   * Waits for a reply or the loss of the connection. The driver never settles a statement that it receives between the
   * end of a connection and the event that reports the end.
   */
  async #awaitReply<Result>(answer: PromiseLike<Result>): Promise<Result> {
    let giveUp: (error: Error) => void = () => {};
    try {
      return await new Promise<Result>((resolve, reject) => {
        giveUp = reject;
        this.#pendingRejects.add(reject);
        answer.then(resolve, reject);
      });
    } finally {
      this.#pendingRejects.delete(giveUp);
    }
  }

  #shouldPrepare(sql: string): boolean {
    if (this.#isPooled) return false;
    if (this.#prepared.has(sql)) return true;
    if (this.#prepared.size >= MAX_PREPARED) return false;
    this.#prepared.add(sql);
    return true;
  }

  #requireUsable(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #recordFailure(error: unknown): void {
    this.#failure ??= error;
    if (!(error instanceof InterruptedTransaction) || error.reason !== "lost") return;
    this.#lost = true;
    for (const giveUp of this.#pendingRejects) giveUp(error);
  }
}

/** Requires text without U+0000, which PostgreSQL cannot store: a rejected statement would end the transaction. */
function requireStorableText(params: readonly SqlValue[]): void {
  if (!params.some((value) => typeof value === "string" && value.includes("\0"))) return;
  throw refuse("FIELD_OUT_OF_RANGE", "Text must not hold the character U+0000");
}

/**
 * Reason why a transaction cannot continue: `conflict` with another transaction, or a `lost` connection. Either may be
 * retried as long as nothing was committed. It is not a refusal, so that no caller treats it as one.
 */
export class InterruptedTransaction extends Error {
  override readonly name = "Interrupted";
  readonly reason: "conflict" | "lost";
  /** Error for the caller if a retry does not help. */
  readonly refusal: OperationError;

  constructor(why: "conflict" | "lost", refusal: OperationError, cause: unknown) {
    super(refusal.message, { cause });
    this.reason = why;
    this.refusal = refusal;
  }
}

/**
 * Codes of conflicts: serialization failure, deadlock, and a key that another transaction has inserted since it was
 * looked up. CockroachDB reports every restart as the first. Source: PostgreSQL, Serialization Failure Handling.
 */
const CONFLICT_CODES: ReadonlySet<string> = new Set(["40001", "40P01", "23505"]);
/**
 * Codes of a lost connection: the server stops, starts, accepts no more connections, or ended an idle transaction.
 * Class 08 are errors of the connection itself.
 */
const LOST_CONNECTION_CODE = /^(?:08...|57P0[1-5]|53300|25P03)$/;
/** Codes of errors when two transactions create the same table at the same time: duplicates or catalogue conflicts. */
const SCHEMA_RACE_CODES: ReadonlySet<string> = new Set(["23505", "42P07", "42710", "XX000"]);
export const STANDBY_MESSAGE = "The database accepts no changes: it is a standby";

/** Messages by code for errors of resources, limits or rights. Source: PostgreSQL, Appendix A. */
const UNAVAILABLE_MESSAGES: Readonly<Record<string, string>> = {
  // A primary that became a standby rejects serializable transactions with this code.
  "0A000": STANDBY_MESSAGE,
  "25006": "The database accepts no changes: it is read-only",
  "40003": "It is unknown whether the database committed the change",
  "42501": "The database user lacks a required privilege",
  "53100": "The disk of the database is full",
  "53200": "The database is out of memory",
  "55P03": "The database is locked by another writer",
  "57014": "The database took too long",
};

/** Converts errors of the server or the network to a refusal or an interruption; returns any other error unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (CONFLICT_CODES.has(code)) {
    const message = "The change conflicted with others repeatedly: try again, or reduce contention";
    return new InterruptedTransaction("conflict", refuse("TX_CONTENTION", message), error);
  }
  const unusable = UNAVAILABLE_MESSAGES[code];
  if (unusable !== undefined) return createUnavailableRefusal(unusable, error);
  // Only the server's own errors have a severity; any other code, such as EPIPE, is the driver's or the network's.
  if (LOST_CONNECTION_CODE.test(code) || (code !== "" && !("severity" in error)))
    return createLostConnectionError(error);
  return error;
}

/** Whether a schema change failed because another server changed the schema at the same time: a retry may succeed. */
function isSchemaRace(failure: unknown): boolean {
  if (failure instanceof InterruptedTransaction) return failure.reason === "conflict";
  return failure instanceof Error && "code" in failure && SCHEMA_RACE_CODES.has(String(failure.code));
}

/** Creates the error for a connection that was lost or could not be opened. */
export function createLostConnectionError(cause: unknown): InterruptedTransaction {
  return new InterruptedTransaction("lost", createUnavailableRefusal("The database does not answer", cause), cause);
}

/** Converts an error of opening to one whose message names the server, without its password. */
export function convertOpenError({ displayAddress }: PostgresAddress, error: unknown): unknown {
  const translated = error instanceof InterruptedTransaction ? error.refusal : error;
  if (!(translated instanceof OperationError)) return error;
  const why =
    translated.cause instanceof Error && translated.kind === "unavailable"
      ? translated.cause.message
      : translated.message;
  return new OperationError(translated.kind, `Cannot open the database ${displayAddress}: ${why}`, { cause: error });
}

/** Time in seconds that a server has for one statement of the schema before another server may take over. */
const LEASE_S = 120;
/** Interval at which a waiting server checks the lease again, in milliseconds. */
const LEASE_CHECK_MS = 200;

const NOW_SQL = "CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)";
const TAKE_LEASE_SQL = `INSERT INTO migration_lease (name, holder, until) VALUES ('schema', ?, ${NOW_SQL} + ${LEASE_S})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE migration_lease.holder = excluded.holder OR migration_lease.until < ${NOW_SQL} RETURNING holder`;

/**
 * Migrates the schema on CockroachDB, which commits before each statement that changes the schema. Every statement is
 * therefore sent separately and can be repeated, so that the next server can continue after one that was killed. A row
 * with the end of a lease lets only one server work at a time. Source: CockroachDB, autocommit_before_ddl; Online
 * Schema Changes.
 */
export async function migrateCockroach(connection: PostgresConnection): Promise<void> {
  const { text, integer } = connection.dialect.types;
  // Creates this table first, because it identifies the other tables as planner's for the next server.
  await executeStatementAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration (step ${integer} PRIMARY KEY, name ${text} NOT NULL)`,
  );
  await executeStatementAlone(
    connection,
    `CREATE TABLE IF NOT EXISTS migration_lease (name ${text} PRIMARY KEY, holder ${text} NOT NULL, until ${integer} NOT NULL)`,
  );
  const holder = randomUUID();
  while (!(await tryTakeLease(connection, holder))) {
    await sleep(LEASE_CHECK_MS);
    if ((await readStepCount(connection)) === migrations.length) return;
  }
  try {
    await executeMigrationSteps(connection, holder);
  } finally {
    await executeStatementAlone(connection, "DELETE FROM migration_lease WHERE name = 'schema' AND holder = ?", [
      holder,
    ]).catch(() => {
      // The lease expires if it cannot be deleted.
    });
  }
}

async function executeMigrationSteps(connection: PostgresConnection, holder: string): Promise<void> {
  const done = await readStepCount(connection);
  requireKnownSteps(done);
  for (const [index, { name, statements }] of migrations.slice(done).entries()) {
    for (const statement of statements(connection.dialect)) {
      if (!(await tryTakeLease(connection, holder)))
        throw refuse("DB_UNAVAILABLE", "Another server has taken over the change of the schema: start this one again");
      await executeStatementAlone(connection, makeStatementRepeatable(statement));
    }
    const step = [done + index + 1, name];
    await executeStatementAlone(
      connection,
      "INSERT INTO migration (step, name) VALUES (?, ?) ON CONFLICT (step) DO NOTHING",
      step,
    );
  }
}

/** Rewrites a statement so that it can be repeated. */
function makeStatementRepeatable(statement: string): string {
  if (statement.startsWith("INSERT ")) return `${statement} ON CONFLICT DO NOTHING`;
  return statement
    .replace(/^CREATE TABLE /, "CREATE TABLE IF NOT EXISTS ")
    .replace(/^CREATE (UNIQUE )?INDEX /, (_, unique = "") => `CREATE ${unique}INDEX IF NOT EXISTS `)
    .replace(/^DROP INDEX /, "DROP INDEX IF EXISTS ")
    .replace(/^(ALTER TABLE \w+) ADD COLUMN /, "$1 ADD COLUMN IF NOT EXISTS ");
}

async function tryTakeLease(connection: PostgresConnection, holder: string): Promise<boolean> {
  return (await executeStatementAlone(connection, TAKE_LEASE_SQL, [holder])).length > 0;
}

async function readStepCount(connection: PostgresConnection): Promise<number> {
  const [row] = await executeStatementAlone(connection, "SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/** Executes a statement outside of a transaction; repeats it after a conflict with another server. */
async function executeStatementAlone(
  connection: PostgresConnection,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<readonly SqlRow[]> {
  return retrySchemaRace(connection, LEASE_CHECK_MS, () => connection.all(sql, params));
}

/** Maximum number of attempts, for servers that change the schema at the same time. */
const MAX_TRIES = 20;

/** Repeats work, after a rollback and a random pause, while another server changes the schema at the same time. */
export async function retrySchemaRace<Result>(
  connection: PostgresConnection,
  maxPauseMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const failure = connection.failure ?? error;
      await connection.rollback();
      if (tries === MAX_TRIES || !isSchemaRace(failure)) throw failure;
      await sleep(Math.random() * maxPauseMs);
    }
  }
}
