/** First code point of the block "Control Pictures": U+2400 + c shows the control character c. */
const FIRST_CONTROL_PICTURE = 0x2400;
const DELETE_PICTURE = "\u2421";
const REPLACEMENT_CHARACTER = "\ufffd";

const HIDDEN_CONTROL_PATTERN = /[^\P{Cc}\n\t]/gu;

/** Returns a visible replacement for a control character: its control picture, otherwise U+FFFD. */
export function getVisibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(FIRST_CONTROL_PICTURE + code);
  return code === 0x7f ? DELETE_PICTURE : REPLACEMENT_CHARACTER;
}

/** Returns text for a file opened in a terminal: line breaks become line feeds, other control characters visible. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(HIDDEN_CONTROL_PATTERN, getVisibleSign);
}

// Matches the colour codes of `paint`, CRLF line ends, and characters that are unsafe in a terminal.
const COLOR_OR_UNSAFE_PATTERN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\n|(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Returns text safe to print in a terminal: escape sequences become visible, except the program's own colours. */
export function escapeForTerminal(text: string): string {
  return text.replace(COLOR_OR_UNSAFE_PATTERN, (found) => (found.length > 1 ? found : getVisibleSign(found)));
}

/** Matches the characters that XML 1.0 cannot contain, even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the letters that must go
const INVALID_XML_PATTERN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const XML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for an element or attribute of XML or HTML; characters that XML cannot contain become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(INVALID_XML_PATTERN, "\ufffd")
    .replace(/[&<>"']/g, (letter) => XML_ESCAPES[letter] ?? letter);
}

/** Returns a quoted string of the DOT language: line breaks become `\n`, other control characters U+FFFD. */
export function quoteDotString(text: string): string {
  const inner = text
    .toWellFormed()
    .replace(/\\/g, "\\\\")
    .replace(/"/g, '\\"')
    .replace(/\r?\n/g, "\\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no renderer can draw them
    .replace(/[\u0000-\u001f\ufffe\uffff]/g, "\ufffd");
  return `"${inner}"`;
}
