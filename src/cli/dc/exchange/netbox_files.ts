import { readdirSync, statSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { addDumpedObject, type NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import { NETBOX_TABLES, TABLE_NAMES, type TableName } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { type JsonElement, NOT_UTF8_REMARK, readJsonElements } from "./json_elements.ts";
import { requireRunningImport, type SourceWatcher } from "./source_error.ts";

/** Number of rows between two progress reports. */
const PROGRESS_ROWS = 5000;

/** Tables by the names that their files may have: `devices`, `dcim_devices`, `dcim.devices`, `device`. */
const TABLES_BY_NAME: ReadonlyMap<string, TableName> = new Map(
  TABLE_NAMES.flatMap((table) => {
    const path: string = NETBOX_TABLES[table].path;
    const list = path.slice(path.indexOf("/") + 1);
    return [path, list, table].map((name) => [normalizeName(name), table] as const);
  }),
);

/** Reads a dump that NetBox's `manage.py dumpdata` wrote. */
export function readNetboxDump(data: NetboxDataset, path: string, shown: string, watcher: SourceWatcher): void {
  let count = 0;
  for (const element of readJsonElements(path, shown)) {
    count += 1;
    if (count % PROGRESS_ROWS === 0) {
      watcher.reportProgress(shown, count, undefined);
      requireRunningImport(watcher);
    }
    reportElementDamage(shown, element, watcher);
    if ("reason" in element) watcher.reportUnreadable({ file: shown, ...element });
    else if (!addDumpedObject(data, element.value)) {
      const reason = "expected an object with model, pk and fields";
      watcher.reportUnreadable({ file: shown, number: element.number, reason });
    }
  }
}

/** Returns whether the first element of a JSON list has the form of a dump. */
export function isNetboxDump(path: string, shown: string): boolean {
  for (const element of readJsonElements(path, shown)) {
    return (
      "value" in element &&
      isJsonObject(element.value) &&
      typeof element.value["model"] === "string" &&
      isJsonObject(element.value["fields"])
    );
  }
  return false;
}

/**
 * Reads a folder of REST lists, each a list of objects or a page with `results`; several pages of one list are
 * `devices-1.json`, `devices-2.json`. Files with other names are noted as unread.
 * @throws OperationError for a folder without a list
 */
export function readNetboxListFolder(data: NetboxDataset, folder: string, shown: string, watcher: SourceWatcher): void {
  const files = listFilesByExtension(folder, ".json").map((path) => ({
    path,
    table: findTableByFileName(relative(folder, path)),
  }));
  if (!files.some(({ table }) => table !== undefined)) {
    throw new OperationError(
      "not_found",
      `No list of NetBox in "${shown}": expected files such as devices.json or dcim/racks.json`,
    );
  }
  const pages = new Map<TableName, ListTotals>();
  for (const { path, table } of files) {
    const name = join(shown, relative(folder, path));
    if (table === undefined) data.countUnread(`file ${relative(folder, path)}`);
    else {
      const { read, count } = readListFile(data, table, { path, name }, watcher);
      const before = pages.get(table);
      pages.set(table, { name, read: read + (before?.read ?? 0), count: Math.max(count, before?.count ?? 0) });
    }
  }
  for (const { name, read, count } of pages.values()) {
    if (read >= count) continue;
    const reason = `the list has ${count} elements, and its files ${read}: expected all of its pages`;
    watcher.reportUnreadable({ file: name, number: 0, reason });
  }
}

/** Totals of the files of one list. */
interface ListTotals {
  /** Name of the last file. */
  readonly name: string;
  readonly read: number;
  /** Total number of elements of the list according to its files; 0 if the files state no total. */
  readonly count: number;
}

function readListFile(
  data: NetboxDataset,
  table: TableName,
  file: { path: string; name: string },
  watcher: SourceWatcher,
) {
  data.listedTables.add(table);
  let count = 0;
  let total = 0;
  const counted = (all: number) => {
    total = all;
  };
  for (const element of readJsonElements(file.path, file.name, counted)) {
    count += 1;
    if (count % PROGRESS_ROWS === 0) {
      watcher.reportProgress(file.name, count, undefined);
      requireRunningImport(watcher);
    }
    reportElementDamage(file.name, element, watcher);
    if ("reason" in element) watcher.reportUnreadable({ file: file.name, ...element });
    else
      addRestObject(data, table, element.value, (reason) =>
        watcher.reportUnreadable({ file: file.name, number: element.number, reason }),
      );
  }
  return { read: count, count: total };
}

function reportElementDamage(file: string, element: JsonElement, watcher: SourceWatcher): void {
  if ("isDamaged" in element && element.isDamaged)
    watcher.reportUnreadable({ file, number: element.number, reason: NOT_UTF8_REMARK });
}

/** Adds an object of a REST list to the dataset. */
export function addRestObject(
  data: NetboxDataset,
  table: TableName,
  value: unknown,
  onInvalid: (reason: string) => void,
): void {
  const row = isJsonObject(value) ? readRow(table, value["id"], value) : undefined;
  if (row === undefined) onInvalid("expected an object with an id");
  else data.addRow(table, row);
}

/** Lists the files with an extension in a folder and its subfolders, sorted. */
export function listFilesByExtension(folder: string, extension: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => extname(name).toLowerCase() === extension)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .toSorted();
}

/** Returns the table that a file is named after, or undefined. */
export function findTableByFileName(name: string): TableName | undefined {
  const stem = name.slice(0, name.length - extname(name).length);
  const numbered = /[-_. ]?(?:page[-_ ]?)?\d+$/i;
  for (const one of [stem, basename(stem)]) {
    const table =
      TABLES_BY_NAME.get(normalizeName(one)) ?? TABLES_BY_NAME.get(normalizeName(one.replace(numbered, "")));
    if (table !== undefined) return table;
  }
  // NetBox names its CSV exports `netbox_power feeds.csv`.
  return TABLES_BY_NAME.get(normalizeName(basename(stem)).replace(/^netbox/, ""));
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[^a-z]+/g, "");
}
