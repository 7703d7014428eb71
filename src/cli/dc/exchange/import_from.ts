import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fillFromTypes } from "#dc/exchange/fill_from_types.ts";
import type { MappedSource } from "#dc/exchange/item.ts";
import { rateInventoryQuality } from "#dc/exchange/quality.ts";
import type { ExchangeSession } from "#dc/operations/writes/exchange.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { runStoppableImport } from "../../import/run_stoppable.ts";
import { printJson } from "../../output/print.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { writeFile } from "../../output/write_file.ts";
import { ImportReporter } from "../import/import_reporter.ts";
import { type ImportStore, openImportService, retryTransaction } from "../import/import_store.ts";
import { createCommandCaller } from "../with_service.ts";
import { type KnownResources, readKnownResources } from "./known_resources.ts";
import { buildImportReport, type ImportReport, printImportReport } from "./report.ts";
import { runSync, type SyncOptions, type SyncResult } from "./run_sync.ts";
import type { SourceWatcher, UnreadableElement } from "./source_error.ts";

export interface ImportFromOptions {
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

export type SourceReader = (known: KnownResources, watcher: SourceWatcher) => Promise<MappedSource>;

const COMMAND_CALLER = createCommandCaller("dc import");
const BATCH_SIZE = 2000;

/**
 * Imports from a source and prints a report. Returns status 1 if an item is rejected or unreadable, 130 after Ctrl-C.
 * Ctrl-C lets the current batch finish; a repeated import continues after it.
 */
export function importFromSource(
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
