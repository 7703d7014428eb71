/** Returns a cell of a CSV record by RFC 4180: adds quotes around a text with a comma, a quote or a line break. */
export function quoteCsvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
