/** First code point of the block "Control Pictures": U+2400 + c shows the control character c. */
const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
const REPLACEMENT = "\ufffd";

const CONTROLS_IN_LINES = /[^\P{Cc}\n\t]/gu;

/** Returns a visible sign for a character that must not reach a terminal: a picture, else U+FFFD. */
export function visibleSign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

/** Returns a text for a file that people open in a terminal: every line break is a line feed, other controls are visible. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROLS_IN_LINES, visibleSign);
}

// The colours of `paint`, and the line ends of a text that came with carriage returns.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const OWN_OR_UNSAFE = /\u001b\[(?:1|2|22|3[1-6]|39)m|\r\n|(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/** Returns text that a terminal shows without obeying it: only the colours of planner itself stay. */
export function terminalText(text: string): string {
  return text.replace(OWN_OR_UNSAFE, (found) => (found.length > 1 ? found : visibleSign(found)));
}
