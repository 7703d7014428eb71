import { countLineBreaks, findLineEnd, skipLineBreak } from "./text_lines.ts";

/** Reduces a word to what people mean by it: letters and digits, whatever their case, width and separators. */
export function normalizeWord(word: string): string {
  return word
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Shortest word of which a missing, doubled or swapped letter is a slip, and not another word. Our choice. */
const MIN_SLIP_LETTERS = 5;

/**
 * Returns the known word that `word` is a slip of: the same letters in another case or with other separators, its
 * singular or plural, or one letter missing, added or swapped. Undefined for a known word and for any other word.
 */
function findSlip(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return undefined;
  const written = normalizeWord(word);
  return (
    known.find((name) => normalizeWord(name) === written) ?? known.find((name) => isSlip(written, normalizeWord(name)))
  );
}

function isSlip(written: string, meant: string): boolean {
  if (meant.length < MIN_SLIP_LETTERS) return meant.length > 3 && (written === `${meant}s` || written === `${meant}es`);
  if (Math.abs(written.length - meant.length) > 2) return false;
  if (written === `${meant}es` || `${written}es` === meant) return true;
  let at = 0;
  while (at < written.length && written.charAt(at) === meant.charAt(at)) at++;
  const [rest, goal] = [written.slice(at), meant.slice(at)];
  return (
    rest === goal.slice(1) ||
    rest.slice(1) === goal ||
    rest === goal.charAt(1) + goal.charAt(0) + goal.slice(2) ||
    // `depends` for `depends_on`: a whole part of the name is missing.
    (meant.length > MIN_SLIP_LETTERS + 2 && meant.startsWith(written) && meant.length - written.length <= 2)
  );
}

/** Fields that planner reads or writes. */
export const OWN_FIELDS: readonly string[] = [
  ..."id status title type depends_on labels target_files model output_schema context prompt branch commits".split(" "),
  ..."completed_at unproven members tracks informed_by origin approval priority assignee due evidence".split(" "),
];

/** Fields that imports write or that other programs use, and that are no slips of ours. */
const OTHER_FIELDS: ReadonlySet<string> = new Set("assignees commit completed mode stats track description".split(" "));

/** Fields that decide whether a spec may be worked on. */
const DECIDING_FIELDS: ReadonlySet<string> = new Set(["status", "depends_on", "approval"]);

/** A key of a frontmatter that looks like a field of planner and is not read as one. */
interface NearField {
  readonly key: string;
  readonly meant: string;
  /** Whether the key differs from the field in letter case alone. */
  readonly isCase: boolean;
  /** Whether the spec must not be worked on: what the key says could forbid it. */
  readonly isBlocking: boolean;
}

const OWN_FIELD_SET: ReadonlySet<string> = new Set(OWN_FIELDS);

/** Maximum number of cached keys: a project's specs have the same few. */
const MAX_CACHED_KEYS = 200;
const nearFieldByKey = new Map<string, NearField | null>();

/** Finds the keys that look like fields of planner. Cost: a look-up per key. */
export function findNearFields(frontmatter: Readonly<Record<string, unknown>>): readonly NearField[] {
  const found: NearField[] = [];
  for (const key of Object.keys(frontmatter)) {
    if (OWN_FIELD_SET.has(key)) continue;
    const near = findNearField(key);
    if (near !== null) found.push(near);
  }
  return found;
}

function findNearField(key: string): NearField | null {
  const cached = nearFieldByKey.get(key);
  if (cached !== undefined) return cached;
  const meant = OTHER_FIELDS.has(key) ? undefined : findSlip(key, OWN_FIELDS);
  const isCase = meant === key.toLowerCase();
  const near = meant === undefined ? null : { key, meant, isCase, isBlocking: isCase || DECIDING_FIELDS.has(meant) };
  if (nearFieldByKey.size >= MAX_CACHED_KEYS) nearFieldByKey.clear();
  nearFieldByKey.set(key, near);
  return near;
}

const COPY_MARK = String.raw`\.sync-conflict-\d.*|[ _(-]+[^()]*conflict(?:ed copy)?.*|[ -]*[( ]copy.*| - copy.*| \(\d+\)| \d+|\.(?:orig|bak|backup|theirs|mine)|_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+`;
const COPY_NAME_PATTERN = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d-[0-9a-z]{3}-[0-9a-z]+(?:\.\d+)*)(?:${COPY_MARK})$|^(.+?)(?:\.sync-conflict-\d.*|[ _(-]+[^()]*conflicted copy.*)$`,
  "i",
);

/**
 * Returns the id of which a spec's file is a copy, such as a synchroniser leaves when two computers changed a file; null
 * for any other file. A file is a copy by its name, or if its `id` is that of another file.
 */
export function findCopiedId(
  { id, frontmatter }: { readonly id: string; readonly frontmatter: Readonly<Record<string, unknown>> },
  isKnown: (id: string) => boolean,
): string | null {
  const written = frontmatter["id"];
  if (typeof written === "string" && written !== id && isKnown(written)) return written;
  if (!/[ _.(]/.test(id)) return null;
  const [, dated, other] = COPY_NAME_PATTERN.exec(id) ?? [];
  return dated ?? other ?? null;
}

/** Number of lines from the beginning of a text in which a block of fields is meant as its frontmatter. Our choice. */
const MAX_LINES_ABOVE = 10;

// Lines with which people and other programs open and close a block of fields.
const FENCE_PATTERN = /^[\s\u200b\ufeff]*(?:-{2,}|[–—][-–—]*|\+{3}|`{3,}|~{3,})[ \t]*(ya?ml|toml|json)?[ \t]*$/i;
const FIELD_PATTERN = /^[ \t]*["']?([\p{L}_][\p{L}\p{N} _-]{0,40})["']?[ \t]*[:=](?:[ \t]|$)/u;
const CONTINUED_PATTERN = /^(?:[ \t]+\S|[ \t]*-|[ \t]*#(?!#)|[ \t]*$)/;

const OWN_FIELD_FORMS: ReadonlySet<string> = new Set(OWN_FIELDS.map(normalizeWord));
// "Title: x" above a line of dashes is a heading of Markdown, so only these fields tell that the first fence is missing.
const DECISIVE_FORMS: ReadonlySet<string> = new Set(["id", "status", "dependson"]);

/**
 * Finds a block of fields of planner near the beginning of a text that is not read as its frontmatter: below other
 * lines, between other fences (`----`, `+++`), or without the first fence. Returns the offset of the block; undefined
 * without one.
 *
 * Code behind text is no such block: a document may explain the format.
 *
 * @param from offset at which the text begins, after a byte-order mark
 */
export function findNearFrontmatter(text: string, from: number): number | undefined {
  let isFirst = true;
  for (let start = from, line = 0; start < text.length && line < MAX_LINES_ABOVE; line++) {
    const end = findLineEnd(text, start);
    const written = text.slice(start, end);
    const next = skipLineBreak(text, end);
    if (isFence(written, isFirst) && findBlockEnd(text, next, OWN_FIELD_FORMS) !== undefined) return start;
    if (isFirst && /^---[ \t]*$/.test(findBlockEnd(text, start, DECISIVE_FORMS) ?? "")) return start;
    // What follows may be an example in code.
    if (/^\s*[`~]{3}/.test(written)) return undefined;
    if (written.trim() !== "") isFirst = false;
    start = next;
  }
  return undefined;
}

/**
 * Returns the line in the body, from 1, of a second block of fields right below the frontmatter, such as another program
 * leaves that adds its own; undefined without one. What it says of the spec is not read.
 */
export function findSecondBlock(body: string): number | undefined {
  const blank = /^\s*/.exec(body)?.[0] ?? "";
  const end = findLineEnd(body, blank.length);
  const isBlock =
    body.startsWith("---", blank.length) &&
    isFence(body.slice(blank.length, end), false) &&
    findBlockEnd(body, skipLineBreak(body, end), OWN_FIELD_FORMS) !== undefined;
  return isBlock ? countLineBreaks(body, 0, blank.length) + 1 : undefined;
}

function isFence(line: string, isFirst: boolean): boolean {
  return FENCE_PATTERN.test(line) && (isFirst || !/^\s*[`~]/.test(line));
}

/** Returns the line that closes the fields that begin at `start`; undefined unless one of them is among `forms`. */
function findBlockEnd(text: string, start: number, forms: ReadonlySet<string>): string | undefined {
  let hasOwn = false;
  for (let at = start; at < text.length; ) {
    const end = findLineEnd(text, at);
    const line = text.slice(at, end);
    if (FENCE_PATTERN.test(line)) return hasOwn ? line : undefined;
    const name = FIELD_PATTERN.exec(line)?.[1];
    if (name === undefined && (at === start || !CONTINUED_PATTERN.test(line))) return undefined;
    hasOwn ||= name !== undefined && forms.has(normalizeWord(name));
    at = skipLineBreak(text, end);
  }
  return undefined;
}
