import { withoutEscapes } from "../plain_text.ts";
import { printError } from "../print.ts";
import { cutText } from "../table.ts";

/** How often the lines are drawn anew, in milliseconds: smooth to the eye, nothing beside an agent's own work. */
const DRAW_EVERY_MS = 150;

/** Columns where the terminal does not tell. */
const USUAL_COLUMNS = 80;

/** One line on the terminal for each thing that goes on, below everything else that is said. */
export interface LiveLines {
  update(name: string, text: string): void;
  remove(name: string): void;
  /** Lets `say` write above the lines. */
  above(say: () => void): void;
  close(): void;
}

interface Line {
  readonly since: number;
  text: string;
}

export function openLiveLines(): LiveLines {
  const lines = new Map<string, Line>();
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) printError(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    erase();
    const width = (process.stderr.columns || USUAL_COLUMNS) - 1;
    // More lines than the screen has could not be taken back.
    const shown = [...lines].slice(0, Math.max(1, (process.stderr.rows || 24) - 2));
    for (const [name, line] of shown) printError(`${cutText(lineText(name, line), width)}\n`);
    drawn = shown.length;
  };
  const timer = setInterval(draw, DRAW_EVERY_MS);
  timer.unref();
  return {
    update(name, text) {
      const line = lines.get(name);
      if (line === undefined) lines.set(name, { since: performance.now(), text });
      else if (text.trim() !== "") line.text = text;
    },
    remove: (name) => void lines.delete(name),
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

function lineText(name: string, { since, text }: Line): string {
  const seconds = Math.floor((performance.now() - since) / 1000);
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `${name}  ${clock}  ${withoutEscapes(text.slice(0, 500)).replace(/\s+/g, " ").trim()}`;
}
