import type { RunEvent } from "#planner/runs/run_types.ts";
import { shortUsage, type Usage } from "#planner/work/usage.ts";
import { withoutEscapes } from "../output/plain_text.ts";
import { cutText } from "../output/table.ts";
import { textWidth } from "../output/wrap_text.ts";

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
  const name = padded(cutText(title, TITLE_COLUMNS), TITLE_COLUMNS);
  const spent = (usage === null ? "" : shortUsage(usage)).padStart(USAGE_COLUMNS);
  return `${name} ${clock(now - since).padStart(TIME_COLUMNS)} ${spent}  ${oneLine(last)}`;
}

function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

function oneLine(text: string): string {
  return withoutEscapes(text.slice(0, MAX_KEPT_CHARS)).replace(/\s+/g, " ").trim();
}
