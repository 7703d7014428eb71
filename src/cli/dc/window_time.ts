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

interface Words {
  readonly from: string | undefined;
  readonly for: string | undefined;
  readonly until: string | undefined;
  readonly zone: CommandZone;
}

/** Reads the time of a window. @throws OperationError naming the flag */
export function readWindowTime({ from, for: length, until, zone }: Words, now: number): WindowTime {
  if ((length === undefined) === (until === undefined))
    throw new OperationError("invalid_argument", "Expected either --for, such as --for 2h, or --until");
  const startsAt = from === undefined ? now : readInstant("--from", from, zone);
  const endsAt = length === undefined ? readInstant("--until", until ?? "", zone) : startsAt + readLength(length);
  return { startsAt, endsAt };
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/;
const EXPECTED = "2026-11-28 20:00, or with an offset such as 2026-11-28T20:00+01:00";

function readInstant(flag: string, text: string, { name: zone, ambiguous, because }: CommandZone): number {
  if (WITH_OFFSET.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  const found = LOCAL.exec(text);
  if (found === null) throw wrongTime(flag, text, EXPECTED);
  if (ambiguous) throw wrongTime(flag, text, `an offset such as 2026-11-28T20:00+01:00, or --time-zone: ${because}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  if (hour >= 24 || minute >= 60) throw wrongTime(flag, text, EXPECTED);
  const instant = resolveLocalTime({ year, month, day, hour, minute }, zone);
  if (typeof instant === "number") return instant;
  throw wrongTime(flag, text, instant.expected);
}

const UNITS = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function readLength(text: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([dhm])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text)
    throw wrongTime("--for", text, "days, hours and minutes, such as 2h or 1h30m");
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
}

function wrongTime(flag: string, value: string, expected: string): OperationError {
  return new OperationError("invalid_argument", `Wrong value "${value}" for ${flag}: expected ${expected}`);
}

/** A zone in which a command reads and prints times. */
export interface CommandZone {
  readonly name: string;
  /** Why it is this one; empty if a person named it. */
  readonly because: string;
  /** Whether racks have different ones, so that a time without an offset may mean either. */
  readonly ambiguous: boolean;
}

/** The zone of `--time-zone`, else that of the site. @throws OperationError for a name that is no zone */
export async function commandZone(service: DcService, asked: string | undefined): Promise<CommandZone> {
  if (asked === undefined) return siteZone(service);
  if (isTimeZone(asked)) return { name: asked, because: "", ambiguous: false };
  const expected = "a name of the IANA database, such as Europe/Amsterdam";
  throw new OperationError("invalid_argument", `Wrong value "${asked}" for --time-zone: expected ${expected}`);
}

/** "Times are those of UTC: no rack has the label time_zone". */
export function zoneNote({ name, because }: CommandZone): string {
  return `Times are those of ${name}${because === "" ? "" : `: ${because}`}`;
}

async function siteZone(service: DcService): Promise<CommandZone> {
  // The list names the zone; a list of windows that are cancelled is judged by nothing.
  const request = create(ListWindowsRequestSchema, { states: [WindowState.CANCELLED], pageSize: 1 });
  const reply = (await service.call(listWindows, request, { interface: "SYSTEM" })) as ListWindowsResponse;
  const { name = "UTC", note = "", ambiguous = false } = reply.timeZone ?? {};
  return { name, because: note, ambiguous };
}
