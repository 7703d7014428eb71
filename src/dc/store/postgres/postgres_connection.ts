import postgres from "postgres";
import { refuse } from "#dc/model/refusal.ts";
import { COCKROACH, type Dialect, POSTGRES } from "../sql/dialect.ts";
import type { OnStatement, SqlRow, SqlRunner, SqlValue } from "../sql/sql_runner.ts";
import type { PostgresAddress } from "./postgres_address.ts";
import { createLostConnectionError, InterruptedTransaction, translatePostgresError } from "./postgres_errors.ts";

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
