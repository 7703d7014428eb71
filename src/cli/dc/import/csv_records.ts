import { createReadStream } from "node:fs";
import { CsvError, parse } from "csv-parse";
import { OperationError } from "#kernel/errors.ts";
import { readFirstBytes } from "./encoding.ts";

/** Spreadsheets write semicolons if the comma is the decimal point, and tabs in the format "Unicode text". */
const DELIMITERS = [",", ";", "\t"] as const;
/** Number of bytes within which the header record must end. */
const HEADER_BYTES = 1 << 16;

export interface CsvRecord {
  readonly record: readonly string[];
  /** Number of the record's last line, from 1. */
  readonly line: number;
}

/**
 * Reads the records of a CSV file, without empty lines. The delimiter is the most frequent one in the first record.
 * Memory: one record.
 * @throws OperationError for text that is not CSV
 */
export async function* readCsvRecords(path: string, shown: string): AsyncGenerator<CsvRecord> {
  const parser = createReadStream(path).pipe(
    parse({
      bom: true,
      delimiter: detectDelimiter(path),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
  let doubleCounted = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      // The parser counts a line end of two characters inside quotes as two lines.
      for (const cell of record) doubleCounted += cell.split("\r\n").length - 1;
      yield { record, line: info.lines - doubleCounted };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new OperationError("invalid_argument", `Cannot read "${shown}" as CSV: ${error.message}`, { cause: error });
  }
}

function detectDelimiter(path: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let inQuotes = false;
  for (const character of Buffer.from(readFirstBytes(path, HEADER_BYTES)).toString("latin1")) {
    if (character === '"') inQuotes = !inQuotes;
    else if (character === "\n" && !inQuotes) break;
    else if (!inQuotes && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return DELIMITERS.reduce((best, one) => ((counts.get(one) ?? 0) > (counts.get(best) ?? 0) ? one : best));
}
