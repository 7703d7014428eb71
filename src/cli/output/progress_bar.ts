import { isTerminal, moveCursor, printError } from "./print.ts";
import type { StderrLogger } from "./stderr_logger.ts";

const BAR_COLUMNS = 30;
/** Width in columns if the terminal does not report one. */
const DEFAULT_COLUMNS = 80;

/** Progress on one line of the terminal, which each call of `show` overwrites. */
export interface ProgressBar {
  show(done: number, total: number): void;
  /** Erases the line before other output; the next `show` prints it again. */
  clear(): void;
}

/** Opens a bar on standard error; undefined with `--quiet` or without a terminal that can erase a line. */
export function openProgressBar({ quiet }: StderrLogger): ProgressBar | undefined {
  if (quiet || !isTerminal("stderr") || process.env["TERM"] === "dumb") return undefined;
  const started = performance.now();
  let isShown = false;
  return {
    show(done, total) {
      isShown = true;
      moveCursor("\r");
      printError(formatBar(done, total, started));
      moveCursor("\u001b[K");
    },
    clear() {
      if (isShown) moveCursor("\r\u001b[K");
      isShown = false;
    },
  };
}

function formatBar(done: number, total: number, started: number): string {
  const share = total === 0 ? 1 : done / total;
  const full = Math.round(share * BAR_COLUMNS);
  const elapsedMs = Math.max(performance.now() - started, 1);
  const rate = Math.round((done / elapsedMs) * 1000);
  const left = formatRemaining(estimateRemainingSeconds(done, total, elapsedMs));
  const text = `${"█".repeat(full)}${"░".repeat(BAR_COLUMNS - full)} ${Math.floor(share * 100)} % of ${total}, ${rate}/s${left}`;
  return text.slice(0, (process.stderr.columns || DEFAULT_COLUMNS) - 1);
}

/** Returns the estimated remaining seconds at the current rate; undefined if nothing is done yet. */
export function estimateRemainingSeconds(done: number, total: number, elapsedMs: number): number | undefined {
  if (done <= 0) return undefined;
  return Math.ceil(((total - done) * elapsedMs) / done / 1000);
}

/** Formats the remaining time after a comma; returns an empty text if the time is unknown or not positive. */
export function formatRemaining(seconds: number | undefined): string {
  if (seconds === undefined || seconds <= 0) return "";
  return seconds < 120 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}
