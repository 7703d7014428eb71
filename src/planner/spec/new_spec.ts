import { replaceControls } from "#kernel/control_pictures.ts";
import { OperationError } from "#kernel/errors.ts";
import { parseDocument, readableDocument } from "./document.ts";
import { editFields, type FieldValue } from "./edit/edit_fields.ts";
import { fieldLines } from "./edit/field_text.ts";
import { asRead, sameValue } from "./field_value.ts";
import { titleHeading } from "./sections.ts";
import type { SpecId } from "./spec_id.ts";
import { lineBreakOf } from "./text_lines.ts";

export interface NewSpec {
  readonly id: SpecId;
  /** One line. */
  readonly title: string;
  readonly body?: string;
  readonly status?: string;
  /** Default `code`. */
  readonly type?: string;
  readonly prompt?: string;
  /** Further frontmatter, written behind the fields above. */
  readonly fields?: Readonly<Record<string, FieldValue>>;
}

/** Maximum characters of a description that becomes the title unchanged. Source: docs/contract/spec-tool.md#tools. */
const MAX_TITLE_CHARS = 80;

// The next sentence begins with anything but a lower-case letter, so that "e.g. this" is no end.
const SENTENCE_END = /[.!?](?=\s+[^\s\p{Ll}])/u;

/**
 * Splits what a person typed into a title and the rest: a short single line is the title; of anything else the title
 * is the first line or the first sentence, whichever ends first. A heading's mark in front is no part of the title.
 */
export function splitDescription(description: string): { readonly title: string; readonly body: string } {
  const text = withoutMark(description);
  const lineEnd = text.search(/[\r\n]/);
  if (lineEnd === -1 && text.length <= MAX_TITLE_CHARS) return { title: text, body: "" };
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const sentence = SENTENCE_END.exec(line);
  const end = sentence === null ? line.length : sentence.index + 1;
  return { title: text.slice(0, end).trim(), body: text.slice(end).trim() };
}

/** A trimmed text without the mark of a heading, so that none is written inside another; `#42` is no heading. */
export function withoutMark(text: string): string {
  return text.trim().replace(/^#{1,6}[ \t]+(?=\S)/, "");
}

/**
 * The text of a new spec file, LF line endings, ending in one.
 *
 * @throws OperationError `invalid_argument` for a title that is empty or more than a line, or for text that no spec
 *   file can hold (a NUL character, half a surrogate pair)
 */
export function newSpecText(input: NewSpec): string {
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
  const text = `\n${titleLine(title)}\n${body === "" ? "" : `\n${body}\n`}`;
  return withFields(replaceControls(text), fields);
}

/** A whole spec file: `fields` come behind `id`, in their order. */
export interface NewSpecFile {
  readonly id: SpecId;
  /** One line that is not empty. */
  readonly title: string;
  readonly body: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/**
 * The text of a spec file with exactly these fields. Cost: one parse.
 *
 * @throws OperationError as `editFields`
 */
export function newSpecFile({ id, title, body, fields }: NewSpecFile): string {
  return withFields(`\n${titleLine(title)}\n${body === "" ? "" : `\n${body}\n`}`, { id, ...fields });
}

const LAYOUT = { lineBreak: "\n", lists: "block", listIndent: "  " } as const;

/** Writes all fields at once and reads them back; what does not come back as it was goes the longer way. */
function withFields(rest: string, fields: Readonly<Record<string, FieldValue>>): string {
  const lines = Object.entries(fields).map(([key, value]) => fieldLines(key, value, "", LAYOUT));
  const text = `---\n${lines.join("")}---\n${rest}`;
  const read = parseDocument(text);
  const expected = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, asRead(value, [key])]));
  if (read.ok && read.body === rest && sameValue(read.frontmatter, expected)) return text;
  return editFields(`---\n---\n${rest}`, fields);
}

/** A heading that reads back as `title`: trailing `#` would be Markdown's closing run, so it gets one behind it. */
function titleLine(title: string): string {
  return /(?:^|[ \t])#+$/.test(title) ? `# ${title} #` : `# ${title}`;
}

/**
 * The text of a new spec made from a template: the template as it is, with its own title in place of the heading, the body
 * behind that, and its own id and fields in place of the template's.
 *
 * @throws OperationError `failed_precondition` with line and column if the template does not parse, `invalid_argument`
 *   for text that no spec file can hold
 */
export function specFromTemplate(template: string, { id, title, body, fields }: NewSpecFile): string {
  if (`${title}${body}`.includes("\0") || !`${title}\n${body}`.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid description: expected text without NUL characters");
  }
  const text = editFields(template, { id, status: "pending", ...fields });
  const document = readableDocument(text);
  const br = lineBreakOf(text);
  const heading = titleHeading(document.body);
  const before = document.body.slice(0, heading?.start ?? 0);
  const after = document.body.slice(heading?.next ?? 0);
  const added = body === "" ? "" : `${br}${replaceControls(body).replaceAll("\n", br)}${br}`;
  const gap = heading === undefined && !/^\s*(?:\r|\n)/.test(after) ? br : "";
  const head = text.slice(0, text.length - document.body.length);
  return `${head}${before === "" ? br : before}# ${replaceControls(title)}${br}${added}${gap}${after}`;
}
