import { distance } from "fastest-levenshtein";

/** Maximum number of differing letters, for words of any length. Our choice. */
const MAX_DIFFERENCES = 3;

/** Maximum characters of a compared text. Our choice: no name is longer, and cost grows with the cube of the length. */
const MAX_COMPARED_CHARS = 64;

/**
 * Returns the candidate closest to `text`, or undefined if none is close.
 *
 * A candidate is close if at most a third of the shorter word's letters differ, but never more than three; one
 * difference is always allowed. Two swapped neighbours count as one difference; the dashes in front of a flag are
 * ignored. A text over 64 characters has no close candidate. Cost: O(candidates × length³).
 */
export function findNearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  if (text.length > MAX_COMPARED_CHARS) return undefined;
  for (const candidate of candidates) {
    if (candidate.length > MAX_COMPARED_CHARS) continue;
    const found = countTypingErrors(text.toLowerCase(), candidate.toLowerCase());
    const letters = Math.min(countLetters(text), countLetters(candidate));
    const allowed = Math.min(MAX_DIFFERENCES, Math.max(1, Math.floor(letters / 3)));
    if (found <= allowed && found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

const countLetters = (word: string): number => word.replace(/^-+/, "").length;

// Swapped neighbouring letters are the most common typing error, so they count as one difference.
function countTypingErrors(typed: string, meant: string): number {
  let best = distance(typed, meant);
  for (let index = 0; index + 1 < typed.length && best > 1; index++) {
    const swapped = typed.slice(0, index) + typed.charAt(index + 1) + typed.charAt(index) + typed.slice(index + 2);
    best = Math.min(best, 1 + distance(swapped, meant));
  }
  return best;
}
