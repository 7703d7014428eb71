import type { JsonValue } from "@bufbuild/protobuf";
import type { ResourceKind } from "#dc/model/resources.ts";
import type { BadLine, ImportSource, ResourceLine } from "#dc/operations/import/run_import.ts";
import { type CsvRecord, setDefaultFace } from "#dc/operations/import/sheet.ts";
import { OperationError } from "#kernel/errors.ts";
import { formatSuggestion } from "../../usage_error.ts";
import { type CsvColumn, listCsvColumns } from "../csv_columns.ts";
import { readCsvFile, type TextFile } from "./text_file.ts";

/** Opens a CSV file of one kind with column names in its first record. @throws OperationError for an unknown column */
export async function openCsvSource(file: TextFile, kind: ResourceKind): Promise<ImportSource> {
  let columns: readonly CsvColumn[] | undefined;
  let count = 0;
  for await (const { record } of readCsvFile(file.path, file.displayName)) {
    if (columns === undefined) columns = requireColumns(file, kind, record);
    else count += 1;
  }
  const known = columns ?? [];
  return {
    counts: new Map([[kind, count]]),
    readBadLines: () => [],
    async *readLines(asked): AsyncGenerator<ResourceLine | BadLine> {
      if (asked !== kind) return;
      let isHead = true;
      for await (const row of readCsvFile(file.path, file.displayName)) {
        if (!isHead) yield convertToJsonLine(file, kind, known, row);
        isHead = false;
      }
    },
    close: () => file.close(),
  };
}

function requireColumns(file: TextFile, kind: ResourceKind, names: readonly string[]): readonly CsvColumn[] {
  const columns = names.map((name) => requireColumn(file, kind, name));
  const known = columns.map(({ name }) => name);
  const twice = known.find((name, at) => known.indexOf(name) !== at);
  if (twice === undefined) return columns;
  const message = `Column "${twice}" is twice in "${file.displayName}": expected each column once`;
  throw new OperationError("invalid_argument", message);
}

function requireColumn({ displayName }: TextFile, kind: ResourceKind, name: string): CsvColumn {
  const columns = listCsvColumns(kind);
  const found = columns.find((column) => column.name === name.trim());
  if (found !== undefined) return found;
  const names = columns.map((column) => column.name);
  const near = formatSuggestion(name, names);
  const expected = near === "" ? `expected one of ${names.join(", ")}` : near;
  throw new OperationError("invalid_argument", `Unknown column "${name}" in "${displayName}" for ${kind}: ${expected}`);
}

function convertToJsonLine(
  file: TextFile,
  kind: ResourceKind,
  columns: readonly CsvColumn[],
  { record, line }: CsvRecord,
): ResourceLine | BadLine {
  const resource: Record<string, JsonValue> = {};
  const place = { file: file.displayName, number: line };
  const code = record[columns.findIndex(({ name }) => name === "code")] ?? "";
  const bad = { ...place, item: JSON.stringify(record), subject: { kind, ...(code !== "" && { code }) } };
  if (record.length > columns.length) {
    const reason = `expected ${columns.length} cells, found ${record.length}`;
    return { ...bad, reason };
  }
  for (const [index, cell] of record.entries()) {
    const column = columns[index];
    if (cell === "" || column === undefined) continue;
    try {
      column.parseCell(cell, resource);
    } catch (error) {
      const reason = `cell "${column.name}" holds no JSON: ${(error as Error).message}`;
      return { ...bad, reason, field: column.name };
    }
  }
  const paths = columns.map(({ name }) => name);
  setDefaultFace(kind, paths, resource);
  return { ...place, item: { kind, json: resource } };
}
