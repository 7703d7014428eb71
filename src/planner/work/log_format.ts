/**
 * The format of a spec's log file, `.planner/logs/<id>.log`:
 *
 *     <time> === run <process_id> ===
 *     <time> <text of one line>
 *
 * `<time>` is ISO 8601 in UTC with milliseconds, 24 characters, and one space ends it. Every run begins with its own
 * header line; the last run is the one that counts. A line that another program wrote without a time stays as it is.
 */

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const TIME_PREFIX = new RegExp(`^${TIME}(?: |(?=\\r?$))`, "gm");
const RUN_HEADER = new RegExp(`^${TIME} === run \\S+ ===\\r?$`, "gm");

/** The line that begins a run, without its line end. */
export function runHeader(time: Date, processId: string): string {
  return logLine(time, `=== run ${processId} ===`);
}

/** One stored line, without its line end. */
export function logLine(time: Date, text: string): string {
  return `${time.toISOString()} ${text}`;
}

/** What the last run in the log printed: its lines without their times. The whole log when it holds no header. */
export function lastRunText(log: string): string {
  let start = 0;
  for (const header of log.matchAll(RUN_HEADER)) start = header.index + header[0].length + 1;
  return log.slice(start).replace(TIME_PREFIX, "");
}

const TIME_START = new RegExp(`^${TIME}`);

/** The time of a stored line in milliseconds since 1970, or null for a line without one. */
export function lineTime(line: string): number | null {
  const time = TIME_START.exec(line)?.[0];
  if (time === undefined) return null;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
