import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { LoadBasis as LoadBasisNumber } from "#gen/datacenter/v1/datacenter_pb.ts";
import { formatCanonicalJson } from "#kernel/json_object.ts";
import type { Topology } from "../../analysis/topology.ts";
import { DEFAULT_PAGE_SIZE, MAX_FILTER_VALUES, MAX_PAGE_SIZE } from "../../limits.ts";
import { LOAD_BASES, type LoadBasis } from "../../model/enum_values.ts";
import {
  CODE_GRAMMAR,
  type Code,
  PORT_NAME_GRAMMAR,
  type PortName,
  parseCode,
  parsePortName,
  parseRef,
  REF_GRAMMAR,
  type Ref,
  type RefKind,
} from "../../model/ref.ts";
import { type Refusal, refuse } from "../../model/refusal.ts";

/** Reads a required code. @throws Refusal naming the field */
export function readCode(field: string, text: string): Code {
  return readByGrammar(field, text, { parse: parseCode, what: "code", expected: CODE_GRAMMAR });
}

/** Reads a required port name. @throws Refusal naming the field */
export function readPortName(field: string, text: string): PortName {
  return readByGrammar(field, text, { parse: parsePortName, what: "port name", expected: PORT_NAME_GRAMMAR });
}

interface Grammar<Parsed> {
  readonly parse: (text: string) => Parsed | undefined;
  readonly what: string;
  readonly expected: string;
}

function readByGrammar<Parsed>(field: string, text: string, { parse, what, expected }: Grammar<Parsed>): Parsed {
  const parsed = parse(text);
  if (parsed !== undefined) return parsed;
  if (text === "") throw refuse("REQUIRED_FIELD", `Field "${field}" is required`, { field, expected });
  throw refuse("INVALID_CODE", `Cannot read ${what} "${text}"`, { field, value: text, expected });
}

/** Parses a required reference of one of these kinds. @throws Refusal naming the field */
export function readRef<Kind extends RefKind>(
  field: string,
  text: string,
  kinds: readonly Kind[],
): Extract<Ref, { readonly kind: Kind }> {
  const expected = kinds.map((kind) => REF_GRAMMAR[kind]).join(", ");
  if (text === "") throw createMissingFieldRefusal(field, expected);
  const ref = parseRef(text);
  if (ref !== undefined && kinds.some((kind) => kind === ref.kind)) return ref as Extract<Ref, { readonly kind: Kind }>;
  throw refuse("INVALID_REF", `Cannot read ${field} "${text}"`, { field, value: text, expected });
}

/** Requires that at least one resource has the given location. @throws Refusal NOT_FOUND */
export function requireLocation(
  topology: Topology,
  scope: Ref,
  { field, value }: { readonly field: string; readonly value: string },
): void {
  if (topology.hasLocation(scope)) return;
  throw refuse("NOT_FOUND", `Cannot find ${scope.kind} "${value}"`, { field, value, ref: value });
}

/** Returns a count: `usual` for 0, otherwise at most `most`. @throws Refusal for a negative number */
export function readCount(
  field: string,
  asked: number,
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  if (asked >= 0) return asked === 0 ? usual : Math.min(asked, most);
  const expected = `0 to ${most}`;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" is negative: expected ${expected}`, {
    field,
    value: asked,
    expected,
  });
}

/** Returns the page size of a list. @throws Refusal when negative */
export function readPageSize(asked: number): number {
  return readCount("page_size", asked, { usual: DEFAULT_PAGE_SIZE, most: MAX_PAGE_SIZE });
}

/**
 * Returns the page size of a list of devices or device types. Its error differs from that of other lists. Source:
 * AIP-158.
 * @throws Refusal when negative
 */
export function readDevicePageSize(asked: number): number {
  if (asked >= 0) return readPageSize(asked);
  const detail = { field: "page_size", value: asked, expected: `0 to ${MAX_PAGE_SIZE}` };
  throw refuse("FIELD_OUT_OF_RANGE", `Page size ${asked} is negative`, detail);
}

/**
 * Returns the enum value of a number, or undefined for 0. @throws Refusal for a number that the proto does not define
 */
export function readEnumValue<Word extends string>(
  field: string,
  number: number,
  values: readonly Word[],
): Word | undefined {
  if (number === 0) return undefined;
  const found = values[number - 1];
  if (found !== undefined) return found;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has no value ${number}`, {
    field,
    value: number,
    expected: values.join(", "),
  });
}

/**
 * Returns the load basis of an enum number, ALLOCATED for 0. @throws Refusal for a number that the proto does not
 * define
 */
export function readLoadBasis(basis: LoadBasisNumber): LoadBasis {
  return readEnumValue("load_basis", basis, LOAD_BASES) ?? "ALLOCATED";
}

/** Returns a share in percent, or the default if it is absent. @throws Refusal outside of 0 to 100 */
export function readPercent(field: string, asked: number | undefined, usual: number): number {
  if (asked === undefined) return usual;
  if (asked >= 0 && asked <= 100) return asked;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" is out of range: ${asked}, expected 0 to 100`, {
    field,
    value: asked,
    expected: "0 to 100",
  });
}

/** Kinds of references to a location. */
export const LOCATION_KINDS = ["site", "floor", "room", "row", "zone", "rack"] as const;

/**
 * Parses the location that limits a request; undefined for empty text.
 * @throws Refusal for a malformed reference, or a location without resources
 */
export function readScope(topology: Topology, scopeRef: string) {
  if (scopeRef === "") return undefined;
  const scope = readRef("scope_ref", scopeRef, LOCATION_KINDS);
  requireLocation(topology, scope, { field: "scope_ref", value: scopeRef });
  return scope;
}

/** Returns the refusal for a required field that is missing. */
export function createMissingFieldRefusal(field: string, expected: string): Refusal {
  return refuse("REQUIRED_FIELD", `Field "${field}" is required`, { field, expected });
}

/** Limits the length of a list or text. @throws Refusal for a longer one */
export function requireMaxCount(field: string, count: number, most: number, what: string): void {
  if (count <= most) return;
  const expected = `at most ${most} ${what}`;
  throw refuse("FIELD_OUT_OF_RANGE", `Field "${field}" has ${count} ${what}`, { field, value: count, expected });
}

/** Limits the number of values of a filter. @throws Refusal for more values than a filter accepts */
export function requireMaxFilterValues(field: string, count: number): void {
  requireMaxCount(field, count, MAX_FILTER_VALUES, "values");
}

/** Requires that each code names an element. @throws Refusal naming the field of the first code that does not */
export function requireKnownCodes(
  codes: readonly string[],
  { field, kind, noun }: { readonly field: string; readonly kind: RefKind; readonly noun: string },
  isKnown: (code: string) => boolean,
): void {
  const index = codes.findIndex((code, at) => !isKnown(readCode(`${field}[${at}]`, code)));
  const code = codes[index];
  if (code === undefined) return;
  const detail = { field: `${field}[${index}]`, value: code, ref: `${kind}:${code}` };
  throw refuse("NOT_FOUND", `Cannot find ${noun} "${code}"`, detail);
}

const CIPHER_ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Format version of the token content, raised with each change so that old tokens are refused instead of misread. */
const TOKEN_VERSION = 1;

/** Content of a token: the start of the next page, and a hash of the query to which the token belongs. */
interface TokenContent {
  readonly version: number;
  readonly question: string;
  readonly cursor: unknown;
}

/**
 * Seals a cursor. The token is opaque, URL-safe, and invalid for another query or if it was altered.
 * @param question everything that determines which rows are returned in which order
 */
export function sealPageToken(key: Uint8Array, question: unknown, cursor: unknown): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER_ALGORITHM, key, iv);
  const content: TokenContent = { version: TOKEN_VERSION, question: hashQuestion(question), cursor };
  const sealed = Buffer.concat([cipher.update(JSON.stringify(content), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/**
 * Decrypts a token and returns its cursor; undefined for "", the token of the first page.
 * @throws Refusal PAGE_TOKEN_INVALID if the text is no token, was altered, or belongs to another question
 */
export function openPageToken<Cursor>(key: Uint8Array, question: unknown, token: string): Cursor | undefined {
  if (token === "") return undefined;
  const content = decryptToken(key, token);
  if (content?.version !== TOKEN_VERSION) throw createTokenRefusal("expected next_page_token of the page before");
  if (content.question !== hashQuestion(question)) throw createTokenRefusal("it belongs to another filter or order");
  return content.cursor as Cursor;
}

/**
 * Returns a function that cuts the requested page out of a list.
 * @throws Refusal for a size below 0, or for a token of another question
 */
export function createPaginator(
  pageKey: Uint8Array,
  { pageSize, pageToken }: { readonly pageSize: number; readonly pageToken: string },
  question: unknown,
) {
  const limit = readPageSize(pageSize);
  const offset = openPageToken<number>(pageKey, question, pageToken) ?? 0;
  return <Item>(items: readonly Item[]) => {
    const page = items.slice(offset, offset + limit);
    const next = offset + page.length;
    const nextPageToken = next < items.length ? sealPageToken(pageKey, question, next) : "";
    return { page, fields: { nextPageToken, totalCount: items.length } };
  };
}

/** Returns the first `limit` rows, and the token of the next page; "" if no row remains. */
export function cutPage<Row>(
  { key, question }: { readonly key: Uint8Array; readonly question: unknown },
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => unknown,
) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextPageToken: last === undefined ? "" : sealPageToken(key, question, cursorOf(last)) };
}

function decryptToken(key: Uint8Array, token: string): TokenContent | undefined {
  const bytes = Buffer.from(token, "base64url");
  // Rejects other base64url spellings of the same bytes, which `Buffer` accepts.
  if (bytes.toString("base64url") !== token || bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER_ALGORITHM, key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
    return JSON.parse(Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8"));
  } catch {
    // The error gives no details, because they would only help a forger.
    return undefined;
  }
}

function hashQuestion(question: unknown): string {
  return createHash("sha256").update(formatCanonicalJson(question)).digest("base64url");
}

function createTokenRefusal(why: string): Refusal {
  return refuse("PAGE_TOKEN_INVALID", `Cannot use page_token: ${why}`, {
    field: "page_token",
    expected: "a valid token",
  });
}
