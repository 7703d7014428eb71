import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fillFromTypes } from "#dc/exchange/fill_from_types.ts";
import type { Mapped } from "#dc/exchange/item.ts";
import { judgeQuality } from "#dc/exchange/quality.ts";
import { openService } from "#dc/open_service.ts";
import type { ExchangeSession } from "#dc/operations/writes/exchange.ts";
import { OperationError } from "#kernel/errors.ts";
import { EXIT_STATUS, type ExitStatus } from "../../exit_status.ts";
import { printJson } from "../../output/print.ts";
import { openProgressBar } from "../../output/progress_bar.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { writeFile } from "../../output/write_file.ts";
import { commandCaller } from "../command_caller.ts";
import type { ImportStore } from "../import/import_store.ts";
import { Stop } from "../import/stop.ts";
import { inTurn, transactionInTurn, WAITING } from "../import/turn.ts";
import { type KnownResources, knownResources } from "./known_resources.ts";
import { printReport } from "./print_report.ts";
import { type ImportReport, importReport } from "./report.ts";
import { runSync, type SyncOptions, type SyncResult } from "./run_sync.ts";
import type { SourceWatcher, Unreadable } from "./source_error.ts";

export interface ImportFromOptions {
  /** Name of the source; its earlier imports are found by this name. */
  readonly origin: string;
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly json: boolean;
  /** File for the whole report, as JSON. */
  readonly report: string | undefined;
  readonly cwd: string;
}

export type ReadSource = (known: KnownResources, watcher: SourceWatcher) => Promise<Mapped>;

const CALLER = commandCaller("dc import");
const BATCH = 2000;
const PROGRESS_MS = 1000;

/**
 * Imports from a source and reports it. Status 1 if something was refused or unreadable, 130 after Ctrl-C: the current
 * batch is finished, and a repeated import continues there.
 */
export async function importFrom(
  { store, close }: ImportStore,
  read: ReadSource,
  options: ImportFromOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const stop = new Stop(() => void close());
  const progress = new Progress(options.json, log);
  try {
    const known = await knownResources(store, options.origin);
    const unreadable: Unreadable[] = [];
    const source = await read(known, {
      progress: (what, done, total) => progress.show(what, done, total),
      unreadable: (one) => unreadable.push(one),
      signal: stop.signal,
    });
    const mapped = { ...source, items: fillFromTypes(source.items, known.types) };
    const result = await sync(store, mapped, known, { ...options, unreadable: unreadable.length, stop, progress });
    const parts = { result, unreadable, omissions: mapped.omissions, quality: judgeQuality(mapped.items) };
    const report = importReport({ origin: options.origin, dryRun: options.dryRun, ...parts });
    progress.end();
    tell(report, options, log);
    if (stop.status !== undefined) return stop.status;
    return result.refused.length > 0 || unreadable.length > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  } catch (error) {
    progress.end();
    if (stop.status === undefined || !(error instanceof OperationError)) throw error;
    log.warn(error.message);
    return stop.status;
  } finally {
    stop.close();
  }
}

async function sync(
  store: ImportStore["store"],
  mapped: Mapped,
  known: KnownResources,
  {
    origin,
    prune,
    dryRun,
    unreadable,
    stop,
    progress,
  }: ImportFromOptions & Pick<SyncOptions, "unreadable"> & { readonly stop: Stop; readonly progress: Progress },
): Promise<SyncResult> {
  const wait = { waiting: () => progress.wait(), stopped: () => stop.signal.aborted };
  const opening = { clock: { now: () => new Date() }, authRequired: false };
  const service = await inTurn(() => openService(store, opening), wait);
  const exchange = <Result>(work: (session: ExchangeSession) => Promise<Result>, validateOnly: boolean) => {
    const inSession = (begun: () => void) => (session: ExchangeSession) => {
      begun();
      return work(session);
    };
    return transactionInTurn((begun) => service.exchange(inSession(begun), CALLER, { ...told, validateOnly }), wait);
  };
  const told = { requestId: randomUUID(), message: `Import from ${origin}` };
  const syncOptions = {
    origin,
    prune,
    unreadable,
    batchSize: BATCH,
    progress: (done: number, total: number) => progress.show("writing", done, total),
    stopped: wait.stopped,
  };
  if (!dryRun) return runSync(mapped, known.records, (work) => exchange(work, false), syncOptions);
  return exchange((session) => runSync(mapped, known.records, (work) => work(session), syncOptions), true);
}

function tell(report: ImportReport, { json, report: file, cwd }: ImportFromOptions, log: StderrLogger): void {
  if (file !== undefined) {
    writeFile(resolve(cwd, file), `${JSON.stringify(report, null, 2)}\n`);
  }
  if (json) printJson({ event: "end", ...report });
  else printReport(report, log);
}

/** Progress as JSON lines, on a bar, or as a line now and then. */
class Progress {
  readonly #json: boolean;
  readonly #log: StderrLogger;
  readonly #bar: ReturnType<typeof openProgressBar>;
  #last = 0;

  constructor(json: boolean, log: StderrLogger) {
    this.#json = json;
    this.#log = log;
    this.#bar = json ? undefined : openProgressBar(log);
  }

  show(what: string, done: number, total: number | undefined): void {
    if (this.#bar !== undefined && total !== undefined) this.#bar.show(done, total);
    const now = performance.now();
    if (now - this.#last < PROGRESS_MS) return;
    this.#last = now;
    if (this.#json) printJson({ event: "progress", what, done, ...(total !== undefined && { total }) });
    else if (this.#bar === undefined) this.#log.note(`${what}: ${done}${total === undefined ? "" : ` of ${total}`}`);
  }

  /** Called after every 10 s of waiting for another process that writes. */
  wait(): void {
    this.#bar?.clear();
    if (this.#json) printJson({ event: "waiting" });
    else this.#log.note(WAITING);
  }

  end(): void {
    this.#bar?.clear();
  }
}
