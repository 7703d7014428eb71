import { join, relative } from "node:path";
import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import type { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import type { TableName } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { readCsvRecords } from "../import/csv_records.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import { findTableByFileName, listFilesByExtension } from "./netbox_files.ts";
import { requireRunningImport, type SourceWatcher } from "./source_error.ts";

const PROGRESS_LINES = 5000;

/** Reads a folder of NetBox's CSV exports, each named after its list: `devices.csv`, `netbox_power feeds.csv`. */
export async function readNetboxCsvFolder(
  data: NetboxDataset,
  folder: string,
  shown: string,
  watcher: SourceWatcher,
): Promise<void> {
  const files = listFilesByExtension(folder, ".csv").map((path) => ({
    path,
    table: findTableByFileName(relative(folder, path)),
  }));
  if (!files.some(({ table }) => table !== undefined)) {
    throw new OperationError(
      "not_found",
      `No list of NetBox in "${shown}": expected files such as devices.json, dcim/racks.json or devices.csv`,
    );
  }
  const rows = new CsvRowReader(data, (table, id, reason) =>
    watcher.reportUnreadable({ file: `${table}/${id}`, number: 0, reason }),
  );
  for (const { path, table } of files) {
    const name = join(shown, relative(folder, path));
    if (table === undefined) data.countUnread(`file ${relative(folder, path)}`);
    else {
      data.listedTables.add(table);
      await readCsvExport(rows, table, { path, name }, watcher);
    }
  }
  rows.addRowsToDataset();
}

async function readCsvExport(
  rows: CsvRowReader,
  table: TableName,
  { path, name }: { readonly path: string; readonly name: string },
  watcher: SourceWatcher,
): Promise<void> {
  let headers: readonly string[] | undefined;
  for await (const { record, line } of readCsvRecords(path, name)) {
    if (line % PROGRESS_LINES === 0) {
      watcher.reportProgress(name, line, undefined);
      requireRunningImport(watcher);
    }
    if (record.some((cell) => cell.includes("\ufffd")))
      watcher.reportUnreadable({ file: name, number: line, reason: NOT_UTF8_REMARK });
    if (headers === undefined) headers = record;
    else if (record.length <= headers.length) rows.addRecord(table, headers, record, line);
    else {
      const reason = `expected ${headers.length} cells, found ${record.length}`;
      watcher.reportUnreadable({ file: name, number: line, reason });
    }
  }
  if (headers === undefined)
    throw new OperationError("invalid_argument", `There is nothing in "${name}": expected a line with columns`);
}
