import { type CsvTable, parseCsv } from "./csv.ts";

/** Length in characters above which a text is not shown in a text field, because such a field reacts slowly. */
export const LARGE_TEXT_CHARS = 200_000;

/** Parses a text as a table; undefined if it is JSON or empty. */
export function parseTable(text: string): CsvTable | undefined {
  const start = text.trimStart().charAt(0);
  if (start === "" || start === "{" || start === "[") return undefined;
  const table = parseCsv(text);
  return table.headers.length > 1 || table.rows.length > 0 ? table : undefined;
}

/** Reads a file as UTF-8. Throws a TypeError if its bytes are not valid UTF-8. */
export async function readUtf8File(file: File): Promise<string> {
  // `File.text()` would silently replace bytes that are not UTF-8.
  return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
}
