import { Type } from "@sinclair/typebox";
import { createInvalidArgumentError, OperationError, shortenText } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_LOG_LINES } from "../limits.ts";
import { readLogWindow } from "../work/records/log_file.ts";
import { findSpecId } from "./shared/find_spec.ts";
import { findLiveWorker } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";

export const logTool = defineTool<PlannerContext>()({
  name: "planner_log",
  summary:
    "Read the log of a spec's runs: last lines, or on from an offset or time. For why it stopped use planner_diagnose.",
  resultDescription:
    '`{"content":"…","byte_offset":5120,"line_count":100,"has_more":false}`; `byte_offset` is where the next call continues. A time without a zone is local. No line is lost or repeated: the unfinished last line of a log that is being written is held back. At most 1 MiB; an offset behind the end is refused.',
  effect: "read",
  idempotent: true,
  params: Type.Object({
    id: specIdParam,
    lines: Type.Optional(Type.Integer({ description: "Most lines returned", minimum: 0, default: DEFAULT_LOG_LINES })),
    offset: Type.Optional(Type.Integer({ description: "From the byte_offset of the last answer on", minimum: 0 })),
    since: Type.Optional(Type.String({ description: "From this ISO 8601 time on" })),
  }),
  async run(context, { id: text, lines = DEFAULT_LOG_LINES, offset, since }) {
    const start = since === undefined ? undefined : parseSinceTime(since);
    const id = await findSpecId(context, text, { archived: true });
    // Checked before the log is opened, because a writer that ends in between has then written its last line.
    const growing = context.findSurroundingRun()?.spec_id === id || (await findLiveWorker(context, id)) !== null;
    const file = await context.projectLogs.open(id);
    if (file === null) {
      throw new OperationError(
        "not_found",
        `No log file found for spec '${id}': a log is written when a spec is worked`,
      );
    }
    if (offset !== undefined && offset > file.size) {
      throw createInvalidArgumentError(
        `Invalid offset ${offset}: the log has ${file.size} bytes, so it was replaced; begin again without offset`,
      );
    }
    return { value: await readLogWindow(file, { lines, offset, since: start, growing }) };
  },
});

function parseSinceTime(text: string): Date {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw createInvalidArgumentError(
    `Invalid since: "${shortenText(text)}": expected an ISO 8601 time such as 2026-11-21T09:30:00Z`,
  );
}

const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses an ISO 8601 time. A time without a zone is local; a date without a time means its local midnight.
 *
 * @returns undefined for any other text, including impossible dates such as 30 February
 */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text.trim());
  if (match === null) return undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", zone = ""] = match;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay) return undefined;
  const fraction = /[.,](\d{1,3})/.exec(text)?.[1] ?? "0";
  const time = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, "0")}${normalizeZone(zone)}`,
  );
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Returns `+02` and `+0200` in the form `+02:00`, which Date requires. */
function normalizeZone(zone: string): string {
  if (zone === "" || /^z$/i.test(zone)) return zone.toUpperCase();
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
