import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fillFromTypes } from "#dc/exchange/fill_from_types.ts";
import type { MappedSource } from "#dc/exchange/item.ts";
import { judgeQuality } from "#dc/exchange/quality.ts";
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
import { buildImportReport, type ImportReport, printReport } from "./report.ts";
import { runSync, type SyncOptions, type SyncResult } from "./run_sync.ts";
import type { SourceWatcher, Unreadable } from "./source_error.ts";

export interface ImportFromOptions {
  /** Name of the source, by which a later import finds the resources of earlier imports. */
  readonly origin: string;
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly json: boolean;
  /** Path of a file for the complete report as JSON. */
  readonly report: string | undefined;
  readonly cwd: string;
}

export type SourceReader = (known: KnownResources, watcher: SourceWatcher) => Promise<MappedSource>;

const CALLER = createCommandCaller("dc import");
const BATCH = 2000;

/**
 * Imports from a source and prints a report. Returns status 1 if an item is rejected or unreadable, 130 after Ctrl-C.
 * Ctrl-C lets the current batch finish; a repeated import continues after it.
 */
export function importFromSource(
  { store, close }: ImportStore,
  read: SourceReader,
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
        const unreadable: Unreadable[] = [];
        const source = await read(known, {
          progress: (what, done, total) => reporter.step(what, done, total),
          unreadable: (one) => unreadable.push(one),
          signal,
        });
        const mapped = { ...source, items: fillFromTypes(source.items, known.types) };
        const parts = { ...options, unreadable: unreadable.length, signal, reporter };
        const result = await synchronize(store, mapped, known, parts);
        const { omissions, items } = mapped;
        reporter.clear();
        const quality = judgeQuality(items);
        printImportResult(buildImportReport({ origin, dryRun, result, unreadable, omissions, quality }), options, log);
        return result.refused.length > 0 || unreadable.length > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
      } finally {
        reporter.clear();
      }
    },
  );
}

interface SyncParts extends ImportFromOptions, Pick<SyncOptions, "unreadable"> {
  readonly signal: AbortSignal;
  readonly reporter: ImportReporter;
}

async function synchronize(
  store: ImportStore["store"],
  mapped: MappedSource,
  known: KnownResources,
  { origin, prune, dryRun, unreadable, signal, reporter }: SyncParts,
): Promise<SyncResult> {
  const wait = { waiting: reporter.waiting, stopped: () => signal.aborted };
  const service = await openImportService(store, wait);
  const told = { requestId: randomUUID(), message: `Import from ${origin}` };
  const exchange = <Result>(work: (session: ExchangeSession) => Promise<Result>, validateOnly: boolean) =>
    retryTransaction((begin) => service.exchange(begin, CALLER, { ...told, validateOnly }), work, wait);
  const syncOptions = {
    origin,
    prune,
    unreadable,
    size: BATCH,
    progress: (done: number, total: number) => reporter.step("writing", done, total),
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
  else printReport(report, log);
}
