import { createHash, timingSafeEqual } from "node:crypto";
import { type Principal, ROLES, type Role } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidToken } from "#dc/operations/messages/status.ts";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";

/** What a token may open: what its role may call, or the calendar alone. */
export const TOKEN_ROLES = [...ROLES, "calendar"] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** One token as its file keeps it: what it opens, but not the token itself. */
export interface TokenRow {
  readonly name: string;
  /** Roles of callers, or `calendar` alone. */
  readonly roles: readonly TokenRole[];
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

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Finds who calls by a token. Without a header the caller is anonymous, which the service refuses where it must; an
 * unknown token is refused at once, and so is one of the calendar, which is sent in an address.
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
  const { name, roles } = rowOf(rows, token, now, "call");
  return { name, roles: roles.filter(isRole), authMethod: "token" };
}

/** Finds who subscribes to the calendar by the token in its address. @throws Refusal UNAUTHENTICATED */
export function subscriberOf(rows: readonly TokenRow[], token: string, now: Date = new Date()): Principal {
  const { name } = rowOf(rows, token, now, "calendar");
  return { name, roles: [], authMethod: "token" };
}

/** Every row is compared, each in constant time. @throws InvalidToken */
function rowOf(rows: readonly TokenRow[], token: string, now: Date, use: "call" | "calendar"): TokenRow {
  const place = use === "call" ? "Authorization holds" : 'Parameter "secret" is';
  const hash = Buffer.from(hashToken(token), "hex");
  let found: TokenRow | undefined;
  for (const row of rows) if (timingSafeEqual(Buffer.from(row.sha256, "hex"), hash)) found = row;
  if (found === undefined || found.roles.includes("calendar") !== (use === "calendar"))
    throw new InvalidToken(`${place} an unknown token: expected one of the token file`);
  if (found.expires_at !== undefined && Date.parse(found.expires_at) <= now.getTime()) {
    throw new InvalidToken(`${place} an expired token: expected one that is valid`);
  }
  return found;
}

function isRole(role: TokenRole): role is Role {
  return role !== "calendar";
}

/** The rows of a token file. A row that cannot be read opens nothing and refuses no other token. */
export interface TokenTable {
  readonly rows: readonly TokenRow[];
  /** Which row is wrong and how, one sentence for each that cannot be read. */
  readonly faults: readonly string[];
  /** Rows of one token, a sentence for each token. They open nothing, since either could be meant. */
  readonly doubles: readonly string[];
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
  const sameToken = [...Map.groupBy(rows, ({ sha256 }) => sha256.toLowerCase()).values()].filter(
    ({ length }) => length > 1,
  );
  const doubled = new Set(sameToken.flat());
  const places = (list: readonly TokenRow[]) => list.map((row) => `tokens[${all.indexOf(row)}] "${row.name}"`);
  const doubles = sameToken.map((list) => `${places(list).join(" and ")} have the same sha256`);
  return { rows: rows.filter((row) => !doubled.has(row)), faults, doubles, all };
}

/** The text of a token file. @throws OperationError invalid_argument for a row that could not be read back */
export function writeTokens(rows: readonly unknown[], added?: TokenRow): string {
  const wrong = added === undefined ? undefined : fault(added);
  if (wrong !== undefined) throw createInvalidArgumentError(`The new token ${wrong}`);
  return `${JSON.stringify({ tokens: added === undefined ? rows : [...rows, added] }, null, 2)}\n`;
}

function readRows(text: string): readonly TokenRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createInvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  const rows = isJsonObject(value) ? value["tokens"] : undefined;
  if (!Array.isArray(rows)) throw createInvalidArgumentError('expected an object with a list "tokens"');
  return rows;
}

function fault(row: Partial<TokenRow> | null): string | undefined {
  if (!isJsonObject(row)) return "is no object";
  const { name, roles, sha256, expires_at } = row;
  if (typeof name !== "string" || !NAME.test(name) || name.trim() === "")
    return "has no name: expected 1 to 256 printable characters";
  const isCalendars = Array.isArray(roles) && roles.length === 1 && roles[0] === "calendar";
  if (!Array.isArray(roles) || roles.length === 0 || (!isCalendars && !roles.every((role) => ROLES.includes(role)))) {
    return `has wrong roles: expected ${ROLES.join(", ")}, or calendar alone`;
  }
  // An expiry that cannot be parsed must not make a token permanent.
  if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at))) return "has a wrong expires_at";
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) ? undefined : "has no sha256 in hexadecimal";
}
