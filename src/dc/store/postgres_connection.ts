import postgres from "postgres";
import { COCKROACH, type Dialect, POSTGRES } from "./dialect.ts";
import type { PostgresAddress } from "./postgres_address.ts";
import { Interrupted, lost, translated } from "./postgres_errors.ts";
import type { OnStatement, SqlRow, SqlRunner, SqlValue } from "./sql_runner.ts";

/** How long a connection may take to be made, in seconds. */
const CONNECT_TIMEOUT_S = 10;
/** How long the server works on one statement, in milliseconds. Ours: reading a whole large estate takes some seconds. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** How long a statement waits for another writer, in milliseconds; the same as with SQLite. */
const LOCK_TIMEOUT_MS = 10_000;
/** When the server takes back what a process holds that hangs inside a transaction, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** When a server that says nothing at all is given up, in milliseconds: after it should have stopped by itself. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 10_000;
/** Statements that the server keeps prepared for a connection. Ours: searches have more texts than a server should keep. */
const MAX_PREPARED = 500;
const INT8 = 20;

/**
 * One connection, used by one transaction at a time; its statements run one after the other. When it is lost or the
 * transaction has lost against another one, every further statement fails with that reason until the next transaction.
 */
export class PostgresConnection implements SqlRunner {
  /** The server's kind, known once it is connected. */
  dialect: Dialect = POSTGRES;
  private readonly sql: postgres.Sql<{ bigint: number }>;
  private readonly prepared = new Set<string>();
  private interrupted: Interrupted | undefined;
  private gone = false;
  private last: Promise<unknown> = Promise.resolve();

  private readonly onStatement: OnStatement;

  private constructor({ url, host, tls }: PostgresAddress, onStatement: OnStatement) {
    this.onStatement = onStatement;
    this.sql = postgres(url, {
      // Exactly one, and never another in its place: a transaction must not go on somewhere else.
      max: 1,
      onclose: () => this.drop(lost(undefined)),
      ...(host !== undefined && { host }),
      ssl: tls,
      connect_timeout: CONNECT_TIMEOUT_S,
      // null, as the driver has it: connections are not replaced in the middle of a transaction.
      max_lifetime: null,
      fetch_types: false,
      onnotice: () => {},
      // Columns of eight bytes hold counts and small numbers, which a double tells exactly.
      types: { bigint: { to: INT8, from: [INT8], parse: Number, serialize: String } },
      connection: {
        application_name: "planner",
        statement_timeout: STATEMENT_TIMEOUT_MS,
        lock_timeout: LOCK_TIMEOUT_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      },
    });
  }

  /** @throws Interrupted with the reason as its cause when the server cannot be reached or does not let us in */
  static async open(address: PostgresAddress, onStatement: OnStatement): Promise<PostgresConnection> {
    const connection = new PostgresConnection(address, onStatement);
    try {
      const [row] = await connection.sql.unsafe("SELECT version() AS version");
      if (String(row?.["version"]).startsWith("CockroachDB")) connection.dialect = COCKROACH;
      return connection;
    } catch (error) {
      await connection.close();
      throw lost(error);
    }
  }

  /** What has interrupted the transaction that runs. */
  get interruption(): Interrupted | undefined {
    return this.interrupted;
  }

  get isLost(): boolean {
    return this.gone;
  }

  async all(sql: string, params: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    const turn = this.last.then(() => this.send(sql, params));
    this.last = turn.catch(() => {});
    return turn;
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<void> {
    await this.all(sql, params);
  }

  /** Throws what has interrupted the transaction, even if somebody on the way has swallowed it. */
  check(): void {
    if (this.interrupted !== undefined) throw this.interrupted;
  }

  /** Undoes the transaction, and makes the connection ready for the next one unless it is lost. */
  async rollback(): Promise<void> {
    if (this.gone) return;
    this.interrupted = undefined;
    try {
      await this.run("ROLLBACK");
    } catch (error) {
      this.drop(lost(error));
    }
  }

  /** Ends the connection; one that is lost is not waited for. */
  async close(): Promise<void> {
    const timeout = this.gone ? 0 : 1;
    this.gone = true;
    await this.sql.end({ timeout });
  }

  private async send(sql: string, params: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    this.check();
    this.onStatement(sql);
    const timer = setTimeout(() => void this.sql.end({ timeout: 0 }), SILENCE_MS);
    try {
      const rows = await this.sql.unsafe<SqlRow[]>(this.dialect.marked(sql), [...params], { prepare: this.keeps(sql) });
      return rows;
    } catch (error) {
      const told = translated(error);
      if (told instanceof Interrupted) this.drop(told);
      throw told;
    } finally {
      clearTimeout(timer);
    }
  }

  private keeps(sql: string): boolean {
    if (this.prepared.has(sql)) return true;
    if (this.prepared.size >= MAX_PREPARED) return false;
    this.prepared.add(sql);
    return true;
  }

  private drop(reason: Interrupted): void {
    this.interrupted ??= reason;
    if (reason.why === "lost") this.gone = true;
  }
}
