import { MAX_RUN_BYTES } from "../../limits.ts";

/** A growing log file. Offsets and sizes are bytes. */
export interface LogFile {
  /** Path from the project root. */
  readonly file: string;
  readonly size: number;
  readonly modified: Date;
  readBytes(offset: number, length: number): Promise<Uint8Array>;
}

/**
 * The format of a spec's log file, `.planner/logs/<id>.log`:
 *
 *     <time> === run <process_id> ===
 *     <time> <text of one line>
 *
 * `<time>` is ISO 8601 in UTC with milliseconds: 24 characters, then one space. Every run begins with its own header
 * line. Commands report on the last run. Lines that another program wrote may have no time.
 *
 * Lines of standard error begin with `stderr:`. Lines by planner that look like a header begin with `planner:`. Lines
 * of standard output begin with `stdout:` if they look like a header or begin with one of these prefixes.
 */

const TIME_PATTERN = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
// A line ends only at a line feed; other breaks, such as a lone carriage return, may be part of the output.
const LINE_START = "(?<![^\\n])";
const LINE_END = "(?=\\r?(?:\\n|$))";
const TIME_PREFIX = new RegExp(`${LINE_START}${TIME_PATTERN}(?: |${LINE_END})`, "g");
const RUN_HEADER = new RegExp(`${LINE_START}${TIME_PATTERN} === run \\S+ ===${LINE_END}`, "g");

/** Returns the line that begins a run, without its line break. */
export function formatRunHeader(time: Date, processId: string): string {
  return formatLogLine(time, `=== run ${processId} ===`);
}

const HEADER_START = /^\s*=== run /;
const PREFIXED_LINE = /^\s*(?:=== run |planner:|stdout:|stderr:)/;

/** Prefixes lines of standard error, and lines that look like planner's, so that no program can forge a run's start. */
export function formatPrintedLine(text: string, from: "stdout" | "stderr"): string {
  return from === "stderr" || PREFIXED_LINE.test(text) ? `${from}: ${text}` : text;
}

/** Returns a line by planner, with a prefix if it looks like a header, for example because it quotes a file's name. */
export function formatOwnLine(text: string): string {
  return HEADER_START.test(text) ? `planner: ${text}` : text;
}

/** Returns one stored line, without its line break. */
export function formatLogLine(time: Date, text: string): string {
  return `${time.toISOString()} ${text}`;
}

/** Returns several stored lines with their line breaks; empty for none. */
export function formatLogLines(time: Date, texts: readonly string[]): string {
  const start = `${time.toISOString()} `;
  return texts.length === 0 ? "" : `${start}${texts.join(`\n${start}`)}\n`;
}

/** Returns the last run's lines without their times; the whole log if it contains no header. */
export function extractLastRun(log: string): string {
  let start = 0;
  for (const header of log.matchAll(RUN_HEADER)) start = log.indexOf("\n", header.index) + 1 || log.length;
  return removeTimestamps(log.slice(start));
}

/** Removes the times from stored lines. */
export function removeTimestamps(lines: string): string {
  return lines.replace(TIME_PREFIX, "");
}

const TIME_START = new RegExp(`^${TIME_PATTERN}`);

/** Returns the time of a stored line in milliseconds since 1970; null for a line without one. */
export function parseLineTime(line: string): number | null {
  const time = TIME_START.exec(line)?.[0];
  if (time === undefined) return null;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** Returns the last run's lines without times. Reads only the end of a long log, which contains the result. */
export async function readLastRun(log: LogFile, maxBytes = MAX_RUN_BYTES): Promise<string> {
  const from = Math.max(0, log.size - maxBytes);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await log.readBytes(from, log.size - from));
  return extractLastRun(from === 0 ? text : text.slice(text.indexOf("\n") + 1));
}
