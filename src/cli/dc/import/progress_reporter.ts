import { plainLines } from "../../output/plain_text.ts";
import { print, printJson } from "../../output/print.ts";
import { openProgressBar } from "../../output/progress_bar.ts";
import { remainingSeconds, remainingText } from "../../output/remaining_time.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import type { ImportResult, KindCount } from "./run_import.ts";
import type { BadLine } from "./source.ts";
import { subjectOf } from "./subject.ts";
import { WAITING } from "./turn.ts";

/** Number of wrong lines that are reported one by one; the rest is counted. */
const MOST_TOLD = 20;
/** Smaller imports end too soon for a progress report. */
const LEAST_TOLD = 10_000;

/** Reports an import to the person or program that started it. */
export interface ProgressReporter {
  progress(done: number, total: number): void;
  failed(line: BadLine): void;
  /** After every 10 s of waiting for another process that writes. */
  waiting(): void;
  ended(result: ImportResult, state: "done" | "stopped" | "undone" | "tried"): void;
}

/** Events as JSON lines on standard output, for programs. */
export function jsonReporter(): ProgressReporter {
  const started = performance.now();
  return {
    progress: (done, total) => {
      const remaining = remainingSeconds(done, total, performance.now() - started);
      printJson({ event: "progress", done, total, ...(remaining !== undefined && { remaining_s: remaining }) });
    },
    failed(bad) {
      const { file, number, field, reason } = bad;
      printJson({ event: "refused", file, line: number, ...subjectOf(bad), field, reason });
    },
    waiting: () => printJson({ event: "waiting" }),
    ended: ({ counts, unreadable }, state) => printJson({ event: "end", state, counts, unreadable }),
  };
}

/** A bar on a terminal, a line for each tenth elsewhere; the result in sentences. */
export function textReporter(log: StderrLogger): ProgressReporter {
  const bar = openProgressBar(log);
  const started = performance.now();
  let told = 0;
  let tenth = 0;
  return {
    progress(done, total) {
      if (bar !== undefined) return bar.show(done, total);
      const now = Math.floor((done / total) * 10);
      if (total < LEAST_TOLD || now <= tenth || now >= 10) return;
      tenth = now;
      const left = remainingText(remainingSeconds(done, total, performance.now() - started));
      log.note(`${now * 10} %: ${done} of ${total}${left}`);
    },
    failed(bad) {
      told += 1;
      if (told > MOST_TOLD) return;
      bar?.clear();
      const { kind, code } = subjectOf(bad);
      const subject = [kind, code].filter((part) => part !== undefined).join(" ");
      const about = subject === "" ? "" : `${subject}: `;
      log.warn(plainLines(`${bad.file} line ${bad.number}: ${about}${bad.reason}`));
    },
    waiting() {
      bar?.clear();
      log.note(WAITING);
    },
    ended({ counts }, state) {
      bar?.clear();
      if (told > MOST_TOLD) log.warn(`${told - MOST_TOLD} more lines were refused`);
      for (const count of counts) print(`${sentence(count)}\n`);
      if (state === "tried") log.note("Nothing was written: this was a dry run");
      if (state === "undone") log.warn("Nothing was written: --atomic rolls back everything if one line is refused");
      if (state === "stopped") log.warn("Stopped: the same import continues where this one ended");
    },
  };
}

function sentence({ kind, created, updated, unchanged, failed }: KindCount): string {
  return `${kind}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`;
}
