import type { QueueResult } from "#planner/runs/run_queue.ts";
import type { RunEvent, RunResult } from "#planner/runs/run_types.ts";
import type { Cli } from "../command.ts";
import { plainLine } from "../plain_text.ts";
import { print, printJson } from "../print.ts";
import { isTerminal, paint, type Style } from "../terminal.ts";
import { type LiveLines, openLiveLines } from "./live_lines.ts";

/** Where the course of the work is told. */
export interface Progress {
  tell(event: RunEvent): void;
  summary(result: QueueResult): void;
  close(): void;
}

/** Telling that never throws: a run comes to its end although nobody can be told of it. `complain` throws afterwards. */
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

/** JSON lines with `json`; else a line for each end on standard output, and the rest as talk on standard error. */
export function showProgress(cli: Cli, json: boolean): Progress {
  if (json) return { tell: printJson, summary: () => {}, close: () => {} };
  const live = !cli.quiet && isTerminal("stderr") && process.env["TERM"] !== "dumb" ? openLiveLines() : null;
  return {
    tell: (event) => told(event, cli, live),
    summary({ results, refused }) {
      const completed = results.filter(({ status }) => status === "completed").length;
      const total = results.length + refused.length;
      if (total === 0) cli.note("Nothing is ready to be worked: `planner status` tells how the specs stand");
      else if (total !== 1) cli.note(`${completed} of ${total} specs completed`);
    },
    close: () => live?.close(),
  };
}

function told(event: RunEvent, cli: Cli, live: LiveLines | null): void {
  if (event.event === "output") {
    live?.update(event.spec_id, event.text);
    return;
  }
  if (event.event === "ended") live?.remove(event.spec_id);
  const say = (): void => sayEvent(event, cli);
  if (live === null) say();
  else live.above(say);
  if (event.event === "started") live?.update(event.spec_id, `${event.agent} begins`);
}

function sayEvent(event: Exclude<RunEvent, { readonly event: "output" }>, cli: Cli): void {
  if (event.event === "ended") sayEnd(event, cli);
  else if (event.event === "refused") cli.warn(event.reason);
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
  print(`${spec_id}: ${word}${because}\n`);
}
