import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  formatTokenFile,
  hashToken,
  parseTokenTable,
  type TokenRole,
  type TokenRow,
  type TokenTable,
} from "#interfaces/http/token_file.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { print, sanitizeLine } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { createFolder, requireWritable, writePrivateFile } from "../output/write_file.ts";
import { UsageError } from "../usage_error.ts";

/** Random bytes of a token: 256 bits cannot be guessed, so the hash needs no salt. Source: docs/decisions.md#d-07. */
const TOKEN_BYTES = 32;

/** Prefix of every token, so that no token begins with "-" like a flag and secret scanners detect leaked tokens. */
const TOKEN_PREFIX = "planner_";

export interface NewToken {
  readonly name: string;
  readonly role: TokenRole;
  /** A day, a time, or a duration from now; undefined for a token that never expires. */
  readonly expires: string | undefined;
}

/** Creates a token, stores its hash and prints the token, which cannot be printed again. */
export async function createToken(file: string, token: NewToken, log: StderrLogger): Promise<void> {
  const now = new Date();
  const expiry = token.expires === undefined ? {} : { expires_at: parseExpiry(token.expires, now) };
  const secret = await withFileLock(file, () => addToken(file, token, { created_at: now.toISOString(), ...expiry }));
  print(`${secret}\n`);
  log.note(`Store it now: ${file} holds only its hash`);
  if (token.role === "calendar") log.note(`Subscribe to <address of the server>/windows.ics?secret=${secret}`);
}

/** Adds a row with the hash of a new token to the file, and returns the token. */
function addToken(file: string, { name, role }: NewToken, times: Pick<TokenRow, "created_at" | "expires_at">): string {
  const { rows, allRows } = existsSync(file) ? readTokenTable(file) : { rows: [], allRows: [] };
  if (rows.some((row) => row.name === name)) {
    throw new OperationError(
      "already_exists",
      `There is a token "${name}" already: expected another name, or revoke it`,
    );
  }
  const token = TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
  const row: TokenRow = { name, roles: [role], sha256: hashToken(token), ...times };
  writePrivateFile(file, formatTokenFile(allRows, row));
  return token;
}

/** Prints name, roles, creation and expiry of every token. */
export function printTokens(file: string, log: StderrLogger): void {
  const { rows, faults } = readTokenTable(file);
  for (const { name, roles, created_at, expires_at = "-" } of rows) {
    print(`${name}\t${roles.join(",")}\t${sanitizeLine(String(created_at))}\t${sanitizeLine(String(expires_at))}\n`);
  }
  for (const wrong of faults) log.warn(`A row of ${file} cannot be read and opens nothing: ${wrong}`);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses an expiry; a day ends at midnight UTC. @throws UsageError unless it is in the future. */
function parseExpiry(text: string, now: Date): string {
  const [, count = "", unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const given = isDay ? `${text}T23:59:59.999Z` : /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : "";
  const time = count === "" ? Date.parse(given) : now.getTime() + Number(count) * (UNIT_MS[unit] ?? 0);
  if (time > now.getTime()) return new Date(time).toISOString();
  const expected = "expected a future time, such as 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z";
  throw new UsageError(`Wrong value "${text}" for "--expires": ${expected}`, null);
}

/** Revokes a token; running servers reject it within a second. */
export async function revokeToken(file: string, name: string): Promise<void> {
  // A missing file is reported before the lock file is created.
  readTokenTable(file);
  await withFileLock(file, () => {
    const { allRows } = readTokenTable(file);
    const left = allRows.filter((row) => !(isJsonObject(row) && row["name"] === name));
    if (left.length === allRows.length) throw new OperationError("not_found", `There is no token "${name}" in ${file}`);
    writePrivateFile(file, formatTokenFile(left));
  });
}

function readTokenTable(file: string): TokenTable {
  try {
    return parseTokenTable(readFileSync(file, "utf8"));
  } catch (error) {
    const kind = error instanceof OperationError ? error.kind : "not_found";
    throw new OperationError(kind, `Cannot read the token file "${file}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Maximum wait for another process, in milliseconds. A change takes a few milliseconds, so a longer wait is a hang. */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * Runs `work` while no other process changes the file. The lock is SQLite's lock on the empty database `<file>.lock`,
 * which the operating system releases when the process exits. The database is never removed, because a removal would
 * cause a race.
 * @throws OperationError aborted after 10 s, unavailable if the folder cannot be written to
 */
async function withFileLock<Result>(file: string, work: () => Result): Promise<Result> {
  const lock = `${file}.lock`;
  const { DatabaseSync } = await import("node:sqlite");
  createFolder(dirname(lock));
  // Without this check, a lock file could remain without a token file.
  if (!existsSync(lock)) requireWritable(file);
  const database = wrapLockErrors(file, () => new DatabaseSync(lock, { timeout: LOCK_TIMEOUT_MS }));
  try {
    // SQLite keeps the journal in memory, so that the lock creates no second file.
    wrapLockErrors(file, () => database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE"));
    chmodSync(lock, 0o600);
    return work();
  } finally {
    database.close();
  }
}

function wrapLockErrors<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { message } = error as Error;
    // Node.js and Bun use the same error text but different codes.
    if (message.includes("database is locked")) {
      throw new OperationError("aborted", `Cannot change "${file}": another process has been changing it for 10 s`);
    }
    throw new OperationError("unavailable", `Cannot lock "${file}": ${message}`, { cause: error });
  }
}
