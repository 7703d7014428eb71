/** A spec's file name without `.md`. Lint requires the form with a date; a file of another name is still a spec. */
export type SpecId = string & { readonly __brand: "SpecId" };

/** Parts of a dated id: `2026-11-21-00a-k3x.2.1` has day `2026-11-21`, counter 10, suffix `k3x`, members [2, 1]. */
export interface SpecIdParts {
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
