import type { QueueResult } from "#planner/runs/run_queue.ts";
import type { RunEvent, RunResult } from "#planner/runs/run_types.ts";
import { addUsage, NO_USAGE, usageText } from "#planner/work/usage.ts";
import type { Cli } from "../command.ts";
import { plainLine } from "../output/plain_text.ts";
import { moveCursor, printError, printJson } from "../output/print.ts";
import { printText } from "../output/print_text.ts";
import { isTerminal, paint, type Style } from "../output/terminal.ts";
import { RunningSpecs } from "./running_specs.ts";

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
