import { distance } from "fastest-levenshtein";

/**
 * Returns the candidate that `text` most likely meant, or undefined when none is near.
 *
 * Near means at most a third of the longer word's letters differ (at least one may), so that short words are not
 * matched with anything. Cost: O(candidates × length²).
 */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const found = distance(text.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.max(1, Math.floor(Math.max(text.length, candidate.length) / 3));
    if (found <= allowed && found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}
