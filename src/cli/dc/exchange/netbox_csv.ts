import { CsvRowReader } from "#dc/exchange/netbox/csv_rows.ts";
import type { NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import type { TableName } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { isBlankRecord } from "#words/spreadsheet.ts";
import { readCsvFile } from "../import/text_file.ts";
import { NOT_UTF8_REMARK } from "./json_elements.ts";
import { listTableFiles, reportProgress, type SourceWatcher } from "./netbox_files.ts";

/** Reads a folder of NetBox's CSV exports, each named after its list: `devices.csv`, `netbox_power feeds.csv`. */
export async function readNetboxCsvFolder(
  data: NetboxDataset,
  folder: string,
  shown: string,
  watcher: SourceWatcher,
): Promise<void> {
  const examples = "devices.json, dcim/racks.json or devices.csv";
  const files = listTableFiles(data, { folder, shown, extension: ".csv", examples });
  const rows = new CsvRowReader(data, (table, id, reason) =>
    watcher.reportUnreadable({ file: `${table}/${id}`, number: 0, reason }),
  );
  for (const { table, ...file } of files) {
    data.listedTables.add(table);
    await readCsvExport(rows, table, file, watcher);
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
  for await (const { record, line } of readCsvFile(path, name)) {
    reportProgress(watcher, name, line);
    if (record.some((cell) => cell.includes("\ufffd")))
      watcher.reportUnreadable({ file: name, number: line, reason: NOT_UTF8_REMARK });
    if (headers === undefined) {
      headers = record;
      rows.noteHeaders(table, headers);
    } else if (isBlankRecord(record.slice(headers.length))) rows.addRecord(table, headers, record);
    else {
      const reason = `expected ${headers.length} cells, found ${record.length}`;
      watcher.reportUnreadable({ file: name, number: line, reason });
    }
  }
  if (headers === undefined)
    throw new OperationError("invalid_argument", `There is nothing in "${name}": expected a line with columns`);
}
