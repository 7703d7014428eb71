import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { type Refusal, refuse } from "#dc/model/refusal.ts";
import { formatCanonicalJson } from "#kernel/canonical_json.ts";
import { readPageSize } from "./parameters.ts";

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
 * Decrypts a token and returns its cursor.
 * @throws Refusal PAGE_TOKEN_INVALID if the text is no token, was altered, or belongs to another question
 */
export function openPageToken<Cursor>(key: Uint8Array, question: unknown, token: string): Cursor {
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
  const offset = pageToken === "" ? 0 : openPageToken<number>(pageKey, question, pageToken);
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
