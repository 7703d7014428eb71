import { OperationError } from "#kernel/errors.ts";
import { shortenText } from "#kernel/shortened.ts";
import { compareSpecIds, type SpecId, specIdParts } from "./spec_id.ts";

/** Number of matches that an ambiguity names. Ours: more do not help, and a project has thousands of specs. */
const MAX_NAMED = 20;

/** A refusal of a text that may mean several specs. */
export class AmbiguousSpecId extends OperationError {
  /** The ids that the message names, in order. */
  readonly named: readonly SpecId[];

  constructor(text: string, matches: readonly SpecId[]) {
    const named = matches.slice(0, MAX_NAMED);
    const more = matches.length > MAX_NAMED ? `, … (${matches.length - MAX_NAMED} more)` : "";
    super("invalid_argument", `Ambiguous spec ID '${shortenText(text)}'. Matches: ${named.join(", ")}${more}`);
    this.named = named;
  }
}

/**
 * Returns the id that `text` means: exact, else today's counter (three characters) if no other id could be meant, else
 * the only one ending with it, else the only one containing it.
 *
 * @param today `YYYY-MM-DD`
 * @throws OperationError `not_found` or, for an empty text, `invalid_argument`
 * @throws AmbiguousSpecId for a text that may mean several
 *
 * Source: docs/decisions.md#s-04.
 */
export function resolveSpecId(text: string, ids: readonly SpecId[], today: string): SpecId {
  const wanted = text.trim();
  if (wanted === "") throw new OperationError("invalid_argument", 'Invalid id "": expected a full or partial spec id');
  const all = [...new Set(ids)];
  const exact = all.find((id) => id === wanted);
  if (exact !== undefined) return exact;
  const ending = all.filter((id) => id.endsWith(wanted));
  const containing = all.filter((id) => id.includes(wanted)).sort(compareSpecIds);
  const ways = [withCounter(wanted, all, today), ending.length === 1 ? ending : [], containing];
  const meant = ways.find((way) => way.length > 0) ?? [];
  const [first, second] = meant;
  if (first === undefined) throw new OperationError("not_found", `Spec not found: ${shortenText(wanted)}`);
  if (second !== undefined) throw new AmbiguousSpecId(wanted, meant);
  return first;
}

/**
 * Returns a function that shortens an id to its end without the day, if `resolveSpecId` takes that for the same id.
 *
 * @param ids every id that the text may mean. Cost: O(ids) once, then O(1) unless ids have an unusual form
 */
export function shortenSpecIds(ids: readonly SpecId[]): (id: SpecId) => string {
  const ends = new Map<string, number>();
  for (const id of ids) ends.set(behindDate(id), (ends.get(behindDate(id)) ?? 0) + 1);
  const unusual = ids.filter((id) => specIdParts(id) === undefined);
  return (id) => {
    const short = behindDate(id);
    return ends.get(short) === 1 && unusual.every((other) => !other.endsWith(short)) ? short : id;
  };
}

/**
 * Without an id of today's counter `text`, none; else these and every other id that has the text outside its date, in
 * order. Members of such an id are named by their number, so they are not among them.
 */
function withCounter(text: string, ids: readonly SpecId[], today: string): readonly SpecId[] {
  if (text.length !== 3) return [];
  const counted = ids.filter((id) => id.startsWith(`${today}-${text}-`) && specIdParts(id)?.members.length === 0);
  if (counted.length === 0) return [];
  const others = ids.filter((id) => !counted.some((own) => id === own || id.startsWith(`${own}.`)));
  return [...counted, ...others.filter((id) => behindDate(id).includes(text))].sort(compareSpecIds);
}

function behindDate(id: SpecId): string {
  return specIdParts(id) === undefined ? id : id.slice("YYYY-MM-DD-".length);
}
