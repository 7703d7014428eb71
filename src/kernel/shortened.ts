/** Maximum length of a value that an error message repeats, in characters. */
export const MAX_MESSAGE_VALUE_CHARS = 60;

/** Truncates a text to 60 characters for an error message. */
export function shortenText(text: string): string {
  return text.length > MAX_MESSAGE_VALUE_CHARS ? `${text.slice(0, MAX_MESSAGE_VALUE_CHARS).toWellFormed()}…` : text;
}

/** Shortens a long text in the middle: its beginning names the fault, and its end what was expected. */
export function shortenMiddle(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text;
  const end = Math.floor(mostChars / 4);
  return `${text.slice(0, mostChars - end - 1)}…${text.slice(-end)}`.toWellFormed();
}

/** Shortens a text in the middle to at most so many bytes of UTF-8. */
export function boundBytes(text: string, mostBytes: number): string {
  let shown = shortenMiddle(text, mostBytes);
  for (let chars = mostBytes; encoder.encode(shown).length > mostBytes; ) {
    chars = Math.floor(chars * 0.7);
    shown = shortenMiddle(text, chars);
  }
  return shown;
}

const encoder = new TextEncoder();

/** Returns the first characters of a commit's hash, for messages. */
export function shortenHash(hash: string): string {
  return hash.slice(0, 10);
}
