import { type CsvTable, parseCsv } from "./csv.ts";

/** Text longer than this is kept beside the page: a text field with megabytes in it answers slowly. */
export const LARGE = 200_000;

/** What a text holds: a table, or JSON that names its kinds itself. */
export function tableOf(text: string): CsvTable | undefined {
  const start = text.trimStart().charAt(0);
  if (start === "" || start === "{" || start === "[") return undefined;
  const table = parseCsv(text);
  return table.headers.length > 1 || table.rows.length > 0 ? table : undefined;
}

/** Reads a file as UTF-8. @throws TypeError where its bytes are none */
export async function readText(file: File): Promise<string> {
  // File.text() would replace bytes that are not UTF-8 without a word.
  return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
}
