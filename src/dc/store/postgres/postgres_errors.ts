import { createUnavailableRefusal, refuse } from "#dc/model/refusal.ts";
import { OperationError } from "#kernel/errors.ts";
import type { PostgresAddress } from "./postgres_address.ts";

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
export function isSchemaRace(failure: unknown): boolean {
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
