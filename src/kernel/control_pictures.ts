/** First code point of the block "Control Pictures": U+2400 + c shows the control character c. */
const CONTROL_PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
const REPLACEMENT = "\ufffd";

const CONTROLS_IN_LINES = /[^\P{Cc}\n\t]/gu;

/** Returns a visible sign for a character that must not reach a terminal: a picture, else U+FFFD. */
export function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

/** Returns a text for a file that people open in a terminal: every line break is a line feed, other controls are visible. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROLS_IN_LINES, visible);
}
