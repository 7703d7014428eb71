import { formatCountWithNoun } from "#words/names.ts";
import { parseDocument, type ReadableDocument } from "../../spec/document.ts";
import { editFields, type FieldValue } from "../../spec/edit/edit_fields.ts";
import { applyEdits, type TextEdit } from "../../spec/edit/text_edits.ts";
import { extractYaml } from "../../spec/full_frontmatter.ts";
import { scanFrontmatter } from "../../spec/quick_frontmatter.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { type FrontmatterRange, splitText } from "../../spec/split_text.ts";
import { detectLineBreak } from "../../spec/text_lines.ts";
import { isMissingValue, saysElsewhere } from "../field_value.ts";
import { planIndentation } from "./indent_frontmatter.ts";
import { planFrontmatterTrimming, trimBody } from "./trim_body.ts";

/** A text after the fixes, and a description of each fix. Without a fix the text is unchanged. */
export interface FixedText {
  readonly text: string;
  readonly fixes: readonly string[];
}

export interface FixedFile {
  /** Path from the project root. */
  readonly file: string;
  readonly specId: SpecId;
  readonly fixes: readonly string[];
}

/**
 * Applies the contract's fixes to one spec's text: adds a missing id and status, trims trailing white space, indents by
 * two spaces, and ends the file with a newline.
 *
 * A text that does not parse stays unchanged, and so does a status outside the enum. The values of the frontmatter and
 * the rendered body stay the same, and a second call changes nothing.
 *
 * Source: docs/contract/spec-tool.md#auto-fix; docs/decisions.md#s-14.
 */
export function fixText(text: string, id: SpecId): FixedText {
  if (!parseDocument(text).ok) return { text, fixes: [] };
  let fixed = text;
  const fixes: string[] = [];
  for (const fix of TEXT_FIXES) {
    const { text: next, done } = fix(fixed, id);
    if (next === fixed) continue;
    fixed = next;
    fixes.push(...done);
  }
  return { text: fixed, fixes };
}

type TextFix = (text: string, id: SpecId) => { readonly text: string; readonly done: readonly string[] };

/** Fields are filled first, so that the added lines are fixed too; the newline at the end of the file is last. */
const TEXT_FIXES: readonly TextFix[] = [
  fillMissingFields,
  trimFrontmatter,
  indentFrontmatter,
  trimSpecBody,
  appendFinalNewline,
];

function fillMissingFields(text: string, id: SpecId): ReturnType<TextFix> {
  const document = parseDocument(text);
  if (!document.ok) return returnUnchanged(text);
  const changes: Record<string, FieldValue> = {};
  const done: string[] = [];
  if (isMissingValue(document.frontmatter["id"]) && !saysElsewhere(document, "id")) {
    changes["id"] = id;
    done.push("missing id written from the file name");
  }
  if (isMissingValue(document.frontmatter["status"]) && !saysStatus(text, document)) {
    changes["status"] = "pending";
    done.push("missing status set to pending");
  }
  return { text: editFields(text, changes), done };
}

// A line `# status: …`, or a comment behind an empty status.
const STATUS_COMMENT_PATTERN = /^[ \t]*(?:#[ \t#]*status[ \t]*:|status[ \t]*:[ \t]*(?:~|null|""|'')?[ \t]+#)/im;

/** Returns whether the text says a status elsewhere, in a comment of the frontmatter too. */
function saysStatus(text: string, document: ReadableDocument): boolean {
  const head = text.slice(0, text.length - document.body.length);
  return saysElsewhere(document, "status") || STATUS_COMMENT_PATTERN.test(head);
}

function trimFrontmatter(text: string): ReturnType<TextFix> {
  return editFrontmatter(
    text,
    planFrontmatterTrimming,
    (lines) => `trailing white space trimmed in the frontmatter, ${lines}`,
  );
}

function indentFrontmatter(text: string): ReturnType<TextFix> {
  const edits = (_: string, range: FrontmatterRange, yaml: string): readonly TextEdit[] =>
    isCorrectlyIndented(text, range, yaml)
      ? []
      : planIndentation(yaml).map((edit) => ({
          ...edit,
          start: edit.start + range.start,
          end: edit.end + range.start,
        }));
  return editFrontmatter(text, edits, (lines) => `indentation normalized to 2 spaces, ${lines}`);
}

/** Whether the indentation is certainly correct: the quick scanner accepts only lists and keys at steps of 2 spaces. */
function isCorrectlyIndented(text: string, range: FrontmatterRange, yaml: string): boolean {
  return scanFrontmatter(text, range) !== undefined && !/^(?: | {3,})-|^ *- {2}/m.test(yaml);
}

function trimSpecBody(text: string): ReturnType<TextFix> {
  const document = parseDocument(text);
  if (!document.ok) return returnUnchanged(text);
  const { body, lines } = trimBody(document.body);
  const head = text.slice(0, text.length - document.body.length);
  return {
    text: head + body,
    done: [`trailing white space trimmed in the body, ${formatCountWithNoun(lines, "line")}`],
  };
}

function appendFinalNewline(text: string): ReturnType<TextFix> {
  if (text === "" || /[\r\n]$/.test(text)) return returnUnchanged(text);
  return { text: text + detectLineBreak(text), done: ["newline added at the end of the file"] };
}

/** Edits the frontmatter's lines; returns the text unchanged if a value would change. */
function editFrontmatter(
  text: string,
  planEdits: typeof planFrontmatterTrimming,
  formatFix: (lines: string) => string,
): ReturnType<TextFix> {
  const split = splitText(text);
  if (!split.ok || split.range === null) return returnUnchanged(text);
  const edits = planEdits(text, split.range, extractYaml(text, split.range));
  if (edits.length === 0) return returnUnchanged(text);
  const edited = applyEdits(text, edits);
  return hasSameFields(text, edited)
    ? { text: edited, done: [formatFix(formatCountWithNoun(countChangedLines(text, edited), "line"))] }
    : returnUnchanged(text);
}

function hasSameFields(before: string, after: string): boolean {
  const [old, now] = [parseDocument(before), parseDocument(after)];
  if (!old.ok || !now.ok) return false;
  return old.body === now.body && JSON.stringify(old.frontmatter) === JSON.stringify(now.frontmatter);
}

/** Counts changed lines by position, because these edits neither add nor remove a line. */
function countChangedLines(before: string, after: string): number {
  const now = after.split(/\r\n?|\n/);
  return before.split(/\r\n?|\n/).filter((line, index) => line !== now[index]).length;
}

function returnUnchanged(text: string): ReturnType<TextFix> {
  return { text, done: [] };
}
