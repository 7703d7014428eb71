import { join, relative } from "node:path";
import { CsvRows } from "#dc/exchange/netbox/csv_rows.ts";
import type { Dataset } from "#dc/exchange/netbox/dataset.ts";
import type { TableName } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { readCsvRecords } from "../import/csv_records.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import { findTableOfFile, listFilesByExtension } from "./netbox_files.ts";
import { requireRunningImport, type SourceWatcher } from "./source_error.ts";

const STEP = 5000;

/** Reads a folder of NetBox's CSV exports, each named after its list: `devices.csv`, `netbox_power feeds.csv`. */
export async function readCsvFolder(
  data: Dataset,
  folder: string,
  shown: string,
  watcher: SourceWatcher,
): Promise<void> {
  const files = listFilesByExtension(folder, ".csv").map((path) => ({
    path,
    table: findTableOfFile(relative(folder, path)),
  }));
  if (!files.some(({ table }) => table !== undefined)) {
    throw new OperationError(
      "not_found",
      `No list of NetBox in "${shown}": expected files such as devices.json, dcim/racks.json or devices.csv`,
    );
  }
  const rows = new CsvRows(data, (table, id, reason) =>
    watcher.unreadable({ file: `${table}/${id}`, number: 0, reason }),
  );
  for (const { path, table } of files) {
    const name = join(shown, relative(folder, path));
    if (table === undefined) data.addUnread(`file ${relative(folder, path)}`);
    else {
      data.listed.add(table);
      await readCsvExport(rows, table, { path, name }, watcher);
    }
  }
  rows.finish();
}

async function readCsvExport(
  rows: CsvRows,
  table: TableName,
  { path, name }: { readonly path: string; readonly name: string },
  watcher: SourceWatcher,
): Promise<void> {
  let headers: readonly string[] | undefined;
  for await (const { record, line } of readCsvRecords(path, name)) {
    if (line % STEP === 0) {
      watcher.progress(name, line, undefined);
      requireRunningImport(watcher);
    }
    if (record.some((cell) => cell.includes("\ufffd")))
      watcher.unreadable({ file: name, number: line, reason: NOT_UTF8_REMARK });
    if (headers === undefined) headers = record;
    else if (record.length <= headers.length) rows.add(table, headers, record, line);
    else {
      const reason = `expected ${headers.length} cells, found ${record.length}`;
      watcher.unreadable({ file: name, number: line, reason });
    }
  }
  if (headers === undefined)
    throw new OperationError("invalid_argument", `There is nothing in "${name}": expected a line with columns`);
}
