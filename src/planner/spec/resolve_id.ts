import { OperationError } from "#kernel/errors.ts";
import { compareSpecIds, type SpecId, specIdParts } from "./spec_id.ts";

/** Number of matches that an ambiguity names. Ours: more do not help, and a project has thousands of specs. */
const MAX_NAMED = 20;

/**
 * Returns the id that `text` means: exact, else the only one ending with it, else (three characters) the one with that
 * counter today, else the only one containing it.
 *
 * @param today `YYYY-MM-DD`
 * @throws OperationError `not_found` or, for an empty or ambiguous text, `invalid_argument`
 *
 * Source: docs/decisions.md#s-04.
 */
export function resolveSpecId(text: string, ids: readonly SpecId[], today: string): SpecId {
  const wanted = text.trim();
  if (wanted === "") throw new OperationError("invalid_argument", "Cannot look up an empty spec id");
  const all = [...new Set(ids)];
  const exact = all.find((id) => id === wanted);
  const found = exact ?? only(all, (id) => id.endsWith(wanted)) ?? ofToday(wanted, all, today);
  if (found !== undefined) return found;
  const containing = all.filter((id) => id.includes(wanted)).sort(compareSpecIds);
  const [first, second] = containing;
  if (first === undefined) throw new OperationError("not_found", `Spec not found: ${wanted}`);
  if (second !== undefined) throw ambiguous(wanted, containing);
  return first;
}

function ofToday(text: string, ids: readonly SpecId[], today: string): SpecId | undefined {
  if (text.length !== 3) return undefined;
  return only(ids, (id) => id.startsWith(`${today}-${text}-`) && specIdParts(id)?.members.length === 0);
}

function only(ids: readonly SpecId[], matches: (id: SpecId) => boolean): SpecId | undefined {
  const [first, second] = ids.filter(matches);
  return second === undefined ? first : undefined;
}

function ambiguous(text: string, matches: readonly SpecId[]): OperationError {
  const more = matches.length > MAX_NAMED ? `, … (${matches.length - MAX_NAMED} more)` : "";
  const named = matches.slice(0, MAX_NAMED).join(", ");
  return new OperationError("invalid_argument", `Ambiguous spec ID '${text}'. Matches: ${named}${more}`);
}
