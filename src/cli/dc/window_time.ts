import { create } from "@bufbuild/protobuf";
import { listWindows } from "#dc/operations/planning/windows/list_windows.ts";
import type { DcService } from "#dc/service.ts";
import { ListWindowsRequestSchema, type ListWindowsResponse, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isTimeZone, resolveLocalTime } from "#kernel/zoned_time.ts";

/** Start and end of a window, in milliseconds since 1970. */
export interface WindowTime {
  readonly startsAt: number;
  readonly endsAt: number;
}

interface WindowTimeFlags {
  readonly from: string | undefined;
  readonly for: string | undefined;
  readonly until: string | undefined;
  readonly zone: CommandZone;
}

/** Parses the flags of a window's time. @throws OperationError that names the flag. */
export function parseWindowTime({ from, for: length, until, zone }: WindowTimeFlags, now: number): WindowTime {
  if ((length === undefined) === (until === undefined))
    throw new OperationError("invalid_argument", "Expected either --for, such as --for 2h, or --until");
  const startsAt = from === undefined ? now : parseInstant("--from", from, zone);
  const endsAt = length === undefined ? parseInstant("--until", until ?? "", zone) : startsAt + parseDuration(length);
  return { startsAt, endsAt };
}

const LOCAL_TIME = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})$/;
const OFFSET_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/;
const EXPECTED_TIME = "2026-11-28 20:00, or with an offset such as 2026-11-28T20:00+01:00";

function parseInstant(flag: string, text: string, { name: zone, isAmbiguous, reason }: CommandZone): number {
  if (OFFSET_TIME.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  const found = LOCAL_TIME.exec(text);
  if (found === null) throw createTimeError(flag, text, EXPECTED_TIME);
  if (isAmbiguous)
    throw createTimeError(flag, text, `an offset such as 2026-11-28T20:00+01:00, or --time-zone: ${reason}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  if (hour >= 24 || minute >= 60) throw createTimeError(flag, text, EXPECTED_TIME);
  const instant = resolveLocalTime({ year, month, day, hour, minute }, zone);
  if (typeof instant === "number") return instant;
  throw createTimeError(flag, text, instant.expected);
}

const UNIT_MS = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([dhm])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text)
    throw createTimeError("--for", text, "days, hours and minutes, such as 2h or 1h30m");
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], 0);
}

function createTimeError(flag: string, value: string, expected: string): OperationError {
  return new OperationError("invalid_argument", `Wrong value "${value}" for ${flag}: expected ${expected}`);
}

/** A time zone in which a command reads and prints times. */
export interface CommandZone {
  readonly name: string;
  /** Reason why the command uses this zone; empty if `--time-zone` names it. */
  readonly reason: string;
  /** True if racks have different zones, so that a time without an offset is ambiguous. */
  readonly isAmbiguous: boolean;
}

/** Returns the zone of `--time-zone`, otherwise the zone of the site. @throws OperationError for an unknown zone. */
export async function resolveTimeZone(service: DcService, asked: string | undefined): Promise<CommandZone> {
  if (asked === undefined) return readSiteZone(service);
  if (isTimeZone(asked)) return { name: asked, reason: "", isAmbiguous: false };
  const expected = "a name of the IANA database, such as Europe/Amsterdam";
  throw new OperationError("invalid_argument", `Wrong value "${asked}" for --time-zone: expected ${expected}`);
}

/** Formats a note such as "Times are those of UTC: no rack has the label time_zone". */
export function formatZoneNote({ name, reason }: CommandZone): string {
  return `Times are those of ${name}${reason === "" ? "" : `: ${reason}`}`;
}

async function readSiteZone(service: DcService): Promise<CommandZone> {
  // Every list reply contains the zone. Cancelled windows are the cheapest to list, because they get no verdict.
  const request = create(ListWindowsRequestSchema, { states: [WindowState.CANCELLED], pageSize: 1 });
  const reply = (await service.call(listWindows, request, { interface: "SYSTEM" })) as ListWindowsResponse;
  const { name = "UTC", note = "", ambiguous = false } = reply.timeZone ?? {};
  return { name, reason: note, isAmbiguous: ambiguous };
}
