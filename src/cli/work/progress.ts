import type { QueueResult } from "#planner/runs/run_queue.ts";
import type { RunEvent, RunResult } from "#planner/runs/run_types.ts";
import { addUsage, NO_USAGE, shortUsage, type Usage, usageText } from "#planner/work/usage.ts";
import type { Cli } from "../command.ts";
import { plainLine, withoutEscapes } from "../output/plain_text.ts";
import { moveCursor, printError, printJson } from "../output/print.ts";
import { cutText } from "../output/table.ts";
import { isTerminal, paint, type Style } from "../output/terminal.ts";
import { printText, textWidth } from "../output/wrap_text.ts";

/** A completed spec whose work is not merged. */
export interface UnmergedWork {
  readonly spec_id: string;
  /** The command of git that shows what the work changed. */
  readonly difference: string;
}

export interface Progress {
  tell(event: RunEvent): void;
  summary(result: QueueResult, waiting: readonly UnmergedWork[]): void;
  close(): void;
}

/** Progress reports that never throw: a run comes to its end although it cannot be reported. `complain` throws afterwards. */
export function tellAnyway({ tell }: Progress): { tell(event: RunEvent): void; complain(): void } {
  let failure: unknown;
  return {
    tell(event) {
      try {
        tell(event);
      } catch (error) {
        failure ??= error;
      }
    },
    complain() {
      if (failure !== undefined) throw failure;
    },
  };
}

const STYLES: Readonly<Record<string, Style>> = { completed: "green", failed: "red", needs_attention: "yellow" };

/** Seconds between two reports without a terminal. */
const REPORT_EVERY_SECONDS = 60;

/** JSON lines with `json`; else a line for each end on standard output, and everything else on standard error. */
export function showProgress(cli: Cli, json: boolean): Progress {
  if (json) return { tell: printJson, summary: () => {}, close: () => {} };
  const running = new RunningSpecs();
  const view = openView(cli, running);
  return {
    tell(event) {
      running.take(event, Date.now());
      if (event.event !== "output" && event.event !== "usage" && event.event !== "progress") {
        view.above(() => sayEvent(event, cli));
      }
    },
    summary: (result, waiting) => view.above(() => sayWhole({ ...result, waiting }, cli)),
    close: () => view.close(),
  };
}

function openView(cli: Cli, running: RunningSpecs): LiveLines {
  const plain = { above: (say: () => void) => say(), close: () => {} };
  if (cli.quiet) return plain;
  if (isTerminal("stderr") && process.env["TERM"] !== "dumb") {
    return openLiveLines((width) => running.lines(Date.now(), width));
  }
  const seconds = Number(process.env["PLANNER_PROGRESS_SECONDS"]) || REPORT_EVERY_SECONDS;
  const report = (): void => {
    for (const sentence of running.sentences(Date.now())) cli.note(sentence);
  };
  const timer = setInterval(report, seconds * 1000);
  timer.unref();
  return { ...plain, close: () => clearInterval(timer) };
}

type ToldEvent = Exclude<RunEvent, { readonly event: "output" | "usage" | "progress" }>;

function sayEvent(event: ToldEvent, cli: Cli): void {
  if (event.event === "ended") sayEnd(event, cli);
  else if (event.event === "output_check") printText(`${event.lines.map(plainLine).join("\n")}\n`);
  else if (event.event === "refused") cli.warn(event.reason);
  else if (event.event === "denied") cli.warn(`${event.spec_id}: the agent was denied ${plainLine(event.what)}`);
  else if (event.event === "allow") cli.warn(`${event.spec_id}: to allow what was denied: ${plainLine(event.line)}`);
  else if (event.event === "started") {
    const where = event.branch === null ? "in the project itself" : `on branch ${event.branch}`;
    cli.note(`${event.spec_id}: ${event.agent} works ${where} (${event.process_id})`);
  } else cli.note(event.spec_id === null ? event.message : `${event.spec_id}: ${event.message}`);
}

function sayEnd({ spec_id, status, reasons, warnings }: RunResult, cli: Cli): void {
  for (const warning of warnings) cli.warn(`${spec_id}: ${warning}`);
  const style = STYLES[status];
  const word = style === undefined ? status : paint(status, style);
  const because = reasons.length === 0 ? "" : `: ${plainLine(reasons.join("; "))}`;
  printText(`${spec_id}: ${word}${because}\n`);
}

/** What came of the whole work, where the details are and what comes next. */
function sayWhole(
  { results, refused, waiting }: QueueResult & { readonly waiting: readonly UnmergedWork[] },
  cli: Cli,
): void {
  const total = results.length + refused.length;
  if (total === 0) {
    cli.note("No pending spec is ready: `planner status` counts the specs by status");
    return;
  }
  const completed = results.filter(({ status }) => status === "completed");
  if (total !== 1) cli.note(`${completed.length} of ${total} specs completed`);
  const used = results.flatMap(({ usage }) => usage ?? []).reduce(addUsage, NO_USAGE);
  if (used !== NO_USAGE) cli.note(`Used ${usageText(used)}`);
  for (const { spec_id, status } of results) {
    if (status === "completed" || status === "pending") continue;
    cli.note(`${spec_id}: the log is .planner/logs/${spec_id}.log; \`planner diagnose ${spec_id}\` says what to do`);
  }
  for (const { difference } of waiting) cli.note(`What it changed: \`${difference}\``);
  const [only] = waiting;
  if (only !== undefined && waiting.length === 1) cli.note(`Not merged yet: \`planner merge ${only.spec_id}\``);
  else if (waiting.length > 1) cli.note(`${waiting.length} specs are not merged yet: \`planner merge --all\``);
}

/** How often the lines are drawn again, in milliseconds: smooth to the eye, cheap beside an agent's own work. */
const DRAW_EVERY_MS = 150;

/** Columns of a terminal that does not report its width. */
const USUAL_COLUMNS = 80;

/** Lines at the end of the terminal that are drawn again and again, below everything else that is printed. */
interface LiveLines {
  /** Lets `say` print above the lines. */
  above(say: () => void): void;
  close(): void;
}

/** @param lines returns the lines of this moment, none wider than `width` columns */
function openLiveLines(lines: (width: number) => readonly string[]): LiveLines {
  let drawn = 0;
  const erase = (): void => {
    if (drawn > 0) moveCursor(`\u001b[${drawn}A\r\u001b[J`);
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

/** Most columns of a title, and fixed ones of time and consumption. */
const TITLE_COLUMNS = 26;
const TIME_COLUMNS = 5;
const USAGE_COLUMNS = 11;

/** Longest text of a last line that is kept, in characters. */
const MAX_KEPT_CHARS = 500;

interface Running {
  readonly title: string;
  readonly since: number;
  usage: Usage | null;
  /** The last line that is not blank, as it was printed: cleaned only where it is shown, since agents print thousands. */
  last: string;
}

/** What runs at this moment, from the events of the work. */
export class RunningSpecs {
  readonly #running = new Map<string, Running>();
  #done = 0;
  #total = 0;

  take(event: RunEvent, now: number): void {
    if (event.event === "progress") {
      this.#done = event.done;
      this.#total = event.total;
    } else if (event.event === "started") {
      const title = oneLine(event.title ?? event.spec_id);
      this.#running.set(event.spec_id, { title, since: now, usage: null, last: `${event.agent} begins` });
    } else if (event.event === "ended") this.#running.delete(event.spec_id);
    else if (event.event === "usage" || event.event === "output") this.#update(event);
  }

  #update(event: Extract<RunEvent, { readonly event: "usage" | "output" }>): void {
    const running = this.#running.get(event.spec_id);
    if (running === undefined) return;
    if (event.event === "usage") running.usage = event;
    else if (event.text.trim() !== "") running.last = event.text;
  }

  /** How many are done, then a line for each that runs; none is wider than `width` columns. */
  lines(now: number, width: number): readonly string[] {
    if (this.#running.size === 0) return [];
    const running = [...this.#running.values()].map((one) => cutText(lineOf(one, now), width));
    return [cutText(`${this.#done} of ${this.#total} done, ${running.length} running`, width), ...running];
  }

  /** A whole sentence for each that runs, for a log that is not watched as it grows. */
  sentences(now: number): readonly string[] {
    return [...this.#running].map(([id, { since, usage, last }]) => {
      const spent = usage === null ? "" : `, ${shortUsage(usage)}`;
      return `${id}: ${clock(now - since)}${spent} (${this.#done} of ${this.#total} done): ${cutText(oneLine(last), 120)}`;
    });
  }
}

function lineOf({ title, since, usage, last }: Running, now: number): string {
  const name = padText(cutText(title, TITLE_COLUMNS), TITLE_COLUMNS);
  const spent = (usage === null ? "" : shortUsage(usage)).padStart(USAGE_COLUMNS);
  return `${name} ${clock(now - since).padStart(TIME_COLUMNS)} ${spent}  ${oneLine(last)}`;
}

function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function padText(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

function oneLine(text: string): string {
  return withoutEscapes(text.slice(0, MAX_KEPT_CHARS)).replace(/\s+/g, " ").trim();
}
