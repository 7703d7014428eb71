import { Type } from "@sinclair/typebox";
import { createInvalidArgumentError } from "#kernel/errors.ts";
import { createEnumSchema } from "#kernel/tool.ts";
import { MAX_QUERY_CHARS } from "../../limits.ts";
import { PRIORITIES, type Spec } from "../../spec/spec.ts";

/** Maximum length of a snippet in characters, without the ellipses. */
const MAX_SNIPPET_CHARS = 120;

/** Number of characters of a snippet before the match. */
const MAX_LEAD_CHARS = 40;

/**
 * Creates a pattern that matches `query` literally, by Unicode's simple case folding: `ΟΔΌΣ` matches `οδός`. Match
 * offsets refer to the searched text; lower-casing both sides would shift them.
 * @param name the parameter with the query, for errors
 * @throws OperationError for a blank query, or one that is too long
 */
export function createSearchPattern(query: string, name = "query"): RegExp {
  if (query.trim() === "") throw createInvalidArgumentError(`Invalid ${name}: expected text to find`);
  if (query.length > MAX_QUERY_CHARS) {
    const message = `Invalid ${name}: expected at most ${MAX_QUERY_CHARS} characters, got ${query.length}`;
    throw createInvalidArgumentError(message);
  }
  return new RegExp(RegExp.escape(query), "iu");
}

export function matchesPattern({ title, body }: Spec, pattern: RegExp): boolean {
  return pattern.test(body) || (title !== null && pattern.test(title));
}

/** Returns the text around the first match in the body, from one line; the title if only its heading matches. */
export function cutSnippet({ title, body }: Spec, pattern: RegExp): string {
  for (const match of body.matchAll(new RegExp(pattern, "giu"))) {
    // If a query begins with line breaks, the match counts from the first character after them.
    const line = findMatchedLine(body, match.index + match[0].search(/\S|$/));
    if (title === null || line.text.trim() !== `# ${title}`) return cutMatchedLine(line);
  }
  return title ?? "";
}

interface MatchedLine {
  readonly text: string;
  /** Offset of the match in `text`. */
  readonly at: number;
}

function findMatchedLine(body: string, index: number): MatchedLine {
  const start = index === 0 ? 0 : Math.max(body.lastIndexOf("\n", index - 1), body.lastIndexOf("\r", index - 1)) + 1;
  const end = body.slice(index).search(/[\r\n]/);
  return { text: body.slice(start, end === -1 ? undefined : index + end), at: index - start };
}

function cutMatchedLine({ text, at }: MatchedLine): string {
  if (text.trim().length <= MAX_SNIPPET_CHARS) return text.trim();
  const from = Math.max(0, Math.min(at - MAX_LEAD_CHARS, text.length - MAX_SNIPPET_CHARS));
  const to = from + MAX_SNIPPET_CHARS;
  // Half of a surrogate pair at either end is removed, because it is not valid text.
  const piece = text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${from > 0 ? "…" : ""}${piece.trim()}${to < text.length ? "…" : ""}`;
}

/** Conditions of a list; every spec meets an empty or absent condition. */
export interface SpecFilter {
  readonly types?: readonly string[];
  readonly labels?: readonly string[];
  readonly priorities?: readonly string[];
  readonly assignees?: readonly string[];
}

interface FilteredFields {
  readonly type: string;
  readonly labels?: readonly string[];
  readonly priority?: string | null;
  readonly assignee?: string | null;
}

/** Creates a test for all conditions: a spec has any of the types, any of the labels, and so on. */
export function createFilterTest<Tested extends FilteredFields>({
  types = [],
  labels = [],
  priorities = [],
  assignees = [],
}: SpecFilter): (spec: Tested) => boolean {
  const tests: ((spec: Tested) => boolean)[] = [];
  if (types.length > 0) tests.push(({ type }) => types.includes(type));
  if (labels.length > 0) tests.push((spec) => spec.labels?.some((label) => labels.includes(label)) === true);
  if (priorities.length > 0) tests.push(({ priority }) => priorities.includes(priority ?? ""));
  if (assignees.length > 0) tests.push(({ assignee }) => assignees.includes(assignee ?? ""));
  return tests.length === 0 ? () => true : (spec) => tests.every((test) => test(spec));
}

const createTextParameter = (description: string) => Type.Optional(Type.String({ description }));

/** Parameters that filter a list of specs by fields. */
export const fieldParams = {
  label: createTextParameter("Has this label"),
  priority: Type.Optional(createEnumSchema(PRIORITIES, "Has this priority")),
  assignee: createTextParameter("Whose work it is"),
};

/** Parameters that filter a list of specs by fields and text. */
export const filterParams = { ...fieldParams, text: createTextParameter("In title or body, in any case") };

/** Values of the filter parameters. */
interface FilterArguments {
  readonly label?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly text?: string;
}

/** Creates a test for the filter parameters. @throws OperationError for a blank value or a text that is too long */
export function createParameterFilter({
  label,
  priority,
  assignee,
  text: query,
}: FilterArguments): (spec: Spec) => boolean {
  for (const [name, value] of Object.entries({ label, assignee })) {
    if (value?.trim() === "") throw createInvalidArgumentError(`Invalid ${name} "${value}": expected text`);
  }
  const toList = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);
  const filter = { labels: toList(label), priorities: toList(priority), assignees: toList(assignee) };
  const pattern = query === undefined ? undefined : createSearchPattern(query, "text");
  const matchesFields = createFilterTest<Spec>(filter);
  return (spec) => matchesFields(spec) && (pattern === undefined || matchesPattern(spec, pattern));
}
