import { keepsWrittenText } from "./full_frontmatter.ts";
import type { FrontmatterRange } from "./split_text.ts";

/**
 * A scanner for ordinary frontmatter: keys at the margin or two blanks deeper than their parent key, scalars on one
 * line, lists as `- item` lines or `[a, b]`, comments and blank lines. It returns either exactly the result of the full
 * parser or nothing, so every doubtful line is left to the full parser.
 */

// Words of a plain text: no control character, no ": ", no "#" at a word's beginning, and a harmless first character.
// Runs of one class with the exceptions between them, which the engine matches much faster than alternatives in a loop.
const FIRST_CHARACTER = String.raw`[\w./\xa1-\ufefe\uff00-\uffff]`;
const PLAIN_TEXT = buildPlainPattern(String.raw`\x00-\x20\x7f-\xa0:\ufeff`, String.raw`\s\ufeff`);
const FLOW_PLAIN_TEXT = buildPlainPattern(String.raw`\x00-\x20\x7f-\xa0:\ufeff,[\]{}`, String.raw`\s\ufeff,[\]{}`);
const SINGLE_QUOTED = String.raw`'(?:[^'\x00-\x1f\x7f-\x9f\ufeff]|'')*'`;
const DOUBLE_QUOTED = String.raw`"[^"\\\x00-\x1f\x7f-\x9f\ufeff]*"`;
const FLOW_ITEM = `(?:${SINGLE_QUOTED}|${DOUBLE_QUOTED}|${FLOW_PLAIN_TEXT})`;
const FLOW_LIST = String.raw`\[ *(?:${FLOW_ITEM}(?: *, *${FLOW_ITEM})*)? *\]`;
const LINE_REST = String.raw`(?: +#[^\r\n]*| *)\r?\n`;

const FIELD_PATTERN = new RegExp(
  `([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: +(${SINGLE_QUOTED}|${DOUBLE_QUOTED}|${FLOW_LIST}|${PLAIN_TEXT}))?${LINE_REST}`,
  "y",
);
const ITEM_PATTERN = new RegExp(`( *)- +(${SINGLE_QUOTED}|${DOUBLE_QUOTED}|${PLAIN_TEXT})${LINE_REST}`, "y");
const SKIPPED_LINES_PATTERN = /(?: *(?:#[^\r\n]*)?\r?\n)*/y;
const FLOW_ITEM_PATTERN = new RegExp(FLOW_ITEM, "g");

function buildPlainPattern(excluded: string, notBehindColon: string): string {
  const run = `[^${excluded}]*(?::(?![${notBehindColon}])[^${excluded}]*)*`;
  return `${FIRST_CHARACTER}${run}(?: +(?![#${notBehindColon}])${run})*`;
}

/** Maximum nesting of keys. Chosen by planner: no setting is nested as deeply. */
const MAX_LEVELS = 8;

/** Marks a value that only the full parser can read. */
const UNSURE = Symbol("unsure");

/** Returns the fields, or undefined if the frontmatter needs the full parser. Cost: one pass. */
export function scanFrontmatter(text: string, range: FrontmatterRange): Record<string, unknown> | undefined {
  const map = readMapping(text, skipBlankLines(text, range.start), []);
  return map !== undefined && map.end >= range.end ? map.fields : undefined;
}

interface ScannedMapping {
  readonly fields: Record<string, unknown>;
  readonly end: number;
}

interface ScannedValue {
  readonly value: unknown;
  readonly end: number;
}

/** Reads the keys below `path`, indented by two blanks per level; undefined if one of them needs the full parser. */
function readMapping(text: string, start: number, path: readonly string[]): ScannedMapping | undefined {
  const fields: Record<string, unknown> = Object.create(null);
  const indent = "  ".repeat(path.length);
  let at = start;
  while (at < text.length && text.startsWith(indent, at) && !text.startsWith("---", at)) {
    FIELD_PATTERN.lastIndex = at + indent.length;
    const match = FIELD_PATTERN.exec(text);
    const name = match?.[1];
    if (name === undefined || name in fields) return undefined;
    const read = readValue(text, FIELD_PATTERN.lastIndex, [...path, name], match?.[2]);
    if (read.value === UNSURE) return undefined;
    fields[name] = read.value;
    at = read.end;
  }
  return { fields, end: at };
}

/** Reads the value of a key from `written`, the text after the key on its line, which ends at `at`. */
function readValue(text: string, at: number, path: readonly string[], written: string | undefined): ScannedValue {
  const end = skipBlankLines(text, at);
  const isText = keepsWrittenText(path);
  if (written !== undefined) {
    return { value: written.startsWith("[") ? readFlowList(written, isText) : parseScalar(written, isText), end };
  }
  const indent = "  ".repeat(path.length);
  if (!text.startsWith(indent, end) || /[- ]/.test(text.charAt(end + indent.length))) {
    return readBlockList(text, end, indent.length - 2, isText);
  }
  const inner = path.length < MAX_LEVELS ? readMapping(text, end, path) : undefined;
  // An assignment would set a prototype; the full parser also returns ordinary objects below the top.
  return inner === undefined
    ? { value: UNSURE, end }
    : { ...inner, value: Object.fromEntries(Object.entries(inner.fields)) };
}

/** Reads the list whose first item starts at `start`; the value is null if there is no item. */
function readBlockList(text: string, start: number, minIndent: number, isText: boolean): ScannedValue {
  const items: unknown[] = [];
  let indent: string | undefined;
  let at = start;
  for (;;) {
    ITEM_PATTERN.lastIndex = at;
    const match = ITEM_PATTERN.exec(text);
    if (match === null || (match[1] ?? "").length < minIndent) break;
    indent ??= match[1];
    items.push(match[1] === indent ? parseScalar(match[2] ?? "", isText) : UNSURE);
    at = skipBlankLines(text, ITEM_PATTERN.lastIndex);
  }
  if (items.length === 0) return { value: null, end: start };
  return { value: items.includes(UNSURE) ? UNSURE : items, end: at };
}

function readFlowList(written: string, isText: boolean): unknown {
  const items = (written.match(FLOW_ITEM_PATTERN) ?? []).map((item) => parseScalar(item, isText));
  return items.includes(UNSURE) ? UNSURE : items;
}

/** Parses a scalar by the core schema; leaves numbers other than short integers to the full parser. */
function parseScalar(written: string, isText: boolean): unknown {
  const first = written.charCodeAt(0);
  if (first === 34) return written.slice(1, -1);
  if (first === 39) return written.slice(1, -1).replaceAll("''", "'");
  if ((first === 110 || first === 78) && /^(?:null|Null|NULL)$/.test(written)) return null;
  if (isText) return written;
  if (/^(?:true|True|TRUE)$/.test(written)) return true;
  if (/^(?:false|False|FALSE)$/.test(written)) return false;
  if (/^(?:0|[1-9]\d{0,14})$/.test(written)) return Number(written);
  return first === 46 || (first >= 48 && first <= 57 && !Number.isNaN(Number(written))) ? UNSURE : written;
}

/** Returns the offset after the blank lines and comments at `at`. */
function skipBlankLines(text: string, at: number): number {
  // Most lines are followed by a key, and this test is faster than a regular expression.
  if (text.charCodeAt(at) > 35) return at;
  SKIPPED_LINES_PATTERN.lastIndex = at;
  SKIPPED_LINES_PATTERN.exec(text);
  return SKIPPED_LINES_PATTERN.lastIndex;
}
