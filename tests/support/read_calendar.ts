import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fromDebian } from "./debian.ts";

/** Whether Debian's reader of iCalendar files is installed. */
export const hasCalendarReader = fromDebian(
  "/usr/lib/python3/dist-packages/icalendar/__init__.py",
  "python3-icalendar",
);

export interface ReadEvent {
  readonly uid: string;
  readonly sequence: number;
  readonly starts: string;
  readonly ends: string;
  readonly stamped: string;
  readonly title: string;
  readonly description: string;
  readonly contact: string;
  readonly status: string;
  readonly errors: readonly string[];
}

/** What another program reads in an iCalendar file. */
export function readCalendar(text: string): { version: string; method: string; events: readonly ReadEvent[] } {
  const script = join(import.meta.dirname, "scripts", "read_calendar.py");
  const { status, stdout, stderr } = spawnSync("/usr/bin/python3", [script], { input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
