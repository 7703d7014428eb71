import { createHash, timingSafeEqual } from "node:crypto";
import { type Principal, ROLES, type Role } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidToken } from "#dc/operations/messages/status.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";

/** One token as its file keeps it: what it opens, but not the token itself. */
export interface TokenRow {
  readonly name: string;
  readonly roles: readonly Role[];
  /** SHA-256 of the token, in hexadecimal. Tokens are 32 random bytes, so no slow hash is needed. */
  readonly sha256: string;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** From this moment on it opens nothing, ISO 8601 in UTC; absent for one that lasts. */
  readonly expires_at?: string;
}

/** Characters that print in one line. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The hash under which a token is kept. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Finds who calls by a token. Without a header the caller is anonymous, which the service refuses where it must; an
 * unknown token is refused at once. Every row is compared, each in constant time.
 *
 * Source: docs/decisions.md#d-07. @throws Refusal UNAUTHENTICATED
 */
export function principalOf(
  rows: readonly TokenRow[],
  authorization: string | null,
  now: Date = new Date(),
): Principal | undefined {
  if (authorization === null) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw refuse("UNAUTHENTICATED", "Cannot read the Authorization header: expected Bearer");
  const hash = Buffer.from(hashToken(token), "hex");
  let found: TokenRow | undefined;
  for (const row of rows) if (timingSafeEqual(Buffer.from(row.sha256, "hex"), hash)) found = row;
  if (found === undefined)
    throw new InvalidToken("Authorization holds an unknown token: expected one of the token file");
  if (found.expires_at !== undefined && Date.parse(found.expires_at) <= now.getTime()) {
    throw new InvalidToken("Authorization holds an expired token: expected one that is valid");
  }
  return { name: found.name, roles: found.roles, authMethod: "token" };
}

/** The rows of a token file. A row that cannot be read opens nothing and refuses no other token. */
export interface TokenTable {
  readonly rows: readonly TokenRow[];
  /** Which row is wrong and how, one sentence for each that cannot be read. */
  readonly faults: readonly string[];
  /** Every row as the file has it. */
  readonly all: readonly unknown[];
}

/** Reads the text of a token file. @throws OperationError invalid_argument for a text that is no token file */
export function parseTokens(text: string): TokenTable {
  const all = readRows(text);
  const rows: TokenRow[] = [];
  const faults: string[] = [];
  for (const [index, row] of all.entries()) {
    const wrong = fault(row);
    if (wrong !== undefined) faults.push(`tokens[${index}] ${wrong}`);
    else if (rows.some(({ name }) => name === row.name))
      faults.push(`tokens[${index}].name "${row.name}" is there twice`);
    else rows.push(row);
  }
  return { rows, faults, all };
}

/** The text of a token file. @throws OperationError invalid_argument for a row that could not be read back */
export function writeTokens(rows: readonly unknown[], added?: TokenRow): string {
  const wrong = added === undefined ? undefined : fault(added);
  if (wrong !== undefined) throw unreadable(`The new token ${wrong}`);
  return `${JSON.stringify({ tokens: added === undefined ? rows : [...rows, added] }, null, 2)}\n`;
}

function readRows(text: string): readonly TokenRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
  const rows = isJsonObject(value) ? value["tokens"] : undefined;
  if (!Array.isArray(rows)) throw unreadable('expected an object with a list "tokens"');
  return rows;
}

function fault(row: Partial<TokenRow> | null): string | undefined {
  if (!isJsonObject(row)) return "is no object";
  const { name, roles, sha256, expires_at } = row;
  if (typeof name !== "string" || !NAME.test(name) || name.trim() === "")
    return "has no name: expected 1 to 256 printable characters";
  if (!Array.isArray(roles) || roles.length === 0 || !roles.every((role) => ROLES.includes(role))) {
    return `has wrong roles: expected ${ROLES.join(", ")}`;
  }
  // An expiry that cannot be parsed must not make a token permanent.
  if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at))) return "has a wrong expires_at";
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) ? undefined : "has no sha256 in hexadecimal";
}

function unreadable(why: string): OperationError {
  return new OperationError("invalid_argument", why);
}
