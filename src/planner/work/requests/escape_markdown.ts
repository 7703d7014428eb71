/** Longest text, in characters. Ours: a criterion is a sentence. */
const MAX_CHARS = 400;

/** A sign of no width: it breaks what forges make links and notices of, which they look for in the shown text. */
const NOTHING = "&#8203;";

/**
 * By which Markdown and HTML have a structure, and what forges look for: mentions, references (`#1`, `!1`, `GH-1`, and at
 * GitLab `&1`, `~label`, `$1`, `%1`, `^1`) and bare addresses.
 */
const MEANING = /:\/\/|\bwww\.|\b[A-Z]{2,10}-(?=\d)|[@#!%^&~$](?=[\p{L}\p{N}_"{])|[&<>|\\`*_[\]~$]/giu;

/** In `<code>` forges look for nothing, and entities keep Markdown out. */
const NOT_PLAIN_CODE = /\bwww\.|[^\p{L}\p{N} ./,=-]/giu;

/** Line ends, other control characters, and marks that show text in another order or not at all. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** Returns text for the inside of a line or of a table's cell, which Markdown and forges show as it is. */
export function escapeText(text: string): string {
  return oneLine(text).replace(MEANING, (found) => {
    if (found.length === 1) return /[&<>|\\`*_[\]~$]/.test(found) ? entity(found) + NOTHING : found + NOTHING;
    return `${found.slice(0, found.startsWith(":") ? 1 : -1)}${NOTHING}${found.startsWith(":") ? "//" : found.slice(-1)}`;
  });
}

/** The same as code. */
export function escapeCode(text: string): string {
  const plain = oneLine(text).replace(NOT_PLAIN_CODE, (found) =>
    found.length > 1 ? `${found.slice(0, -1)}${entity(".")}` : entity(found),
  );
  return `<code>${plain}</code>`;
}

function oneLine(text: string): string {
  const line = text.toWellFormed().replace(UNSAFE, " ").replace(/\s+/g, " ").trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS).toWellFormed()}…` : line;
}

function entity(sign: string): string {
  return `&#${sign.codePointAt(0)};`;
}
