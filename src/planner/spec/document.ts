import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { parseFrontmatter } from "./full_frontmatter.ts";
import { findNearFrontmatter } from "./near.ts";
import { scanFrontmatter } from "./quick_frontmatter.ts";
import { findSections, findTitle, visitUnfencedLines } from "./sections.ts";
import { type Approval, isCalendarDay, normalizeStatus, parsePriority, type Spec, type TextProblem } from "./spec.ts";
import type { SpecId } from "./spec_id.ts";
import { splitText } from "./split_text.ts";
import { countLineBreaks, locateOffset } from "./text_lines.ts";

/** A parsed spec file. `frontmatter` has no prototype, so an absent key reads as undefined, whatever its name. */
type SpecDocument =
  | {
      readonly ok: true;
      readonly frontmatter: Readonly<Record<string, unknown>>;
      readonly hasFrontmatter: boolean;
      /** The text after the frontmatter, as in the file but without a byte-order mark. */
      readonly body: string;
      /** Line number in the file of the body's first line, from 1. */
      readonly bodyLine: number;
    }
  | { readonly ok: false; readonly problem: TextProblem };

export type ReadableDocument = SpecDocument & { readonly ok: true };

/**
 * Splits the text of a spec file and parses its frontmatter; never throws. A text without frontmatter is also a spec.
 * Source: docs/decisions.md#s-05, docs/decisions.md#s-07.
 */
export function parseDocument(text: string): SpecDocument {
  const split = splitText(text);
  if (!split.ok) return split;
  const { mark, range } = split;
  if (range === null) {
    // A file that both sides of a merge added is one conflict that begins on its first line.
    if (findConflictMarker(text.slice(mark)) === 0) return createConflictProblem(text, mark);
    const near = findNearFrontmatter(text, mark);
    if (near !== undefined) return { ok: false, problem: { ...locateOffset(text, near), message: NEAR_MESSAGE } };
    return { ok: true, frontmatter: Object.create(null), hasFrontmatter: false, body: text.slice(mark), bodyLine: 1 };
  }
  const quick = scanFrontmatter(text, range);
  const marked = quick === undefined ? findConflictMarker(text.slice(range.start, range.end)) : undefined;
  if (marked !== undefined) return createConflictProblem(text, range.start + marked);
  const parsed = quick === undefined ? parseFrontmatter(text, range) : { ok: true as const, fields: quick };
  if (!parsed.ok) return parsed;
  return {
    ok: true,
    frontmatter: parsed.fields,
    hasFrontmatter: true,
    body: text.slice(range.bodyStart),
    bodyLine: countLineBreaks(text, 0, range.bodyStart) + 1,
  };
}

function createConflictProblem(text: string, at: number): SpecDocument {
  return { ok: false, problem: { ...locateOffset(text, at), message: CONFLICT_MESSAGE } };
}

const NEAR_MESSAGE =
  'Fields that are not read as frontmatter: expected one block, from line 1 on, between two lines of exactly "---"';

/** The error for a change of a text that does not parse. */
export class BrokenText extends OperationError {
  readonly problem: TextProblem;

  /** @param what name of the text in the message: its file, if known */
  constructor(what: string, problem: TextProblem) {
    const { line, column, message } = problem;
    super("failed_precondition", `Cannot edit ${what}: line ${line}, column ${column}: ${message}`);
    this.problem = problem;
  }
}

/** Parses a text that is to be changed; throws BrokenText with line and column if it does not parse. */
export function parseReadable(text: string): ReadableDocument {
  const document = parseDocument(text);
  if (document.ok) return document;
  throw new BrokenText("the spec", document.problem);
}

/** Lines by which git marks a conflict's two sides; not `=======`, because alone it underlines a heading. */
const CONFLICT_MARKER_PATTERN = /^(?:<{7}|>{7})(?: |$)/;

/** Error message for a text with a conflict marker; says what to do. */
export const CONFLICT_MESSAGE =
  "a conflict of git is not resolved: expected one of its two sides, and no line that git marked";

/** Returns the offset of the first conflict marker in `text`, or undefined. */
function findConflictMarker(text: string): number | undefined {
  const found = hasConflictMarker(text) ? /^(?:<{7}|>{7})(?: |\r?$)/m.exec(text) : null;
  return found?.index;
}

/**
 * Returns the number of the body's line with the first conflict marker, or undefined. Ignores fenced code and `##
 * Output`, where an agent may report a conflict. Cost: two searches in a text without a marker.
 */
export function findConflictLine(body: string): number | undefined {
  if (!hasConflictMarker(body)) return undefined;
  const outputs = findSections(body, "Output");
  let found: number | undefined;
  visitUnfencedLines(body, ({ text, start, number }) => {
    if (!CONFLICT_MARKER_PATTERN.test(text) || outputs.some(({ heading, end }) => start >= heading.next && start < end))
      return false;
    found = number;
    return true;
  });
  return found;
}

function hasConflictMarker(text: string): boolean {
  return text.includes("<<<<<<<") || text.includes(">>>>>>>");
}

/** Location of a spec's file. */
export interface SpecLocation {
  readonly id: SpecId;
  /** Path from the project root, with forward slashes. */
  readonly file: string;
  readonly archived: boolean;
}

/**
 * Reads the known fields. A list may be written as one text (`labels: web`). A value of another type than its field
 * counts as absent, a status as a word that planner does not know; lint reports it. Source: docs/decisions.md#s-05, docs/decisions.md#s-09;
 * docs/contract/spec-tool.md#spec: the title is the body's first heading, else the field `title`.
 */
export function buildSpec(place: SpecLocation, document: SpecDocument & { readonly ok: true }): Spec {
  const { frontmatter, body, bodyLine } = document;
  return {
    ...place,
    title: findTitle(body) ?? readFieldText(frontmatter["title"]),
    status: readStatus(frontmatter["status"]),
    type: readFieldText(frontmatter["type"]) ?? "code",
    dependsOn: readFieldList(frontmatter["depends_on"]),
    labels: readFieldList(frontmatter["labels"]),
    targetFiles: readFieldList(frontmatter["target_files"]),
    members: readFieldList(frontmatter["members"]),
    model: readFieldText(frontmatter["model"]),
    outputSchema: readFieldText(frontmatter["output_schema"]),
    approval: readApproval(frontmatter["approval"]),
    priority: parsePriority(readFieldText(frontmatter["priority"])),
    assignee: readFieldText(frontmatter["assignee"]),
    due: readFieldDay(frontmatter["due"]),
    frontmatter,
    body,
    bodyLine,
  };
}

function readStatus(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : normalizeStatus(readFieldText(value));
}

function readFieldText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function readFieldDay(value: unknown): string | null {
  const text = readFieldText(value);
  return text !== null && isCalendarDay(text) ? text : null;
}

function readFieldList(value: unknown): readonly string[] {
  const items = Array.isArray(value) ? value : [value];
  return items.filter((item): item is string => typeof item === "string" && item !== "");
}

function readApproval(value: unknown): Approval | null {
  if (!isJsonObject(value)) return null;
  return {
    required: isAffirmative(value["required"]),
    status: readFieldText(value["status"]),
    by: readFieldText(value["by"]),
    at: readFieldText(value["at"]),
  };
}

/** Returns whether a value means yes. Also accepts the texts `yes`, `on` and `"true"`, so no approval is skipped. */
function isAffirmative(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}
