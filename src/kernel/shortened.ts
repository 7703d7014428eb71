/** Longest piece of a value that a refusal repeats, in characters. */
export const MAX_SHOWN_CHARS = 60;

/** Returns a text as a refusal repeats it: the beginning of a long one. */
export function shortenText(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS).toWellFormed()}…` : text;
}

/** Returns the beginning of a commit's hash, as messages name it. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 10);
}
