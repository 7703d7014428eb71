import { OperationError } from "#kernel/errors.ts";
import { missingFence } from "./body_lines.ts";
import { readableDocument } from "./document.ts";
import { headings, titleHeading } from "./sections.ts";
import { lineBreakOf } from "./text_lines.ts";

const OUTPUT = "Output";

/**
 * Appends `output` as plain text under `## Output`. When the body's last section is one already, the text goes to its
 * end; else a new section is made. A code fence that the body leaves open is closed first.
 *
 * @throws OperationError `failed_precondition` with line and column when `text` does not parse, `invalid_argument` when
 *   no spec file can hold `output`
 *
 * Source: contract, behaviour rule 1.
 */
export function appendOutput(text: string, output: string): string {
  const { head, body } = takeApart(text);
  const lineBreak = lineBreakOf(text);
  const fence = missingFence(body);
  const before = `${body}${body === "" || /[\r\n]$/.test(body) ? "" : lineBreak}${fence === undefined ? "" : fence + lineBreak}`;
  const last = headings(body).at(-1);
  const under = last?.level === 2 && last.text === OUTPUT;
  const blank = before === "" || /(?:^|[\r\n])[ \t]*(?:\r\n|\n|\r)$/.test(before) ? "" : lineBreak;
  const heading = under ? "" : `## ${OUTPUT}${lineBreak}${lineBreak}`;
  return joined(head, `${before}${blank}${heading}${written(output, lineBreak)}`, lineBreak);
}

/**
 * Replaces the body by `body`; the first heading of level 1 stays as its first line when `body` has none.
 *
 * @throws OperationError as `appendOutput`
 *
 * Source: contract, behaviour rule 1.
 */
export function replaceBody(text: string, body: string): string {
  const { head, body: old } = takeApart(text);
  const lineBreak = lineBreakOf(text);
  const title = titleHeading(old);
  const kept = title === undefined || titleHeading(body) !== undefined ? "" : old.slice(title.start, title.end);
  const leading = head === "" ? "" : (/^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(old)?.[0] ?? "");
  const heading = kept === "" ? "" : `${kept}${lineBreak}${lineBreak}`;
  return joined(head, `${leading}${heading}${written(body, lineBreak)}`, lineBreak);
}

/** The file's head (byte-order mark and frontmatter, to the end of the closing line) and its body. */
function takeApart(text: string): { readonly head: string; readonly body: string } {
  const document = readableDocument(text);
  return { head: text.slice(0, text.length - document.body.length), body: document.body };
}

/** `text` in the file's line endings, ending in one. */
function written(text: string, lineBreak: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new OperationError("invalid_argument", "Invalid output: expected text without NUL characters");
  }
  const lines = lineBreak === "\r" ? text : text.replace(/\r?\n/g, lineBreak);
  return lines === "" || /[\r\n]$/.test(lines) ? lines : lines + lineBreak;
}

function joined(head: string, body: string, lineBreak: string): string {
  const separator = head.length > 1 && !/[\r\n]$/.test(head) && body !== "" ? lineBreak : "";
  const hasFrontmatter = head.length > 1;
  // Without frontmatter a body must not begin like one.
  const guard = !hasFrontmatter && /^\uFEFF?---(?!-)/.test(body) ? lineBreak : "";
  return `${head}${separator}${guard}${body}`;
}
