import { OperationError } from "#kernel/errors.ts";
import { shortenText } from "#kernel/shortened.ts";
import { compareSpecIds, parseSpecIdParts, type SpecId } from "./spec_id.ts";

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
