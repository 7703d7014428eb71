import { OperationError, shortenText } from "#kernel/errors.ts";

/** A spec's file name without `.md`. Lint requires the form with a date; a file of another name is still a spec. */
export type SpecId = string & { readonly __brand: "SpecId" };

/** Parts of a dated id: `2026-11-21-00a-k3x.2.1` has day `2026-11-21`, counter 10, suffix `k3x`, members [2, 1]. */
interface SpecIdParts {
  readonly day: string;
  readonly counter: number;
  readonly suffix: string;
  readonly members: readonly number[];
}

const DATED_ID_PATTERN = /^(\d{4}-\d{2}-\d{2})-([0-9a-z]{3})-([0-9a-z]+)((?:\.\d+)*)$/;
// The first character must not make the file hidden; separators would leave the specs folder.
const FILE_NAME_PATTERN = /^[^./\\\0][^/\\\0]*$/;

/** Returns `text` as a `SpecId`, or undefined if it cannot be the name of a spec file. */
export function parseSpecId(text: string): SpecId | undefined {
  return FILE_NAME_PATTERN.test(text) && text.length <= 200 ? (text as SpecId) : undefined;
}

/** Parses an id with a date; undefined for an id of another form. */
export function parseSpecIdParts(id: string): SpecIdParts | undefined {
  const match = DATED_ID_PATTERN.exec(id);
  if (match === null) return undefined;
  const [, day = "", counter = "", suffix = "", members = ""] = match;
  return {
    day,
    counter: Number.parseInt(counter, 36),
    suffix,
    members: members === "" ? [] : members.slice(1).split(".").map(Number),
  };
}

/** Returns the number of a member in its group; 0 for a spec that is no member. */
export function parseMemberNumber(id: string): number {
  return parseSpecIdParts(id)?.members.at(-1) ?? 0;
}

/** Compares ids by date, counter, suffix and member numbers; ids of another form come last, in code unit order. */
export function compareSpecIds(a: string, b: string): number {
  const left = parseSpecIdParts(a);
  const right = parseSpecIdParts(b);
  if (left === undefined || right === undefined) {
    if (left === right) return compareCodeUnits(a, b);
    return left === undefined ? 1 : -1;
  }
  return (
    compareCodeUnits(left.day, right.day) ||
    left.counter - right.counter ||
    compareCodeUnits(left.suffix, right.suffix) ||
    compareMemberNumbers(left.members, right.members) ||
    // Different digits may be the same number: `.1` and `.01`.
    compareCodeUnits(a, b)
  );
}

/** Returns the id of a member's parent (`a.2` for `a.2.1`), or undefined for an id that is not a member. */
export function parseParentId(id: SpecId): SpecId | undefined {
  const parts = parseSpecIdParts(id);
  if (parts === undefined || parts.members.length === 0) return undefined;
  return id.slice(0, id.lastIndexOf(".")) as SpecId;
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareMemberNumbers(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [left = 0, right = 0] = [a[index], b[index]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

const ID_PART_CHARS = 3;
/** Number of possible counters of a day, and of possible random suffixes. */
export const ID_PART_COUNT = 36 ** ID_PART_CHARS;

/** Formats the id of a spec that is not a member; `counter` and `suffix` must be below `ID_PART_COUNT`. */
export function formatSpecId(day: string, counter: number, suffix: number): SpecId {
  const formatPart = (value: number) => value.toString(36).padStart(ID_PART_CHARS, "0");
  return `${day}-${formatPart(counter)}-${formatPart(suffix)}` as SpecId;
}

/** Maximum number of matches in an ambiguous id's error. Chosen by planner: of thousands of specs, more do not help. */
const MAX_NAMED_MATCHES = 20;

/** The error for a text that matches several specs. */
export class AmbiguousSpecId extends OperationError {
  /** The ids in the message, in order. */
  readonly namedIds: readonly SpecId[];

  constructor(text: string, matches: readonly SpecId[]) {
    const named = matches.slice(0, MAX_NAMED_MATCHES);
    const more = matches.length > MAX_NAMED_MATCHES ? `, … (${matches.length - MAX_NAMED_MATCHES} more)` : "";
    super("invalid_argument", `Ambiguous spec ID '${shortenText(text)}'. Matches: ${named.join(", ")}${more}`);
    this.namedIds = named;
  }
}

/**
 * Resolves `text` to an id: the exact one, else today's spec with this counter (three characters) if no other open spec
 * matches, else the only id that ends with it, else the only id that contains it.
 * @param today `YYYY-MM-DD`
 * @param isOpen returns false for a spec that is known to be finished
 * @throws OperationError `not_found` or, for an empty text, `invalid_argument`
 * @throws AmbiguousSpecId for a text that matches several ids
 *
 * Source: docs/decisions.md#s-04.
 */
export function resolveSpecId(
  text: string,
  ids: readonly SpecId[],
  today: string,
  isOpen: (id: SpecId) => boolean = () => true,
): SpecId {
  const wanted = text.trim();
  if (wanted === "") throw new OperationError("invalid_argument", 'Invalid id "": expected a full or partial spec id');
  const all = [...new Set(ids)];
  const exact = all.find((id) => id === wanted);
  if (exact !== undefined) return exact;
  const ending = all.filter((id) => id.endsWith(wanted));
  const containing = all.filter((id) => id.includes(wanted)).sort(compareSpecIds);
  const ways = [listIdsByCounter(wanted, all, today, isOpen), ending.length === 1 ? ending : [], containing];
  const meant = ways.find((way) => way.length > 0) ?? [];
  const [first, second] = meant;
  if (first === undefined) throw new OperationError("not_found", `Spec not found: ${shortenText(wanted)}`);
  if (second !== undefined) throw new AmbiguousSpecId(wanted, meant);
  return first;
}

/**
 * Creates a function that shortens an id to its shortest end that `resolveSpecId` resolves to the same id: its suffix
 * with the member numbers, or that after the counter. A suffix that begins with a digit could be taken for a counter.
 * @param ids every id that the text may match
 *
 * Cost: O(ids) once, then O(1) unless ids have an unusual form.
 */
export function createIdShortener(ids: readonly SpecId[]): (id: SpecId) => string {
  const counts = new Map<string, number>();
  for (const end of ids.flatMap(listEnds)) counts.set(end, (counts.get(end) ?? 0) + 1);
  const unusual = ids.filter((id) => parseSpecIdParts(id) === undefined);
  return (id) =>
    listEnds(id).find((end) => counts.get(end) === 1 && unusual.every((other) => !other.endsWith(end))) ?? id;
}

/** Returns the ends of an id that are good to type, the shortest first. */
function listEnds(id: SpecId): readonly string[] {
  const end = removeDate(id);
  if (end === id) return [];
  const suffix = end.slice("NNN-".length);
  return /^[a-z]/.test(suffix) ? [suffix, end] : [end];
}

/**
 * Returns the ids with today's counter `text` and every other open spec's id that contains the text outside its date,
 * in order; empty if no id has this counter. Members of such an id are excluded, because people name them by their number.
 */
function listIdsByCounter(
  text: string,
  ids: readonly SpecId[],
  today: string,
  isOpen: (id: SpecId) => boolean,
): readonly SpecId[] {
  if (text.length !== 3) return [];
  const counted = ids.filter((id) => id.startsWith(`${today}-${text}-`) && parseSpecIdParts(id)?.members.length === 0);
  if (counted.length === 0) return [];
  const others = ids.filter((id) => !counted.some((own) => id === own || id.startsWith(`${own}.`)));
  return [...counted, ...others.filter((id) => removeDate(id).includes(text) && isOpen(id))].sort(compareSpecIds);
}

function removeDate(id: SpecId): string {
  return parseSpecIdParts(id) === undefined ? id : id.slice("YYYY-MM-DD-".length);
}
