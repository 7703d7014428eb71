/** Quotes a word for a POSIX shell, because names are chosen by people and agents and may contain any character. */
export function quoteShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
