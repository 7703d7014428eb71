import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, DcStore, DcWriter } from "#dc/ports.ts";
import type { OperationError } from "#kernel/errors.ts";
import { DraftRunner } from "../draft_space.ts";
import { createReader } from "../earlier_reader.ts";
import type { InspectedStore } from "../inspected_store.ts";
import { requireKnownSteps } from "../migrate.ts";
import { migrations } from "../migrations/index.ts";
import { WorkQueue } from "../queue.ts";
import { BEGIN_SERVER_READ } from "../sql/dialect.ts";
import { SqlReader } from "../sql/sql_reader.ts";
import type { OnStatement, SqlRow } from "../sql/sql_runner.ts";
import { SqlWriter } from "../sql/sql_writer.ts";
import { parsePostgresUrl } from "./postgres_address.ts";
import { PostgresConnection } from "./postgres_connection.ts";
import { convertOpenError, createLostConnectionError, Interrupted, STANDBY_MESSAGE } from "./postgres_errors.ts";
import { migratePostgres, readStepCount } from "./postgres_schema.ts";
import { PostgresWatchdog } from "./postgres_watchdog.ts";

/** Number of connections for reads; each has one snapshot at a time. One further connection writes. */
const READERS = 8;
/**
 * Time for which a transaction is retried after conflicts, in milliseconds: as long as the wait for a lock. With a
 * maximum number of attempts instead, writes could fail by chance if many servers write, because each commit aborts all
 * other attempts.
 */
const CONFLICT_MS = 10_000;
/**
 * Maximum pause before another attempt, in milliseconds; the first pauses are shorter. With a longer maximum, a server
 * that writes without pauses would block all other servers.
 */
const MAX_PAUSE_MS = 50;

/**
 * Opens a database on a PostgreSQL or CockroachDB server, which other processes may use too.
 *
 * @param url `postgres://user:password@host:port/database?sslmode=…`
 * @throws OperationError invalid_argument for a wrong address, unavailable if the server cannot be reached or rejects
 * the login, failed_precondition if the database is from a newer or another program. No message contains the password.
 */
export async function openPostgres(url: string, onStatement: OnStatement = () => {}): Promise<DcStore> {
  return openPostgresStore(url, onStatement, (store) => store.prepare());
}

/**
 * Opens a database with this or an earlier schema for reading; changes nothing.
 * @throws OperationError in the same cases as `openPostgres`
 */
export async function inspectPostgres(url: string): Promise<InspectedStore> {
  return openPostgresStore(
    url,
    () => {},
    (store) => store.prepareReading(),
  );
}

async function openPostgresStore(
  url: string,
  onStatement: OnStatement,
  prepare: (store: PostgresStore) => Promise<void>,
): Promise<PostgresStore> {
  const address = parsePostgresUrl(url);
  const store = new PostgresStore((connectTimeoutS) => PostgresConnection.open(address, onStatement, connectTimeoutS));
  try {
    await prepare(store);
    return store;
  } catch (error) {
    await store.close();
    throw convertOpenError(address, error);
  }
}

/** Connect timeout of the connection that probes an unresponsive server, in seconds. */
const ASK_TIMEOUT_S = 2;

type Effect = "read" | "write";

/** Work inside a transaction. `begun` contains the rows that the first statement of the transaction returned. */
type Work<Result> = (runner: PostgresConnection, begun: readonly SqlRow[]) => Promise<Result>;

class PostgresStore implements InspectedStore {
  steps = migrations.length;
  #isReadOnly = false;
  readonly #open: (connectTimeoutS?: number) => Promise<PostgresConnection>;
  readonly #watchdog = new PostgresWatchdog(() => this.#ask());
  readonly #writing = new WorkQueue(1);
  readonly #reading = new WorkQueue(READERS);
  readonly #drafts = new DraftRunner();
  #idle: PostgresConnection[] = [];

  constructor(open: (connectTimeoutS?: number) => Promise<PostgresConnection>) {
    this.#open = open;
  }

  async prepare(): Promise<void> {
    const connection = await this.#open();
    this.#idle.push(connection);
    await migratePostgres(connection);
  }

  async prepareReading(): Promise<void> {
    const connection = await this.#open();
    this.#idle.push(connection);
    this.#isReadOnly = true;
    this.steps = await readStepCount(connection);
    requireKnownSteps(this.steps);
  }

  async damage(): Promise<undefined> {}

  async read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.#reading.enter(() =>
      retryInterruptedTransaction(() =>
        this.#transaction("read", (runner) => work(createReader(runner, runner.dialect, this.steps))),
      ),
    );
  }

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#isReadOnly) throw refuse("DB_UNAVAILABLE", "The database was opened for reading");
    return this.#writing.enter(() =>
      retryInterruptedTransaction(() =>
        this.#transaction("write", (runner, settings) => SqlWriter.run(runner, runner.dialect, work, settings)),
      ),
    );
  }

  async draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#isReadOnly) throw refuse("DB_UNAVAILABLE", "The database was opened for reading");
    return this.#reading.enter(() =>
      retryInterruptedTransaction(() =>
        this.#transaction("read", (runner) => this.#drafts.run(runner, runner.dialect, work)),
      ),
    );
  }

  async revision(): Promise<number> {
    return this.#reading.enter(() =>
      retryInterruptedTransaction(() =>
        this.#connected((connection) => runStatementSeparately(connection, (reader) => reader.revision())),
      ),
    );
  }

  async check(): Promise<void> {
    await this.revision();
    if (!this.#isReadOnly)
      await this.#reading.enter(() => retryInterruptedTransaction(() => this.#connected(requirePrimary)));
  }

  use() {
    return { read: this.#reading.use, write: this.#writing.use };
  }

  async close(): Promise<void> {
    await this.#writing.close();
    await this.#reading.close();
    this.#drafts.close();
    this.#watchdog.close();
    await this.#discardIdle();
  }

  #transaction<Result>(effect: Effect, work: Work<Result>): Promise<Result> {
    return this.#connected((connection) => runTransaction(connection, effect, work));
  }

  async #connected<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    if (this.#watchdog.isHanging) throw createLostConnectionError(new Error("the database does not answer"));
    const connection = this.#usable() ?? (await this.#open());
    try {
      const result = await this.#watchdog.during(connection, () => work(connection));
      this.#idle.push(connection);
      return result;
    } catch (error) {
      if (connection.isLost) {
        await connection.close();
        // The idle connections have probably ended for the same reason.
        await this.#discardIdle();
      } else this.#idle.push(connection);
      throw error;
    }
  }

  /** Probes the server on a new connection. */
  async #ask(): Promise<void> {
    const connection = await this.#open(ASK_TIMEOUT_S);
    await connection.close();
  }

  #usable(): PostgresConnection | undefined {
    const connection = this.#idle.pop();
    return connection?.isLost === true ? this.#usable() : connection;
  }

  async #discardIdle(): Promise<void> {
    const connections = this.#idle;
    this.#idle = [];
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

async function runTransaction<Result>(
  connection: PostgresConnection,
  effect: Effect,
  work: Work<Result>,
): Promise<Result> {
  let committing = false;
  try {
    // Every write increments the revision, so concurrent writes could not both commit. They queue from the start.
    const begun = await connection.together(effect === "read" ? BEGIN_SERVER_READ : connection.dialect.beginWrite);
    const result = await work(connection, begun);
    await connection.settle();
    committing = effect === "write";
    await connection.all("COMMIT");
    return result;
  } catch (error) {
    const failure = connection.failure ?? error;
    await connection.rollback();
    if (committing && failure instanceof Interrupted && failure.why === "lost") throw createUnknownOutcomeError();
    throw failure;
  }
}

/** Executes one statement outside of a transaction; an error does not affect the connection's next work. */
async function runStatementSeparately<Result>(
  connection: PostgresConnection,
  ask: (reader: DcReader) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(new SqlReader(connection, connection.dialect));
  } catch (error) {
    const failure = connection.failure ?? error;
    await connection.rollback();
    throw failure;
  }
}

/** Requires a server that accepts changes. @throws OperationError unavailable for a standby */
async function requirePrimary(connection: PostgresConnection): Promise<void> {
  if (connection.dialect.name === "cockroach") return;
  const [row] = await connection.all("SELECT CAST(pg_is_in_recovery() AS TEXT) AS standby");
  if (row?.["standby"] === "true") throw refuse("DB_UNAVAILABLE", STANDBY_MESSAGE);
}

/** Retries a transaction that was interrupted before its commit, which has stored nothing. */
async function retryInterruptedTransaction<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + CONFLICT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryOnOtherConnection(attempt);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (error.why === "lost" || performance.now() > end) throw error.refusal;
    }
    await waitBeforeRetry(tries);
  }
}

/** Retries once on another connection, as the server may close idle ones. Reports an unreachable server at once. */
async function retryOnOtherConnection<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof Interrupted && error.why === "lost") return attempt();
    throw error;
  }
}

function waitBeforeRetry(tries: number): Promise<void> {
  const longest = Math.min(2 ** tries, MAX_PAUSE_MS);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}

function createUnknownOutcomeError(): OperationError {
  const message =
    "The connection to the database was lost during the commit: the change may or may not be stored; repeat the call with the same request_id";
  return refuse("DB_UNAVAILABLE", message);
}
