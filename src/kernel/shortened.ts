/** Maximum length of a value that an error message repeats, in characters. */
export const MAX_MESSAGE_VALUE_CHARS = 60;

/** Truncates a text to 60 characters for an error message. */
export function shortenText(text: string): string {
  return text.length > MAX_MESSAGE_VALUE_CHARS ? `${text.slice(0, MAX_MESSAGE_VALUE_CHARS).toWellFormed()}…` : text;
}

/** Returns the first characters of a commit's hash, for messages. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 10);
}
