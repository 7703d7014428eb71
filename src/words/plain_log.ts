const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

/** Matches control sequences for terminals, such as colours and titles. Source: ECMA-48, 5.3 to 5.6. */
const TERMINAL_SEQUENCE_PATTERN = new RegExp(
  [
    `${ESCAPE}\\[[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?`,
    `${ESCAPE}[PX^_][^${ESCAPE}]*(?:${ESCAPE}\\\\)?`,
    `${ESCAPE}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);
const CONTROL_CHARACTER_PATTERN = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Removes terminal sequences from a log. Characters that could make a line look like another become U+FFFD. */
export function stripTerminalSequences(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(TERMINAL_SEQUENCE_PATTERN, "")
    .replace(CONTROL_CHARACTER_PATTERN, "\ufffd");
}
