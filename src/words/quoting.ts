/** Returns a cell of a CSV record by RFC 4180: adds quotes around a text with a delimiter, a quote or a line break. */
export function quoteCsvCell(text: string, delimiter = ","): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Quotes a word for a POSIX shell, because names are chosen by people and agents and may contain any character. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
