import { readdirSync, statSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { addDumpedObject, type NetboxDataset } from "#dc/exchange/netbox/dataset.ts";
import { readRow } from "#dc/exchange/netbox/read_row.ts";
import { NETBOX_TABLES, TABLE_NAMES, type TableName } from "#dc/exchange/netbox/tables.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { NOT_UTF8_REMARK, readJsonElements } from "./json_elements.ts";

/** A file, element or line of a source that could not be read. */
export interface UnreadableElement {
  /** Name of the file or list in messages. */
  readonly file: string;
  /** Number of the element, record or line, from 1; 0 for the whole file. */
  readonly number: number;
  /** Kind and name of the row's resource, if they can be read. */
  readonly kind?: string;
  readonly code?: string;
  readonly reason: string;
}

/** Callbacks and abort signal while a source is read. */
export interface SourceWatcher {
  /** Reports how many elements of a file or list are read, and their total if it is known. */
  readonly reportProgress: (what: string, done: number, total: number | undefined) => void;
  readonly reportUnreadable: (one: UnreadableElement) => void;
  readonly signal: AbortSignal;
}

/** Number of rows between two progress reports. */
const STEP = 5000;

/** Reports the progress in a file after every 5000 rows. @throws OperationError aborted if the import was stopped */
export function reportProgress(watcher: SourceWatcher, file: string, row: number): void {
  if (row % STEP !== 0) return;
  watcher.reportProgress(file, row, undefined);
  requireRunningImport(watcher);
}

/** @throws OperationError aborted if the import was stopped while its source was read */
export function requireRunningImport({ signal }: SourceWatcher): void {
  if (signal.aborted) throw new OperationError("aborted", "Stopped while reading the source: nothing was written");
}

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
  readElements({ path, name: shown }, watcher, (value, onInvalid) => {
    if (!addDumpedObject(data, value)) onInvalid("expected an object with model, pk and fields");
  });
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
  const pages = new Map<TableName, ListTotals>();
  const wanted = { folder, shown, extension: ".json", examples: "devices.json or dcim/racks.json" };
  for (const { table, ...file } of listTableFiles(data, wanted)) {
    data.listedTables.add(table);
    const { read, count } = readElements(file, watcher, (value, onInvalid) =>
      addRestObject(data, table, value, onInvalid),
    );
    const before = pages.get(table);
    const total = Math.max(count, before?.count ?? 0);
    pages.set(table, { name: file.name, read: read + (before?.read ?? 0), count: total });
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

/** Passes the elements of a file to `add`. Returns their number, and the total of the list according to the file. */
function readElements(
  { path, name }: SourceFile,
  watcher: SourceWatcher,
  add: (value: unknown, onInvalid: (reason: string) => void) => void,
) {
  let read = 0;
  let count = 0;
  const counted = (total: number) => {
    count = total;
  };
  for (const element of readJsonElements(path, name, counted)) {
    read += 1;
    reportProgress(watcher, name, read);
    const onInvalid = (reason: string) => watcher.reportUnreadable({ file: name, number: element.number, reason });
    if ("reason" in element) onInvalid(element.reason);
    else {
      if (element.isDamaged) onInvalid(NOT_UTF8_REMARK);
      add(element.value, onInvalid);
    }
  }
  return { read, count };
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
  if (isJsonObject(value)) data.noteUnreadKeys(table, value);
}

/** A file to read, with its name in messages. */
interface SourceFile {
  readonly path: string;
  readonly name: string;
}

interface WantedFiles {
  readonly folder: string;
  readonly shown: string;
  readonly extension: string;
  /** Names of such files, for the error. */
  readonly examples: string;
}

/** Lists the files that are named after a table, and notes other files as unread. @throws OperationError without any */
export function listTableFiles(data: NetboxDataset, { folder, shown, extension, examples }: WantedFiles) {
  const files = listFilesByExtension(folder, extension).map((path) => {
    const name = relative(folder, path);
    return { path, name, table: findTableByFileName(name) };
  });
  if (!files.some(({ table }) => table !== undefined))
    throw new OperationError("not_found", `No list of NetBox in "${shown}": expected files such as ${examples}`);
  return files.flatMap(({ path, name, table }) => {
    if (table !== undefined) return [{ path, name: join(shown, name), table }];
    data.countUnread(`file ${name}`);
    return [];
  });
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
