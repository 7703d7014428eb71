/** First code point of the block "Control Pictures": U+2400 + c shows the control character c. */
const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
const REPLACEMENT = "\ufffd";

const CONTROLS_IN_LINES = /[^\P{Cc}\n\t]/gu;

/** Returns a visible replacement for a control character: its control picture, otherwise U+FFFD. */
export function getVisibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

/** Returns text for a file opened in a terminal: line breaks become line feeds, other control characters visible. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROLS_IN_LINES, getVisibleSign);
}

// Matches the colour codes of `paint`, CRLF line ends, and characters that are unsafe in a terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const OWN_OR_UNSAFE = /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\n|(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Returns text safe to print in a terminal: escape sequences become visible, except the program's own colours. */
export function escapeForTerminal(text: string): string {
  return text.replace(OWN_OR_UNSAFE, (found) => (found.length > 1 ? found : getVisibleSign(found)));
}
