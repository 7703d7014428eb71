import { printError } from "../output/print.ts";

/** How often the lines are drawn again, in milliseconds: smooth to the eye, cheap beside an agent's own work. */
const DRAW_EVERY_MS = 150;

/** Columns of a terminal that does not report its width. */
const USUAL_COLUMNS = 80;

/** Lines at the end of the terminal that are drawn again and again, below everything else that is printed. */
export interface LiveLines {
  /** Lets `say` print above the lines. */
  above(say: () => void): void;
  close(): void;
}

/** @param lines returns the lines of this moment, none wider than `width` columns */
export function openLiveLines(lines: (width: number) => readonly string[]): LiveLines {
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) printError(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    const width = (process.stderr.columns || USUAL_COLUMNS) - 1;
    // More lines than the screen has could not be erased.
    const shown = lines(width).slice(0, Math.max(1, (process.stderr.rows || 24) - 2));
    for (const line of shown) printError(`${line}\n`);
    drawn = shown.length;
  };
  const timer = setInterval(draw, DRAW_EVERY_MS);
  timer.unref();
  return {
    above(say) {
      erase();
      say();
      draw();
    },
    close() {
      clearInterval(timer);
      erase();
    },
  };
}
