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
