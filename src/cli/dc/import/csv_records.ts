import { createReadStream } from "node:fs";
import { CsvError, parse } from "csv-parse";
import { OperationError } from "#kernel/errors.ts";
import {
  detectDelimiter,
  isBlankRecord,
  isTitleRecord,
  MAX_TITLE_RECORDS,
  SEPARATOR_LINE_PATTERN,
} from "#words/spreadsheet.ts";
import { readFirstBytes } from "./encoding.ts";

/** Number of bytes within which the header record must end. */
const HEADER_BYTES = 1 << 16;

export interface CsvRecord {
  readonly record: readonly string[];
  /** Number of the record's last line, from 1. */
  readonly line: number;
}

/**
 * Reads the records of a CSV file, without blank ones, the line `sep=;` and titles above the headings. Memory: one
 * record.
 * @throws OperationError for text that is not CSV
 */
export async function* readCsvRecords(path: string, shown: string): AsyncGenerator<CsvRecord> {
  let titles: CsvRecord[] | undefined = [];
  for await (const one of readAllRecords(path, shown)) {
    if (isBlankRecord(one.record)) continue;
    if (titles === undefined) yield one;
    else if (isTitleRecord(one.record) && titles.length < MAX_TITLE_RECORDS) titles.push(one);
    else {
      // A sheet of one column has no titles.
      if (isTitleRecord(one.record)) yield* titles;
      titles = undefined;
      yield one;
    }
  }
  yield* titles ?? [];
}

async function* readAllRecords(path: string, shown: string): AsyncGenerator<CsvRecord> {
  const beginning = Buffer.from(readFirstBytes(path, HEADER_BYTES))
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "");
  const parser = createReadStream(path).pipe(
    parse({
      bom: true,
      delimiter: detectDelimiter(beginning),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
  let doubleCounted = 0;
  let isSeparatorLine = SEPARATOR_LINE_PATTERN.test(beginning);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      // The parser counts a line end of two characters inside quotes as two lines.
      for (const cell of record) doubleCounted += cell.split("\r\n").length - 1;
      if (!isSeparatorLine) yield { record, line: info.lines - doubleCounted };
      isSeparatorLine = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new OperationError("invalid_argument", `Cannot read "${shown}" as CSV: ${error.message}`, { cause: error });
  }
}
