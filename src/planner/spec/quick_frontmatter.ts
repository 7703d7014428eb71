import type { FrontmatterRange } from "./split_text.ts";
import { keepsText } from "./text_fields.ts";

/**
 * A scanner for the frontmatter that people ordinarily write: keys at the margin, scalars on one line, lists of them as
 * `- item` lines or `[a, b]`, comments and blank lines. It must either give exactly what the full parser gives or
 * nothing, so that every doubtful line is left to that one.
 */

// Words of a plain text: no control character, no ": ", no "#" at a word's beginning, and a harmless first character.
// Runs of one class with the exceptions between them, which the engine matches much faster than alternatives in a loop.
const FIRST = String.raw`[\w./\xa1-\ufefe\uff00-\uffff]`;
const PLAIN = plainText(String.raw`\x00-\x20\x7f-\xa0:\ufeff`, String.raw`\s\ufeff`);
const FLOW_PLAIN = plainText(String.raw`\x00-\x20\x7f-\xa0:\ufeff,[\]{}`, String.raw`\s\ufeff,[\]{}`);
const SINGLE = String.raw`'(?:[^'\x00-\x1f\x7f-\x9f\ufeff]|'')*'`;
const DOUBLE = String.raw`"[^"\\\x00-\x1f\x7f-\x9f\ufeff]*"`;
const FLOW_ITEM = `(?:${SINGLE}|${DOUBLE}|${FLOW_PLAIN})`;
const FLOW = String.raw`\[ *(?:${FLOW_ITEM}(?: *, *${FLOW_ITEM})*)? *\]`;
const REST = String.raw`(?: +#[^\r\n]*| *)\r?\n`;

const FIELD = new RegExp(`([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: +(${SINGLE}|${DOUBLE}|${FLOW}|${PLAIN}))?${REST}`, "y");
const ITEM = new RegExp(`( *)- +(${SINGLE}|${DOUBLE}|${PLAIN})${REST}`, "y");
const SKIPPED = /(?: *(?:#[^\r\n]*)?\r?\n)*/y;
const FLOW_ITEMS = new RegExp(FLOW_ITEM, "g");

function plainText(excluded: string, notBehindColon: string): string {
  const run = `[^${excluded}]*(?::(?![${notBehindColon}])[^${excluded}]*)*`;
  return `${FIRST}${run}(?: +(?![#${notBehindColon}])${run})*`;
}

/** Marks a value that needs the full parser. */
const UNSURE = Symbol("unsure");

/** Returns the fields, or undefined if the frontmatter needs the full parser. Cost: one pass. */
export function quickFrontmatter(text: string, range: FrontmatterRange): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = Object.create(null);
  let at = skip(text, range.start);
  while (at < range.end) {
    const field = fieldAt(text, at);
    if (field === undefined || field.value === UNSURE || field.name in fields) return undefined;
    fields[field.name] = field.value;
    at = field.end;
  }
  return fields;
}

function fieldAt(
  text: string,
  at: number,
): { readonly name: string; readonly value: unknown; readonly end: number } | undefined {
  FIELD.lastIndex = at;
  const match = FIELD.exec(text);
  if (match === null) return undefined;
  const [, name = "", written] = match;
  const end = skip(text, FIELD.lastIndex);
  const isText = keepsText([name]);
  if (written === undefined) return { name, ...blockList(text, end, isText) };
  return { name, value: written.startsWith("[") ? flowList(written, isText) : scalar(written, isText), end };
}

/** Reads the list whose first item starts at `start`; the value is null if there is no item. */
function blockList(text: string, start: number, isText: boolean): { readonly value: unknown; readonly end: number } {
  const items: unknown[] = [];
  let indent: string | undefined;
  let at = start;
  for (;;) {
    ITEM.lastIndex = at;
    const match = ITEM.exec(text);
    if (match === null) break;
    indent ??= match[1];
    items.push(match[1] === indent ? scalar(match[2] ?? "", isText) : UNSURE);
    at = skip(text, ITEM.lastIndex);
  }
  if (items.length === 0) return { value: null, end: start };
  return { value: items.includes(UNSURE) ? UNSURE : items, end: at };
}

function flowList(written: string, isText: boolean): unknown {
  const items = (written.match(FLOW_ITEMS) ?? []).map((item) => scalar(item, isText));
  return items.includes(UNSURE) ? UNSURE : items;
}

/** What the core schema makes of a scalar; numbers other than short whole ones are left to the full parser. */
function scalar(written: string, isText: boolean): unknown {
  const first = written.charCodeAt(0);
  if (first === 34) return written.slice(1, -1);
  if (first === 39) return written.slice(1, -1).replaceAll("''", "'");
  if (/^(?:null|Null|NULL)$/.test(written)) return null;
  if (isText) return written;
  if (/^(?:true|True|TRUE)$/.test(written)) return true;
  if (/^(?:false|False|FALSE)$/.test(written)) return false;
  if (/^(?:0|[1-9]\d{0,14})$/.test(written)) return Number(written);
  return first === 46 || (first >= 48 && first <= 57 && !Number.isNaN(Number(written))) ? UNSURE : written;
}

function skip(text: string, at: number): number {
  SKIPPED.lastIndex = at;
  SKIPPED.exec(text);
  return SKIPPED.lastIndex;
}
