import { OperationError } from "#kernel/errors.ts";
import { CONFLICT, conflictAt } from "./conflict_markers.ts";
import { parseFrontmatter } from "./full_frontmatter.ts";
import { quickFrontmatter } from "./quick_frontmatter.ts";
import type { TextProblem } from "./spec.ts";
import { splitText } from "./split_text.ts";
import { countBreaks, placeOf } from "./text_lines.ts";

/** A spec file taken apart. `frontmatter` has no prototype: a key that is absent reads as undefined, whatever its name. */
export type SpecDocument =
  | {
      readonly ok: true;
      readonly frontmatter: Readonly<Record<string, unknown>>;
      readonly hasFrontmatter: boolean;
      /** The text behind the frontmatter, as in the file but without a byte-order mark. */
      readonly body: string;
      /** Line of the file that the body's first line is, from 1. */
      readonly bodyLine: number;
    }
  | { readonly ok: false; readonly problem: TextProblem };

export type ReadableDocument = SpecDocument & { readonly ok: true };

/**
 * Takes the text of a spec file apart; never throws. A text without frontmatter is a spec all the same.
 *
 * Source: docs/decisions.md#s-05, docs/decisions.md#s-07.
 */
export function parseDocument(text: string): SpecDocument {
  const split = splitText(text);
  if (!split.ok) return split;
  const { mark, range } = split;
  if (range === null) {
    // A file that both sides of a merge added is one conflict from its first line on.
    if (conflictAt(text.slice(mark)) === 0) return conflict(text, mark);
    return { ok: true, frontmatter: Object.create(null), hasFrontmatter: false, body: text.slice(mark), bodyLine: 1 };
  }
  const quick = quickFrontmatter(text, range);
  const marked = quick === undefined ? conflictAt(text.slice(range.start, range.end)) : undefined;
  if (marked !== undefined) return conflict(text, range.start + marked);
  const parsed = quick === undefined ? parseFrontmatter(text, range) : { ok: true as const, fields: quick };
  if (!parsed.ok) return parsed;
  return {
    ok: true,
    frontmatter: parsed.fields,
    hasFrontmatter: true,
    body: text.slice(range.bodyStart),
    bodyLine: countBreaks(text, 0, range.bodyStart) + 1,
  };
}

function conflict(text: string, at: number): SpecDocument {
  return { ok: false, problem: { ...placeOf(text, at), message: CONFLICT } };
}

/** A text that is to be changed and does not parse. */
export class BrokenText extends OperationError {
  readonly problem: TextProblem;

  /** @param what names the text: its file, where that is known */
  constructor(what: string, problem: TextProblem) {
    const { line, column, message } = problem;
    super("failed_precondition", `Cannot edit ${what}: line ${line}, column ${column}: ${message}`);
    this.problem = problem;
  }
}

/**
 * The same for a text that is to be changed.
 *
 * @throws BrokenText with line and column when it does not parse
 */
export function readableDocument(text: string): ReadableDocument {
  const document = parseDocument(text);
  if (document.ok) return document;
  throw new BrokenText("the spec", document.problem);
}
