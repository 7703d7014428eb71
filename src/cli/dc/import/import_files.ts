import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import type { ResourceKind } from "#dc/model/resources.ts";
import {
  type BadLine,
  findKind,
  getLineSubject,
  type ImportSource,
  type ImportTarget,
  ImportUndone,
  joinSources,
  KINDS,
  parseResourceJson,
  type ResourceLine,
  runImport,
} from "#dc/operations/import/run_import.ts";
import { type CsvRecord, setDefaultFace } from "#dc/operations/import/sheet.ts";
import { IMPORT_KINDS } from "#dc/operations/import/wire.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { runStoppableImport } from "../../import/run_stoppable.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { assertIsNoDatabase, wrapWriteErrors } from "../../output/write_file.ts";
import { formatSuggestion, UsageError } from "../../usage_error.ts";
import { type CsvColumn, listCsvColumns, requireKind } from "../csv_columns.ts";
import { parseDatabaseLocation } from "../database.ts";
import type { ImportArgs } from "../exchange/source_flags.ts";
import { resolveServerAddress } from "../server_address.ts";
import type { Encoding } from "./encoding.ts";
import { ImportReporter } from "./import_reporter.ts";
import {
  createDatabaseTarget,
  createWaitReporter,
  type ImportStore,
  openImportService,
  withImportStore,
} from "./import_store.ts";
import {
  type FileSpan,
  openTextFile,
  readCsvFile,
  readFirstCharacters,
  readLines,
  type TextFile,
} from "./text_file.ts";

type ImportFormat = "jsonl" | "csv" | "json";

interface ImportOptions {
  /** Paths as given; `-` is standard input. */
  readonly files: readonly string[];
  readonly format: ImportFormat | undefined;
  /** Kind of the lines of a CSV file. */
  readonly kind: ResourceKind | undefined;
  readonly errors: string | undefined;
  /** Encoding of files without a byte order mark. */
  readonly encoding: Encoding;
  readonly atomic: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly cwd: string;
}

/** Imports files. Returns status 1 if an item is rejected, 130 after Ctrl-C, which lets the current batch finish. */
export async function importFiles(
  openTarget: () => Promise<ImportTarget>,
  options: ImportOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  assertErrorsFileIsNoInput(options);
  return importSource(openTarget, joinSources(await openSources(options)), options, log);
}

/** @throws UsageError if the errors file is also an input, because it would be emptied first */
function assertErrorsFileIsNoInput({ files, errors, cwd }: ImportOptions): void {
  const getFileIdentity = (name: string) => {
    const there = statSync(resolve(cwd, name), { throwIfNoEntry: false, bigint: true });
    return there?.isFile() === true ? `${there.dev}/${there.ino}` : undefined;
  };
  const written = errors === undefined ? undefined : getFileIdentity(errors);
  const read = files
    .flatMap((one) => expandImportPath(one, cwd))
    .find((one) => one !== "-" && getFileIdentity(one) === written);
  if (written !== undefined && read !== undefined)
    throw new UsageError(`"--errors" "${errors}" is the file "${read}" that is imported: expected another file`);
}

/** Options of an import except its files. */
type ImportSourceOptions = Pick<ImportOptions, "errors" | "atomic" | "dryRun" | "json" | "cwd">;

/** Imports from any source and closes it at the end. */
export async function importSource(
  open: () => Promise<ImportTarget>,
  source: ImportSource,
  options: ImportSourceOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const reporter = new ImportReporter(log, options.json);
  try {
    const errors = options.errors === undefined ? undefined : openErrorsFile(resolve(options.cwd, options.errors));
    try {
      const target = await open();
      return await runStoppableImport(target.interrupt, log, (signal) =>
        runReportedImport(source, target, { ...options, reporter, errors, signal }),
      );
    } finally {
      errors?.close();
    }
  } finally {
    source.close();
  }
}

export async function openDatabaseTarget(
  { store, close }: ImportStore,
  { atomic, dryRun }: Pick<ImportOptions, "atomic" | "dryRun">,
  waiting: () => void,
): Promise<ImportTarget> {
  const service = await openImportService(store, { waiting, stopped: () => false });
  return createDatabaseTarget(service, {
    whole: atomic || dryRun,
    validateOnly: dryRun,
    interrupt: () => void close(),
  });
}

interface ReportedImportOptions extends Omit<ImportSourceOptions, "errors"> {
  readonly reporter: ImportReporter;
  readonly errors: ErrorsFile | undefined;
  readonly signal: AbortSignal;
}

async function runReportedImport(
  source: ImportSource,
  target: ImportTarget,
  options: ReportedImportOptions,
): Promise<ExitStatus> {
  const { reporter, errors, atomic, dryRun, signal } = options;
  try {
    const result = await runImport(source, target, {
      atomic,
      reportProgress: (done, total) => reporter.reportProgress(done, total),
      waiting: reporter.reportWait,
      reportFailure: (line) => {
        reporter.reportFailure(line);
        errors?.add(line);
      },
      stopped: () => signal.aborted,
    });
    reporter.reportEnd(result, result.stopped ? "stopped" : dryRun ? "tried" : "done");
    const failed = result.unreadable > 0 || result.counts.some((count) => count.failed > 0);
    return failed ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } catch (error) {
    if (!(error instanceof ImportUndone)) throw error;
    reporter.reportEnd(error.result, "undone");
    return EXIT_STATUS.refused;
  }
}

async function openSources(options: ImportOptions): Promise<readonly ImportSource[]> {
  const sources: ImportSource[] = [];
  try {
    for (const file of options.files.flatMap((one) => expandImportPath(one, options.cwd))) {
      sources.push(await openSource(file, options));
    }
    return sources;
  } catch (error) {
    for (const source of sources) source.close();
    throw error;
  }
}

/** Lists the CSV files of a folder that are named after a kind. Returns any other path itself. */
function expandImportPath(file: string, cwd: string): readonly string[] {
  const path = resolve(cwd, file);
  if (file === "-" || !existsSync(path) || !statSync(path).isDirectory()) return [file];
  const found = readdirSync(path).filter((name) => extname(name) === ".csv" && findKindByFileName(name) !== undefined);
  if (found.length > 0) return found.toSorted().map((name) => join(file, name));
  throw new OperationError(
    "not_found",
    `There is no CSV file of a kind in "${file}": expected devices.csv or the like`,
  );
}

async function openSource(name: string, { format, kind, encoding, cwd }: ImportOptions): Promise<ImportSource> {
  const isStream = name === "-";
  const file = openTextFile(isStream ? name : resolve(cwd, name), isStream ? "standard input" : name, encoding);
  try {
    switch (format ?? detectFormat(name, file, kind)) {
      case "jsonl":
        return openJsonLinesSource(file);
      case "json":
        return openJsonItemsSource(file);
      default:
        return await openCsvSource(file, kind ?? findKindByFileName(name) ?? throwMissingKind(name));
    }
  } catch (error) {
    file.close();
    throw error;
  }
}

const LISTS_START = /^\uFEFF?\s*\{\s*"(?:racks|devices|cracs|cables|fabric_links)"\s*:/;

function detectFormat(name: string, file: TextFile, kind: ResourceKind | undefined): ImportFormat {
  const extension = extname(name).toLowerCase();
  if (extension === ".csv") return "csv";
  const beginning = readFirstCharacters(file);
  if (LISTS_START.test(beginning)) return "json";
  return kind !== undefined && extension === "" && !/^\uFEFF?\s*\{/.test(beginning) ? "csv" : "jsonl";
}

/** Returns the kind that a CSV file is named after: `devices.csv`, `device.csv`. */
function findKindByFileName(name: string): ResourceKind | undefined {
  return findKind(basename(name, extname(name)));
}

function throwMissingKind(name: string): never {
  throw new UsageError(`Cannot tell what the lines of "${name}" are: expected "--kind", or a name like devices.csv`);
}

/** A file of rejected items, one JSON object per line: file, line, kind, code, field, reason and the item. */
interface ErrorsFile {
  add(line: BadLine): void;
  close(): void;
}

/** Empties or creates the file. @throws OperationError if it cannot be written. */
function openErrorsFile(path: string): ErrorsFile {
  assertIsNoDatabase(path);
  const descriptor = wrapWriteErrors(path, () => openSync(path, "w"));
  return {
    add(bad) {
      const { file, number, field, reason, item } = bad;
      const given = typeof item === "string" ? parseJsonOrKeep(item) : { [item.kind]: item.json };
      const line = `${JSON.stringify({ file, line: number, ...getLineSubject(bad), field, reason, item: given })}\n`;
      wrapWriteErrors(path, () => writeFileSync(descriptor, line));
    },
    close: () => closeSync(descriptor),
  };
}

function parseJsonOrKeep(text: string): unknown {
  const parsed = tryParseJson(text);
  return parsed === undefined ? text : parsed;
}

const FIRST_KEY = /^\s*\{\s*"([a-z_]+)"\s*:/;

/** Opens a JSON Lines file: reads it once to find the lines of each kind, then reads one kind at a time. */
function openJsonLinesSource(file: TextFile): ImportSource {
  const found = new Map<ResourceKind, { count: number; span: FileSpan }>();
  let bad = 0;
  for (const { number, at, text } of readLines(file)) {
    const kind = detectKind(text);
    if (typeof kind !== "string") bad += 1;
    else {
      const to = at + Buffer.byteLength(text) + 1;
      const before = found.get(kind);
      if (before === undefined) found.set(kind, { count: 1, span: { from: at, to, line: number } });
      else found.set(kind, { count: before.count + 1, span: { ...before.span, to } });
    }
  }
  return {
    counts: new Map([...found].map(([kind, { count }]) => [kind, count])),
    *readBadLines() {
      if (bad === 0) return;
      for (const { number, text } of readLines(file)) {
        const kind = detectKind(text);
        if (typeof kind !== "string") yield { file: file.displayName, number, item: text, ...kind };
      }
    },
    *readLines(kind): Generator<ResourceLine> {
      const part = found.get(kind);
      if (part === undefined) return;
      for (const { number, text } of readLines(file, part.span)) {
        if (detectKind(text) === kind) yield { file: file.displayName, number, item: text };
      }
    },
    close: () => file.close(),
  };
}

/** Detects the kind of a line by its beginning, or else by parsing it, or returns why it has none. */
function detectKind(text: string): ResourceKind | { readonly reason: string } {
  const key = FIRST_KEY.exec(text)?.[1];
  try {
    return IMPORT_KINDS.find((kind) => kind === key) ?? parseResourceJson(text).kind;
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

const IMPORT_LIST_NAMES = KINDS.map(({ list }) => list);

/** Opens a CSV file of one kind with column names in its first record. @throws OperationError for an unknown column */
async function openCsvSource(file: TextFile, kind: ResourceKind): Promise<ImportSource> {
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

/**
 * Opens one JSON object with lists of items, in the form of upsert requests: `{"racks": […], "devices": […]}`. Items
 * are numbered by their position in the list, from 1. Memory: the whole file.
 * @throws OperationError for any other content
 */
function openJsonItemsSource(file: TextFile): ImportSource {
  const lists = new Map<ResourceKind, readonly unknown[]>();
  for (const [name, list] of Object.entries(readJsonObject(file))) {
    const kind = IMPORT_LIST_NAMES.some((one) => one === name) ? findKind(name) : undefined;
    if (kind === undefined)
      throw createFormatError(file, `unknown field "${name}", expected ${IMPORT_LIST_NAMES.join(", ")}`);
    if (!Array.isArray(list)) throw createFormatError(file, `field "${name}" is no list`);
    lists.set(kind, list);
  }
  return {
    counts: new Map([...lists].map(([kind, { length }]) => [kind, length])),
    readBadLines: () => [],
    *readLines(kind): Generator<ResourceLine> {
      for (const [index, item] of (lists.get(kind) ?? []).entries()) {
        yield { file: file.displayName, number: index + 1, item: JSON.stringify({ [kind]: item }, replaceInfinity) };
      }
    },
    close: () => file.close(),
  };
}

/** Converts an infinite number to its name, which validation rejects with the field. JSON would write null. */
function replaceInfinity(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? String(value) : value;
}

function readJsonObject(file: TextFile): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw createFormatError(file, (error as Error).message);
  }
  if (isJsonObject(value)) return value;
  throw createFormatError(file, `expected an object with ${IMPORT_LIST_NAMES.join(", ")}`);
}

function createFormatError({ displayName }: TextFile, what: string): OperationError {
  return new OperationError("invalid_argument", `Cannot read "${displayName}" as JSON: ${what}`);
}

/** Maximum wait for one batch, in seconds. */
const IMPORT_TIMEOUT_S = 300;

/** Imports files into a database, or with `--url` into a running server. @throws UsageError for conflicting flags */
export async function runImportCommand(args: ImportArgs, cli: Cli): Promise<ExitStatus> {
  const { files, db, format, kind, errors, encoding = "utf-8", atomic, "dry-run": dryRun, json, url, token } = args;
  const requiredKind = kind === undefined ? undefined : requireKind(kind);
  const options = { files, format, kind: requiredKind, errors, encoding, atomic, dryRun, json, cwd: cli.cwd };
  if (url !== undefined) {
    if (db !== undefined) throw new UsageError('"--url" and "--db" exclude each other');
    if (atomic || dryRun)
      throw new UsageError('"--atomic" and "--dry-run" exclude "--url": a server writes in several transactions');
    const { createServerTarget } = await import("./server_target.ts");
    const address = resolveServerAddress({ url, token, timeout: IMPORT_TIMEOUT_S }, cli.cwd);
    return importFiles(async () => createServerTarget(address), options, cli);
  }
  if (token !== undefined) throw new UsageError('"--token" needs "--url <address>"');
  const waiting = createWaitReporter(cli, false);
  return withImportStore(parseDatabaseLocation(db, cli.cwd, args), waiting, (opened) =>
    importFiles(() => openDatabaseTarget(opened, options, waiting), options, cli),
  );
}
