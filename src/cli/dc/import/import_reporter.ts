import { type BadLine, getLineSubject, type ImportResult } from "#dc/operations/import/run_import.ts";
import type { KindCount } from "#dc/operations/import/wire.ts";
import { type ImportState, MAX_PRINTED_LINES, printImportEndNote } from "../../import/run_stoppable.ts";
import { print, printJson, sanitizeLines } from "../../output/print.ts";
import {
  estimateRemainingSeconds,
  formatRemaining,
  openProgressBar,
  type ProgressBar,
} from "../../output/progress_bar.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { createWaitReporter } from "./import_store.ts";

/** Minimum number of items for progress reports without a terminal; smaller imports end too soon. */
const MIN_REPORTED_ITEMS = 10_000;
const MIN_STEP_INTERVAL_MS = 1000;

/** Reports an import: events as JSON lines on standard output with `--json`, a bar on a terminal, lines elsewhere. */
export class ImportReporter {
  /** Reports that another 10 s have been spent waiting for a process that writes to the database. */
  readonly reportWait: () => void;
  readonly #log: StderrLogger;
  readonly #json: boolean;
  readonly #bar: ProgressBar | undefined;
  readonly #started = performance.now();
  #refused = 0;
  #tenth = 0;
  #lastStep = 0;

  constructor(log: StderrLogger, json: boolean) {
    this.#log = log;
    this.#json = json;
    this.#bar = json ? undefined : openProgressBar(log);
    const wait = createWaitReporter(log, json);
    this.reportWait = () => {
      this.clear();
      wait();
    };
  }

  /** Reports the number of processed items; without a terminal one line per tenth of a large import. */
  reportProgress(done: number, total: number): void {
    const seconds = estimateRemainingSeconds(done, total, performance.now() - this.#started);
    if (this.#json)
      printJson({ event: "progress", done, total, ...(seconds !== undefined && { remaining_s: seconds }) });
    else if (this.#bar !== undefined) this.#bar.show(done, total);
    else if (total >= MIN_REPORTED_ITEMS) this.#logTenth(done, total, formatRemaining(seconds));
  }

  #logTenth(done: number, total: number, left: string): void {
    const tenth = Math.floor((done / total) * 10);
    if (tenth <= this.#tenth || tenth >= 10) return;
    this.#tenth = tenth;
    this.#log.note(`${tenth * 10} %: ${done} of ${total}${left}`);
  }

  /** Reports a step such as the reading of a list, at most once per second. */
  reportStep(what: string, done: number, total: number | undefined): void {
    if (this.#bar !== undefined && total !== undefined) this.#bar.show(done, total);
    const now = performance.now();
    if (now - this.#lastStep < MIN_STEP_INTERVAL_MS) return;
    this.#lastStep = now;
    if (this.#json) printJson({ event: "progress", what, done, ...(total !== undefined && { total }) });
    else if (this.#bar === undefined) this.#log.note(`${what}: ${done}${total === undefined ? "" : ` of ${total}`}`);
  }

  reportFailure(bad: BadLine): void {
    const { file, number, field, reason } = bad;
    const subject = getLineSubject(bad);
    this.#refused += 1;
    if (this.#json) printJson({ event: "refused", file, line: number, ...subject, field, reason });
    if (this.#json || this.#refused > MAX_PRINTED_LINES) return;
    this.clear();
    const about = [subject.kind, subject.code].filter((part) => part !== undefined).join(" ");
    this.#log.warn(sanitizeLines(`${file} line ${number}: ${about === "" ? "" : `${about}: `}${reason}`));
  }

  /** Erases the bar before other output. */
  clear(): void {
    this.#bar?.clear();
  }

  reportEnd({ counts, unreadable }: ImportResult, state: ImportState): void {
    this.clear();
    if (this.#json) {
      printJson({ event: "end", state, counts, unreadable });
      return;
    }
    if (this.#refused > MAX_PRINTED_LINES)
      this.#log.warn(`${this.#refused - MAX_PRINTED_LINES} more lines were refused`);
    for (const count of counts) print(`${formatKindCount(count)}\n`);
    printImportEndNote(state, this.#log);
  }
}

function formatKindCount({ kind, created, updated, unchanged, failed }: KindCount): string {
  return `${kind}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
}
