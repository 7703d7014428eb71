import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fillFromTypes, type MappedSource, type Omission } from "#dc/exchange/items.ts";
import { type InventoryQuality, rateInventoryQuality } from "#dc/exchange/quality.ts";
import type { ResourceKind } from "#dc/model/resources.ts";
import { IMPORT_KINDS } from "#dc/operations/import/wire.ts";
import type { ExchangeSession } from "#dc/operations/writes/loads.ts";
import type { Cli } from "../../declaration.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { limitLines, printImportEndNote, runStoppableImport } from "../../import/run_stoppable.ts";
import { getOutputWidth, print, printJson, sanitizeLine } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { type Column, renderTable } from "../../output/table.ts";
import { printText } from "../../output/wrap_text.ts";
import { writeFile } from "../../output/write_file.ts";
import { UsageError } from "../../usage_error.ts";
import { parseDatabaseLocation } from "../database.ts";
import { ImportReporter } from "../import/import_reporter.ts";
import {
  createWaitReporter,
  type ImportStore,
  openImportService,
  retryTransaction,
  withImportStore,
} from "../import/import_store.ts";
import { createCommandCaller } from "../with_service.ts";
import type { SourceWatcher, UnreadableElement } from "./netbox_files.ts";
import {
  DEFAULT_PRUNE_LIMIT,
  type KnownResources,
  readKnownResources,
  runSync,
  type SyncChange,
  type SyncOptions,
  type SyncRefusal,
  type SyncResult,
} from "./run_sync.ts";
import type { ImportArgs, SourceName } from "./source_flags.ts";

type SourceImportArgs = ImportArgs & { readonly from: SourceName };

/** Imports another program's data into a database. @throws UsageError for flags that the source does not support. */
export async function runSourceImport(args: SourceImportArgs, cli: Cli): Promise<ExitStatus> {
  if (args.token !== undefined)
    throw new UsageError('"--token" is visible in the list of processes: expected "--token-file"');
  if (args.prune && args.sites !== undefined && args.origin === undefined) {
    // All items of the other sites would count as deleted.
    throw new UsageError('"--prune" with "--sites" needs "--origin": expected a name for the import of these sites');
  }
  const origin = requireOrigin(args.origin ?? args.from);
  const { prune, json, report, "dry-run": dryRun, db } = args;
  const read = SOURCE_READER_FACTORIES[args.from](args, origin, cli.cwd);
  const pruneLimit = args["prune-limit"] ?? DEFAULT_PRUNE_LIMIT;
  if (pruneLimit > 100) throw new UsageError(`Wrong value "${pruneLimit}" for "--prune-limit": expected 1 to 100`);
  const options = { origin, dryRun, prune, pruneLimit, json, report, cwd: cli.cwd };
  return withImportStore(parseDatabaseLocation(db, cli.cwd, args), createWaitReporter(cli, false), (opened) =>
    importFromSource(opened, read, options, cli),
  );
}

const SOURCE_READER_FACTORIES: Readonly<
  Record<SourceName, (args: SourceImportArgs, origin: string, cwd: string) => SourceReader>
> = {
  netbox:
    (args, origin, cwd) =>
    async (known, watcher): Promise<MappedSource> => {
      const { readNetbox } = await import("./netbox_source.ts");
      const { mapNetbox } = await import("#dc/exchange/netbox/map_netbox.ts");
      const { readNetboxMapping } = await import("./yaml_files.ts");
      const { mapping: file, url, sites, rate, "token-file": tokenFile } = args;
      const mapping = file === undefined ? { roles: {}, locations: {} } : readNetboxMapping(resolve(cwd, file), file);
      const slugs = sites?.split(",").map((site) => site.trim()) ?? [];
      const source = { path: requireAtMostOnePath(args), url, tokenFile, sites: slugs, rate, cwd };
      const data = await readNetbox(source, known.records, watcher);
      return mapNetbox(data, { origin, ...mapping, known: known.codes, foreign: known.foreign });
    },
  csv:
    (args, origin, cwd) =>
    async (known, watcher): Promise<MappedSource> => {
      const { readCsvTable } = await import("./csv_table.ts");
      const { mapping, encoding } = args;
      return readCsvTable(known, { file: requireOneFile(args), mapping, encoding, origin, cwd }, watcher);
    },
  containerlab:
    (args, origin, cwd) =>
    async (known): Promise<MappedSource> => {
      const { readContainerlab } = await import("./yaml_files.ts");
      return readContainerlab(known, { file: requireOneFile(args), origin, cwd });
    },
};

/** Returns the only file of the arguments. @throws UsageError for none or several */
function requireOneFile({ from, files }: SourceImportArgs): string {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new UsageError(`Expected one file for "--from ${from}", found ${files.length}`);
  return file;
}

function requireAtMostOnePath({ files, url }: SourceImportArgs): string | undefined {
  if (files.length > 1) throw new UsageError(`Unexpected argument "${files[1]}": expected one file or folder`);
  if (url !== undefined && files.length > 0) throw new UsageError('"--url" and a file exclude each other');
  return files[0];
}

function requireOrigin(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name)) return name;
  throw new UsageError(`Wrong value "${name}" for "--origin": expected 1 to 32 letters, digits, '.', '_' or '-'`);
}

/** Report of an import from a source, as `--report` writes it. */
interface ImportReport {
  readonly origin: string;
  readonly state: "done" | "tried" | "stopped";
  readonly counts: readonly SyncCounts[];
  readonly not_carried: readonly OmittedObjects[];
  readonly refused: SyncResult["refused"];
  readonly vanished: SyncResult["vanished"];
  readonly unreadable: readonly UnreadableElement[];
  readonly quality: {
    readonly inlets: number;
    readonly inlets_with_source: number;
    readonly findings: InventoryQuality["findings"];
  };
  readonly changes: readonly SyncChange[];
  /** Why nothing was deleted although `--prune` asks for it. */
  readonly prune_refused?: string;
}

interface SyncCounts {
  readonly kind: ResourceKind;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly refused: number;
}

interface OmittedObjects {
  readonly reason: string;
  readonly count: number;
  readonly objects: readonly Omit<Omission, "reason">[];
}

interface ReportInput {
  readonly origin: string;
  readonly dryRun: boolean;
  readonly result: SyncResult;
  readonly omissions: readonly Omission[];
  readonly unreadable: readonly UnreadableElement[];
  readonly quality: InventoryQuality;
}

function buildImportReport({ origin, dryRun, result, omissions, unreadable, quality }: ReportInput): ImportReport {
  return {
    origin,
    state: result.stopped ? "stopped" : dryRun ? "tried" : "done",
    counts: IMPORT_KINDS.map((kind) => countKindChanges(kind, result, unreadable)).filter(({ kind: _, ...counts }) =>
      Object.values(counts).some((count) => count > 0),
    ),
    not_carried: groupOmissionsByReason(omissions),
    refused: result.refused,
    vanished: result.vanished,
    unreadable,
    quality: { inlets: quality.inlets, inlets_with_source: quality.inletsWithSource, findings: quality.findings },
    changes: result.changes,
    ...(result.pruneRefusal !== undefined && { prune_refused: result.pruneRefusal }),
  };
}

/** Counts a row that cannot be read as refused, as `POST /import` does. */
function countKindChanges(
  kind: ResourceKind,
  { changes, unchanged, refused }: SyncResult,
  unreadable: readonly UnreadableElement[],
): SyncCounts {
  const countAction = (action: SyncChange["action"]) =>
    changes.filter((one) => one.kind === kind && one.action === action).length;
  return {
    kind,
    created: countAction("create"),
    updated: countAction("update"),
    deleted: countAction("delete"),
    unchanged: unchanged.get(kind) ?? 0,
    refused: [...refused, ...unreadable].filter((one) => one.kind === kind).length,
  };
}

/** Groups omissions by reason, the most frequent first. */
function groupOmissionsByReason(omissions: readonly Omission[]): readonly OmittedObjects[] {
  return [...Map.groupBy(omissions, ({ reason }) => reason)]
    .map(([reason, list]) => ({
      reason,
      count: list.reduce((sum, { count = 1 }) => sum + count, 0),
      objects: list.map(({ reason: _, ...rest }) => rest),
    }))
    .toSorted((a, b) => b.count - a.count);
}

const MAX_VALUE_CHARS = 60;

const COUNT_COLUMNS: readonly Column<SyncCounts>[] = [
  { title: "KIND", text: ({ kind }) => kind },
  ...(["created", "updated", "deleted", "unchanged", "refused"] as const).map(
    (name): Column<SyncCounts> => ({ title: name.toUpperCase(), text: (row) => String(row[name]), align: "right" }),
  ),
];

const NOT_CARRIED_COLUMNS: readonly Column<OmittedObjects>[] = [
  { title: "NOT CARRIED", text: ({ count }) => String(count), align: "right" },
  { title: "BECAUSE", text: ({ reason }) => reason },
  { title: "SUCH AS", text: ({ objects }) => formatExample(objects), shrinks: true },
];

function formatExample(objects: OmittedObjects["objects"]): string {
  const [first] = objects;
  if (first === undefined) return "";
  return [first.id, first.name === first.id ? "" : first.name, first.detail ?? ""]
    .filter((part) => part !== "")
    .join(" ");
}

/** Prints a report for people: results on standard output, problems on standard error. */
function printImportReport(report: ImportReport, log: StderrLogger): void {
  const width = getOutputWidth();
  if (report.state === "tried") printList(report.changes, formatChange);
  print(renderTable(report.counts, COUNT_COLUMNS, width));
  if (report.not_carried.length > 0) print(`\n${renderTable(report.not_carried, NOT_CARRIED_COLUMNS, width)}`);
  printInletQuality(report);
  for (const line of limitLines(report.unreadable, formatUnreadable, formatOmittedCount)) log.warn(line);
  for (const line of limitLines(report.refused, formatRefusal, formatOmittedCount)) log.warn(line);
  if (report.prune_refused !== undefined) log.warn(`Nothing is deleted: ${report.prune_refused}`);
  for (const line of limitLines(report.vanished, formatRefusal, formatOmittedCount)) log.note(line);
  printImportEndNote(report.state, log);
}

function formatUnreadable({ file, number, kind, code, reason }: UnreadableElement): string {
  return [number === 0 ? file : `${file} ${number}`, [kind, code].filter(Boolean).join(" "), reason]
    .filter(Boolean)
    .join(": ");
}

function printInletQuality({ quality: { inlets, inlets_with_source: sourced, findings } }: ImportReport): void {
  if (inlets === 0 && findings.length === 0) return;
  const share =
    inlets === 0 ? "no inlets" : `${Math.floor((sourced / inlets) * 100)} % of ${inlets} inlets have a source`;
  printText(`\npower: ${share}\n`);
  for (const { refs, message } of findings)
    printText(`${refs.length} ${message}, such as ${sanitizeLine(refs[0] ?? "")}\n`);
}

function formatRefusal({ ref, id, reason, place }: SyncRefusal): string {
  return `${place === undefined ? "" : `${place.file} ${place.line}: `}${ref} (${id}): ${reason}`;
}

function formatChange({ action, ref, fields }: SyncChange): string {
  const sign = { create: "+", update: "~", delete: "-" }[action];
  const changes = fields
    .map(({ field, before, after }) => `${field} ${formatValue(before)} -> ${formatValue(after)}`)
    .join(", ");
  return `${sign} ${ref}${changes === "" ? "" : `: ${changes}`}`;
}

function formatValue(value: unknown): string {
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS - 1)}…`;
}

function printList<One>(all: readonly One[], text: (one: One) => string): void {
  for (const line of limitLines(all, text, formatOmittedCount)) printText(`${line}\n`);
  if (all.length > 0) print("\n");
}

const formatOmittedCount = (count: number) => `and ${count} more: --report writes all of them`;

interface ImportFromOptions {
  /** Name of the source, by which a later import finds the resources of earlier imports. */
  readonly origin: string;
  readonly dryRun: boolean;
  readonly prune: boolean;
  /** Share of a list's objects that `prune` may delete, in percent. */
  readonly pruneLimit: number;
  readonly json: boolean;
  /** Path of a file for the complete report as JSON. */
  readonly report: string | undefined;
  readonly cwd: string;
}

type SourceReader = (known: KnownResources, watcher: SourceWatcher) => Promise<MappedSource>;

const COMMAND_CALLER = createCommandCaller("dc import");
const BATCH_SIZE = 2000;

/**
 * Imports from a source and prints a report. Returns status 1 if an item is rejected or unreadable, 130 after Ctrl-C.
 * Ctrl-C lets the current batch finish; a repeated import continues after it.
 */
function importFromSource(
  { store, close }: ImportStore,
  readSource: SourceReader,
  options: ImportFromOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const { origin, dryRun, json } = options;
  const reporter = new ImportReporter(log, json);
  return runStoppableImport(
    () => void close(),
    log,
    async (signal) => {
      try {
        const known = await readKnownResources(store, origin);
        const unreadable: UnreadableElement[] = [];
        const source = await readSource(known, {
          reportProgress: (what, done, total) => reporter.reportStep(what, done, total),
          reportUnreadable: (one) => unreadable.push(one),
          signal,
        });
        const mapped = { ...source, items: fillFromTypes(source.items, known.types) };
        const parts = { ...options, unreadable: unreadable.length, signal, reporter };
        const result = await synchronizeInventory(store, mapped, known, parts);
        const { omissions, items } = mapped;
        reporter.clear();
        const quality = rateInventoryQuality(items);
        printImportResult(buildImportReport({ origin, dryRun, result, unreadable, omissions, quality }), options, log);
        const isWhole = result.refused.length === 0 && unreadable.length === 0 && result.pruneRefusal === undefined;
        return isWhole ? EXIT_STATUS.ok : EXIT_STATUS.refused;
      } finally {
        reporter.clear();
      }
    },
  );
}

interface SynchronizeOptions extends ImportFromOptions, Pick<SyncOptions, "unreadable"> {
  readonly signal: AbortSignal;
  readonly reporter: ImportReporter;
}

async function synchronizeInventory(
  store: ImportStore["store"],
  mapped: MappedSource,
  known: KnownResources,
  { origin, prune, pruneLimit, dryRun, unreadable, signal, reporter }: SynchronizeOptions,
): Promise<SyncResult> {
  const wait = { waiting: reporter.reportWait, stopped: () => signal.aborted };
  const service = await openImportService(store, wait);
  const requestOptions = { requestId: randomUUID(), message: `Import from ${origin}` };
  const exchange = <Result>(work: (session: ExchangeSession) => Promise<Result>, validateOnly: boolean) =>
    retryTransaction(
      (begin) => service.exchange(begin, COMMAND_CALLER, { ...requestOptions, validateOnly }),
      work,
      wait,
    );
  const syncOptions = {
    origin,
    prune,
    pruneLimit,
    unreadable,
    size: BATCH_SIZE,
    progress: (done: number, total: number) => reporter.reportStep("writing", done, total),
    stopped: wait.stopped,
  };
  if (!dryRun) return runSync(mapped, known.records, (work) => exchange(work, false), syncOptions);
  return exchange((session) => runSync(mapped, known.records, (work) => work(session), syncOptions), true);
}

function printImportResult(
  report: ImportReport,
  { json, report: file, cwd }: ImportFromOptions,
  log: StderrLogger,
): void {
  if (file !== undefined) {
    writeFile(resolve(cwd, file), `${JSON.stringify(report, null, 2)}\n`);
  }
  if (json) printJson({ event: "end", ...report });
  else printImportReport(report, log);
}
