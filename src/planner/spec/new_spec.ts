import { OperationError } from "#kernel/errors.ts";
import { replaceControlCharacters } from "#kernel/escape.ts";
import { parseDocument, parseReadable } from "./document.ts";
import { formatFieldLines } from "./edit/edit_entry.ts";
import { editFields, type FieldValue } from "./edit/edit_fields.ts";
import { convertToParsedValue, isSameValue } from "./full_frontmatter.ts";
import { findTitleHeading } from "./sections.ts";
import type { SpecId } from "./spec_id.ts";
import { detectLineBreak } from "./text_lines.ts";

export interface NewSpec {
  readonly id: SpecId;
  /** Title, one line. */
  readonly title: string;
  readonly body?: string;
  readonly status?: string;
  /** Type of the spec; `code` if absent. */
  readonly type?: string;
  readonly prompt?: string;
  /** Additional frontmatter, written after the fields above. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
}

/** Maximum characters of a description used unchanged as title. Source: docs/contract/spec-tool.md#tools. */
const MAX_TITLE_CHARS = 80;

// The next sentence must not begin with a lower-case letter, so that "e.g. this" does not end a sentence.
const SENTENCE_END = /[.!?](?=\s+[^\s\p{Ll}])/u;

/**
 * Splits a typed description into title and body. A short single line is the title; otherwise the title is the first
 * line or the first sentence, whichever ends first. Heading marks at the start are removed.
 */
export function splitDescription(description: string): { readonly title: string; readonly body: string } {
  const text = removeHeadingMark(description);
  const lineEnd = text.search(/[\r\n]/);
  if (lineEnd === -1 && text.length <= MAX_TITLE_CHARS) return { title: text, body: "" };
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const sentence = SENTENCE_END.exec(line);
  const end = sentence === null ? line.length : sentence.index + 1;
  return { title: text.slice(0, end).trim(), body: text.slice(end).trim() };
}

/** Trims a text and removes heading marks at its start, so no heading contains another; `#42` is not a heading. */
export function removeHeadingMark(text: string): string {
  return text.trim().replace(/^#{1,6}[ \t]+(?=\S)/, "");
}

/**
 * Builds the text of a new spec file, with LF line endings and one at the end.
 * @throws OperationError `invalid_argument` for a title that is empty or longer than a line, or for text that no spec
 * file can hold (a NUL character, half a surrogate pair)
 */
export function buildSpecFile(input: NewSpec): string {
  const title = input.title.trim();
  if (title === "" || /[\r\n]/.test(title)) {
    throw new OperationError("invalid_argument", `Invalid title "${title}": expected one line that is not empty`);
  }
  const body = (input.body ?? "").trim();
  if (`${title}${body}`.includes("\0") || !`${title}\n${body}`.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid description: expected text without NUL characters");
  }
  const fields = {
    id: input.id,
    status: input.status ?? "pending",
    type: input.type ?? "code",
    labels: [],
    ...(input.prompt === undefined ? {} : { prompt: input.prompt }),
    ...input.fields,
  };
  const text = `\n${formatTitleLine(title)}\n${body === "" ? "" : `\n${body}\n`}`;
  return addSpecFields(replaceControlCharacters(text), fields);
}

/** Content of a whole spec file; `fields` are written after `id`, in their order. */
export interface NewSpecFile {
  readonly id: SpecId;
  /** One line, not empty. */
  readonly title: string;
  readonly body: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** Builds a spec file's text with exactly these fields. Cost: one parse. @throws OperationError as `editFields`. */
export function buildExactSpecFile({ id, title, body, fields }: NewSpecFile): string {
  return addSpecFields(`\n${formatTitleLine(title)}\n${body === "" ? "" : `\n${body}\n`}`, { id, ...fields });
}

const NEW_FILE_LAYOUT = { lineBreak: "\n", lists: "block", listIndent: "  " } as const;

/** Writes all fields at once and parses the result; if a value differs, sets each field by `editFields`. */
function addSpecFields(rest: string, fields: Readonly<Record<string, FieldValue>>): string {
  const lines = Object.entries(fields).map(([key, value]) => formatFieldLines(key, value, "", NEW_FILE_LAYOUT));
  const text = `---\n${lines.join("")}---\n${rest}`;
  const read = parseDocument(text);
  const expected = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, convertToParsedValue(value, [key])]),
  );
  if (read.ok && read.body === rest && isSameValue(read.frontmatter, expected)) return text;
  return editFields(`---\n---\n${rest}`, fields);
}

/** Builds a heading that parses as `title`: appends a `#` to a trailing one, which Markdown would drop as closing. */
function formatTitleLine(title: string): string {
  return /(?:^|[ \t])#+$/.test(title) ? `# ${title} #` : `# ${title}`;
}

/**
 * Builds a new spec from a template. The heading, id and fields of the template are replaced by the given ones, and the
 * body is inserted after the heading.
 * @throws OperationError `failed_precondition` with line and column if the template does not parse, `invalid_argument`
 * for text that no spec file can hold
 */
export function fillTemplate(template: string, { id, title, body, fields }: NewSpecFile): string {
  if (`${title}${body}`.includes("\0") || !`${title}\n${body}`.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid description: expected text without NUL characters");
  }
  const text = editFields(template, { id, status: "pending", ...fields });
  const document = parseReadable(text);
  const br = detectLineBreak(text);
  const heading = findTitleHeading(document.body);
  const before = document.body.slice(0, heading?.start ?? 0);
  const after = document.body.slice(heading?.next ?? 0);
  const added = body === "" ? "" : `${br}${replaceControlCharacters(body).replaceAll("\n", br)}${br}`;
  const gap = heading === undefined && !/^\s*(?:\r|\n)/.test(after) ? br : "";
  const head = text.slice(0, text.length - document.body.length);
  return `${head}${before === "" ? br : before}# ${replaceControlCharacters(title)}${br}${added}${gap}${after}`;
}
