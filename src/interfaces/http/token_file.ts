import { createHash, timingSafeEqual } from "node:crypto";
import { type Principal, ROLES } from "#dc/context.ts";
import { refuse } from "#dc/model/refusal.ts";
import { InvalidTokenRefusal } from "#dc/operations/messages/status.ts";
import { createInvalidArgumentError, describeError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { FollowedFile } from "./followed_file.ts";

/** The tokens of a file, read again after each change. While the file is unreadable, no token is valid. */
export class TokenFile {
  readonly #file: FollowedFile<readonly TokenRow[]>;

  private constructor(file: FollowedFile<readonly TokenRow[]>) {
    this.#file = file;
  }

  /** Opens a token file. @throws OperationError when the file cannot be read, or has two rows of one token */
  static async open(path: string, say: (message: string) => void): Promise<TokenFile> {
    const meanwhile = "no token works";
    let isStarting = true;
    const parse = (text: string): readonly TokenRow[] => {
      const { rows, faults, duplicates } = parseTokenTable(text);
      const [first] = duplicates;
      if (isStarting && first !== undefined)
        throw new OperationError("invalid_argument", `${first}: expected each token once`);
      for (const wrong of duplicates) say(`The token file "${path}" has rows that open nothing: ${wrong}`);
      for (const wrong of faults)
        say(`The token file "${path}" has a row that cannot be read and opens nothing: ${wrong}`);
      return rows;
    };
    const file = await FollowedFile.open({ path, name: "token file", meanwhile, parseContent: parse, report: say });
    isStarting = false;
    return new TokenFile(file);
  }

  /** Finds the principal of a call. @throws Refusal UNAUTHENTICATED */
  async findPrincipal(authorization: string | null): Promise<Principal | undefined> {
    return findTokenPrincipal((await this.#file.readCurrent()) ?? [], authorization);
  }

  /** Finds the principal of a calendar subscription. @throws Refusal UNAUTHENTICATED */
  async findSubscriber(secret: string): Promise<Principal> {
    return findSubscriberByToken((await this.#file.readCurrent()) ?? [], secret);
  }
}

/** Access that a token grants: the calls of its role, or the calendar alone. */
const TOKEN_ROLES = [...ROLES, "calendar"] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** One token as stored in its file: its access and its hash, but not the token itself. */
export interface TokenRow {
  readonly name: string;
  /** Roles of the token: one or more roles of callers, or `calendar` alone. */
  readonly roles: readonly TokenRole[];
  /** SHA-256 of the token, in hexadecimal. Tokens are 32 random bytes, so no slow hash is needed. */
  readonly sha256: string;
  /** Time of creation, ISO 8601 in UTC. */
  readonly created_at: string;
  /** Time from which the token is invalid, ISO 8601 in UTC; absent if it never expires. */
  readonly expires_at?: string;
}

/** Characters that print in one line. */
const NAME_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;

const BEARER_PATTERN = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Finds the principal of a call by its token. Without a header the caller is anonymous, and the service refuses it
 * where required. Refuses an unknown token, and a calendar token, because that is sent in an address. Source:
 * docs/decisions.md#d-07.
 * @throws Refusal UNAUTHENTICATED
 */
export function findTokenPrincipal(
  rows: readonly TokenRow[],
  authorization: string | null,
  now: Date = new Date(),
): Principal | undefined {
  if (authorization === null) return undefined;
  const token = BEARER_PATTERN.exec(authorization)?.[1];
  if (token === undefined) throw refuse("UNAUTHENTICATED", "Cannot read the Authorization header: expected Bearer");
  const { name, roles } = requireTokenRow(rows, token, now, "call");
  return { name, roles: roles.filter((role) => role !== "calendar"), authMethod: "token" };
}

/** Finds the principal of a calendar subscription by the token in its address. @throws Refusal UNAUTHENTICATED */
function findSubscriberByToken(rows: readonly TokenRow[], token: string, now: Date = new Date()): Principal {
  const { name } = requireTokenRow(rows, token, now, "calendar");
  return { name, roles: [], authMethod: "token" };
}

/** Finds the row of a token. Compares every row in constant time. @throws InvalidTokenRefusal */
function requireTokenRow(rows: readonly TokenRow[], token: string, now: Date, use: "call" | "calendar"): TokenRow {
  const place = use === "call" ? "Authorization holds" : 'Parameter "secret" is';
  const hash = Buffer.from(hashToken(token), "hex");
  let found: TokenRow | undefined;
  for (const row of rows) if (timingSafeEqual(Buffer.from(row.sha256, "hex"), hash)) found = row;
  if (found === undefined || found.roles.includes("calendar") !== (use === "calendar"))
    throw new InvalidTokenRefusal(`${place} an unknown token: expected one of the token file`);
  if (found.expires_at !== undefined && Date.parse(found.expires_at) <= now.getTime()) {
    throw new InvalidTokenRefusal(`${place} an expired token: expected one that is valid`);
  }
  return found;
}

/** The rows of a token file. An invalid row grants no access and does not invalidate other tokens. */
export interface TokenTable {
  readonly rows: readonly TokenRow[];
  /** One sentence for each invalid row, with its position and error. */
  readonly faults: readonly string[];
  /** One sentence for each token with several rows. These rows grant no access, since either could be meant. */
  readonly duplicates: readonly string[];
  /** Every row of the file, unchanged. */
  readonly allRows: readonly unknown[];
}

/** Parses a token file. @throws OperationError invalid_argument for text without a list of tokens */
export function parseTokenTable(text: string): TokenTable {
  const all = parseTokenRows(text);
  const rows: TokenRow[] = [];
  const faults: string[] = [];
  for (const [index, row] of all.entries()) {
    const wrong = findRowFault(row);
    if (wrong !== undefined) faults.push(`tokens[${index}] ${wrong}`);
    else if (rows.some(({ name }) => name === row.name))
      faults.push(`tokens[${index}].name "${row.name}" is there twice`);
    else rows.push(row);
  }
  const sameToken = [...Map.groupBy(rows, ({ sha256 }) => sha256.toLowerCase()).values()].filter(
    ({ length }) => length > 1,
  );
  const doubled = new Set(sameToken.flat());
  const formatPositions = (list: readonly TokenRow[]) => list.map((row) => `tokens[${all.indexOf(row)}] "${row.name}"`);
  const doubles = sameToken.map((list) => `${formatPositions(list).join(" and ")} have the same sha256`);
  return { rows: rows.filter((row) => !doubled.has(row)), faults, duplicates: doubles, allRows: all };
}

/** Returns a token file's text; throws OperationError invalid_argument for a row that could not be parsed again. */
export function formatTokenFile(rows: readonly unknown[], added?: TokenRow): string {
  const wrong = added === undefined ? undefined : findRowFault(added);
  if (wrong !== undefined) throw createInvalidArgumentError(`The new token ${wrong}`);
  return `${JSON.stringify({ tokens: added === undefined ? rows : [...rows, added] }, null, 2)}\n`;
}

function parseTokenRows(text: string): readonly TokenRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw createInvalidArgumentError(describeError(error));
  }
  const rows = isJsonObject(value) ? value["tokens"] : undefined;
  if (!Array.isArray(rows)) throw createInvalidArgumentError('expected an object with a list "tokens"');
  return rows;
}

function findRowFault(row: Partial<TokenRow> | null): string | undefined {
  if (!isJsonObject(row)) return "is no object";
  const { name, roles, sha256, expires_at } = row;
  if (typeof name !== "string" || !NAME_PATTERN.test(name) || name.trim() === "")
    return "has no name: expected 1 to 256 printable characters";
  const isCalendars = Array.isArray(roles) && roles.length === 1 && roles[0] === "calendar";
  if (!Array.isArray(roles) || roles.length === 0 || (!isCalendars && !roles.every((role) => ROLES.includes(role)))) {
    return `has wrong roles: expected ${ROLES.join(", ")}, or calendar alone`;
  }
  // An expiry that cannot be parsed must not make a token permanent.
  if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at))) return "has a wrong expires_at";
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) ? undefined : "has no sha256 in hexadecimal";
}
