import { setTimeout as sleep } from "node:timers/promises";
import { OperationError } from "#kernel/errors.ts";
import { refuse } from "../../model/refusal.ts";
import type { DcReader, DcStore, DcWriter } from "../../ports.ts";
import { DraftRunner } from "../draft_space.ts";
import { createStoreReader, type InspectedStore, migrateSchema, migrations, requireKnownSteps } from "../migrations.ts";
import { WorkQueue } from "../queue.ts";
import { SqlReader } from "../sql/sql_reader.ts";
import { BEGIN_SERVER_READ, type OnStatement, type SqlRow } from "../sql/sql_runner.ts";
import { SqlWriter } from "../sql/sql_writer.ts";
import { parsePostgresUrl } from "./postgres_address.ts";
import {
  convertOpenError,
  createLostConnectionError,
  InterruptedTransaction,
  migrateCockroach,
  PostgresConnection,
  retrySchemaRace,
  STANDBY_MESSAGE,
} from "./postgres_connection.ts";

/** Number of connections for reads; each has one snapshot at a time. One further connection writes. */
const MAX_READERS = 8;
/**
 * Time for which a transaction is retried after conflicts, in milliseconds: as long as the wait for a lock. With a
 * maximum number of attempts instead, writes could fail by chance if many servers write, because each commit aborts all
 * other attempts.
 */
const MAX_CONFLICT_MS = 10_000;
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
const PROBE_TIMEOUT_S = 2;

type TransactionMode = "read" | "write";

/** Work inside a transaction. `begun` contains the rows that the first statement of the transaction returned. */
type TransactionWork<Result> = (runner: PostgresConnection, begun: readonly SqlRow[]) => Promise<Result>;

class PostgresStore implements InspectedStore {
  steps = migrations.length;
  #isReadOnly = false;
  readonly #openConnection: (connectTimeoutS?: number) => Promise<PostgresConnection>;
  readonly #watchdog = new PostgresWatchdog(() => this.#probeServer());
  readonly #writeQueue = new WorkQueue(1);
  readonly #readQueue = new WorkQueue(MAX_READERS);
  readonly #draftRunner = new DraftRunner();
  #idleConnections: PostgresConnection[] = [];

  constructor(open: (connectTimeoutS?: number) => Promise<PostgresConnection>) {
    this.#openConnection = open;
  }

  async prepare(): Promise<void> {
    const connection = await this.#openConnection();
    this.#idleConnections.push(connection);
    await migratePostgres(connection);
  }

  async prepareReading(): Promise<void> {
    const connection = await this.#openConnection();
    this.#idleConnections.push(connection);
    this.#isReadOnly = true;
    this.steps = await readStepCount(connection);
    requireKnownSteps(this.steps);
  }

  async findDamage(): Promise<undefined> {}

  async read<Result>(work: (reader: DcReader) => Promise<Result>): Promise<Result> {
    return this.#retry(this.#readQueue, () =>
      this.#runInTransaction("read", (runner) => work(createStoreReader(runner, runner.dialect, this.steps))),
    );
  }

  async write<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#isReadOnly) throw refuse("DB_UNAVAILABLE", "The database was opened for reading");
    return this.#retry(this.#writeQueue, () =>
      this.#runInTransaction("write", (runner, settings) => SqlWriter.run(runner, runner.dialect, work, settings)),
    );
  }

  async draft<Result>(work: (writer: DcWriter) => Promise<Result>): Promise<Result> {
    if (this.#isReadOnly) throw refuse("DB_UNAVAILABLE", "The database was opened for reading");
    return this.#retry(this.#readQueue, () =>
      this.#runInTransaction("read", (runner) => this.#draftRunner.run(runner, runner.dialect, work)),
    );
  }

  async revision(): Promise<number> {
    return this.#retry(this.#readQueue, () =>
      this.#runWithConnection((connection) => runStatementSeparately(connection, (reader) => reader.revision())),
    );
  }

  async check(): Promise<void> {
    await this.revision();
    if (!this.#isReadOnly) await this.#retry(this.#readQueue, () => this.#runWithConnection(requirePrimary));
  }

  use() {
    return { read: this.#readQueue.use, write: this.#writeQueue.use };
  }

  async close(): Promise<void> {
    await this.#writeQueue.close();
    await this.#readQueue.close();
    this.#draftRunner.close();
    this.#watchdog.close();
    await this.#discardIdle();
  }

  #retry<Result>(queue: WorkQueue, attempt: () => Promise<Result>): Promise<Result> {
    return queue.runWork(() => retryInterruptedTransaction(attempt));
  }

  #runInTransaction<Result>(effect: TransactionMode, work: TransactionWork<Result>): Promise<Result> {
    return this.#runWithConnection((connection) => runTransaction(connection, effect, work));
  }

  async #runWithConnection<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    if (this.#watchdog.isHanging) throw createLostConnectionError(new Error("the database does not answer"));
    const connection = this.#takeIdleConnection() ?? (await this.#openConnection());
    try {
      const result = await this.#watchdog.during(connection, () => work(connection));
      this.#idleConnections.push(connection);
      return result;
    } catch (error) {
      if (connection.isLost) {
        await connection.close();
        // The idle connections have probably ended for the same reason.
        await this.#discardIdle();
      } else this.#idleConnections.push(connection);
      throw error;
    }
  }

  /** Probes the server on a new connection. */
  async #probeServer(): Promise<void> {
    const connection = await this.#openConnection(PROBE_TIMEOUT_S);
    await connection.close();
  }

  #takeIdleConnection(): PostgresConnection | undefined {
    const connection = this.#idleConnections.pop();
    return connection?.isLost === true ? this.#takeIdleConnection() : connection;
  }

  async #discardIdle(): Promise<void> {
    const connections = this.#idleConnections;
    this.#idleConnections = [];
    await Promise.all(connections.map((connection) => connection.close()));
  }
}

async function runTransaction<Result>(
  connection: PostgresConnection,
  effect: TransactionMode,
  work: TransactionWork<Result>,
): Promise<Result> {
  let isCommitting = false;
  try {
    // Every write increments the revision, so concurrent writes could not both commit. They queue from the start.
    const begun = await connection.runTogether(effect === "read" ? BEGIN_SERVER_READ : connection.dialect.beginWrite);
    const result = await work(connection, begun);
    await connection.settle();
    isCommitting = effect === "write";
    await connection.all("COMMIT");
    return result;
  } catch (error) {
    const failure = connection.failure ?? error;
    await connection.rollback();
    if (isCommitting && failure instanceof InterruptedTransaction && failure.reason === "lost")
      throw createUnknownOutcomeError();
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
  const end = performance.now() + MAX_CONFLICT_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryOnOtherConnection(attempt);
    } catch (error) {
      if (!(error instanceof InterruptedTransaction)) throw error;
      if (error.reason === "lost" || performance.now() > end) throw error.refusal;
    }
    await sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));
  }
}

/** Retries once on another connection, as the server may close idle ones. Reports an unreachable server at once. */
async function retryOnOtherConnection<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof InterruptedTransaction && error.reason === "lost") return attempt();
    throw error;
  }
}

function createUnknownOutcomeError(): OperationError {
  const message =
    "The connection to the database was lost during the commit: the change may or may not be stored; repeat the call with the same request_id";
  return refuse("DB_UNAVAILABLE", message);
}

/** Check interval, silence limit and reply timeout of the watchdog, in milliseconds. */
interface WatchTimes {
  /** Interval between checks of the connections. */
  readonly lookMs: number;
  /** Time without a reply after which the server is probed. */
  readonly silentMs: number;
  /** Maximum wait for the reply to a probe. */
  readonly patienceMs: number;
}

const DEFAULT_TIMES: WatchTimes = { lookMs: 500, silentMs: 1500, patienceMs: 2000 };

/** A connection that is monitored, with the time since its last unanswered statement. */
type WatchedConnection = Pick<PostgresConnection, "silentMs" | "giveUp">;

/**
 * Detects a server that hangs, within five seconds. A statement may take a minute, so a missing reply proves nothing: a
 * second connection probes the server. Without a reply every connection is closed, and none is opened until the server
 * replies.
 */
export class PostgresWatchdog {
  readonly #probe: () => Promise<void>;
  readonly #times: WatchTimes;
  readonly #busyConnections = new Set<WatchedConnection>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isProbing = false;
  #isServerHanging = false;
  #isClosed = false;

  /** Watches whether the server responds. @param ask probes it on a separate connection */
  constructor(ask: () => Promise<void>, times: WatchTimes = DEFAULT_TIMES) {
    this.#probe = ask;
    this.#times = times;
  }

  /** Whether the latest probes found no reply from the server. */
  get isHanging(): boolean {
    return this.#isServerHanging;
  }

  /** Monitors a connection while `work` uses it. */
  async during<Result>(connection: WatchedConnection, work: () => Promise<Result>): Promise<Result> {
    this.#busyConnections.add(connection);
    this.#startTimer();
    try {
      return await work();
    } finally {
      this.#busyConnections.delete(connection);
      this.#stopIdleTimer();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#isServerHanging = false;
    this.#stopIdleTimer();
  }

  #startTimer(): void {
    if (!this.#isClosed) this.#timer ??= setInterval(() => void this.#checkConnections(), this.#times.lookMs).unref();
  }

  #stopIdleTimer(): void {
    if (!this.#isClosed && (this.#busyConnections.size > 0 || this.#isServerHanging)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #checkConnections(): Promise<void> {
    const isSilent = [...this.#busyConnections].some(({ silentMs }) => silentMs > this.#times.silentMs);
    if (this.#isProbing || !(isSilent || this.#isServerHanging)) return;
    this.#isProbing = true;
    const answered = await this.#isServerReplying();
    this.#isProbing = false;
    this.#isServerHanging = !answered && !this.#isClosed;
    if (!answered) for (const connection of this.#busyConnections) connection.giveUp();
    // The last connection may have closed during the probe; then only the timer detects that the server replies again.
    if (this.#isServerHanging) this.#startTimer();
    else this.#stopIdleTimer();
  }

  async #isServerReplying(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#times.patienceMs);
    });
    const asked = this.#probe().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, late]);
    clearTimeout(timer);
    return answered;
  }
}

/** Maximum pause before another attempt, in milliseconds. */
const MAX_SCHEMA_PAUSE_MS = 100;

/** Tables of the first schema, which identify a database of planner. */
const PLANNER_TABLES: readonly string[] = ["rack", "device", "port", "crac", "cable", "fabric_link", "setting"];

/**
 * Migrates the database to the newest schema. Servers that start together migrate one after the other, and no write
 * runs at the same time. A current database is only read, which requires no right to change it.
 * @throws OperationError failed_precondition for a database that a newer program has written
 */
async function migratePostgres(connection: PostgresConnection): Promise<void> {
  if ((await readStepCount(connection)) === migrations.length) return;
  if (connection.dialect.name === "cockroach") return migrateCockroach(connection);
  await runSchemaChange(connection, "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE", async () => {
    await connection.run("CREATE TABLE IF NOT EXISTS writer_queue (name TEXT PRIMARY KEY)");
    await connection.run("INSERT INTO writer_queue (name) VALUES ('writer') ON CONFLICT (name) DO NOTHING");
  });
  await runSchemaChange(connection, connection.dialect.beginWrite, async () => {
    await migrateSchema(connection, connection.dialect);
  });
}

/**
 * Returns the number of migration steps in the current schema; 0 if it contains no tables of planner.
 * @throws OperationError failed_precondition if another program's tables have the same names
 */
async function readStepCount(connection: PostgresConnection): Promise<number> {
  const rows = await connection.all(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()",
  );
  const names = rows.map(({ name }) => String(name));
  if (!names.includes("migration")) {
    const taken = names.find((name) => PLANNER_TABLES.includes(name));
    if (taken === undefined) return 0;
    const expected = "expected a database or a schema of its own";
    throw new OperationError("failed_precondition", `another program has a table "${taken}" there: ${expected}`);
  }
  const [row] = await connection.all("SELECT COUNT(*) AS steps FROM migration");
  return Number(row?.["steps"]);
}

/** Runs work in one transaction, and repeats it if another server changed the schema at the same time. */
async function runSchemaChange(
  connection: PostgresConnection,
  begin: string,
  work: () => Promise<void>,
): Promise<void> {
  await retrySchemaRace(connection, MAX_SCHEMA_PAUSE_MS, async () => {
    await connection.all(begin);
    await work();
    await connection.settle();
    await connection.all("COMMIT");
  });
}
