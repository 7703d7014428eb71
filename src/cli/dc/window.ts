import { create, fromJson } from "@bufbuild/protobuf";
import { WINDOW_IMPACTS, WINDOW_VERDICTS, type WindowVerdict as WindowVerdictWord } from "#dc/model/enum_values.ts";
import { listWindows } from "#dc/operations/planning/windows/list_windows.ts";
import { checkWindow as checkWindowRpc } from "#dc/operations/planning/windows/window_reads.ts";
import type { DcService } from "#dc/service.ts";
import {
  CheckWindowRequestSchema,
  type CheckWindowResponse,
  CheckWindowResponseSchema,
  ListWindowsRequestSchema,
  type ListWindowsResponse,
  type WindowContact,
  WindowState,
} from "#gen/datacenter/v1/windows_pb.ts";
import { formatLocalTime, isTimeZone, resolveLocalTime } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import { formatConstant, getRefName } from "#words/names.ts";
import type { ArgValues } from "../args.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import type { RequestFields, WINDOW_FLAGS } from "./asked_flags.ts";
import type { DatabaseLocation } from "./database.ts";
import { resolveRef } from "./resolve_ref.ts";
import { printReplyJson, SYSTEM_CALLER, withService } from "./with_service.ts";

/** Options of `planner dc window check`. */
interface CheckWindowOptions extends ArgValues<typeof WINDOW_FLAGS> {
  readonly elements: readonly string[];
  readonly request: RequestFields;
  readonly json: boolean;
}

/** Maximum number of printed lines per section, or per kind of reason; JSON has all. */
const MAX_SHOWN_LINES = 5;
const MAX_SHOWN_CODES = 6;
/** Maximum number of items in each list of the reply. */
const MAX_LISTED_ITEMS = 1000;

const EXIT_STATUS_BY_VERDICT: Readonly<Record<WindowVerdictWord, ExitStatus>> = {
  GO: EXIT_STATUS.ok,
  GO_WITH_RISK: EXIT_STATUS.undecided,
  UNKNOWN: EXIT_STATUS.undecided,
  NO_GO: EXIT_STATUS.refused,
};

/** Prints the verdict on a window and returns its exit status. */
export async function printWindowVerdict(
  database: DatabaseLocation,
  call: CheckWindowOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const { reply, time, zone } = await withService(database, async (service) => {
    const zone = await resolveTimeZone(service, call["time-zone"]);
    const time = parseWindowTime({ from: call.from, for: call.for, until: call.until, zone }, Date.now());
    return { reply: await requestVerdict(service, call, time), time, zone };
  });
  if (call.json) printReplyJson(CheckWindowResponseSchema, reply);
  else {
    print(formatVerdict(reply));
    const [from, to] = [time.startsAt, time.endsAt].map((instant) => formatLocalTime(instant, zone.name));
    log.note(`${from} to ${to}, revision ${reply.revision}. ${formatZoneNote(zone)}`);
  }
  return EXIT_STATUS_BY_VERDICT[WINDOW_VERDICTS[reply.verdict - 1] ?? "UNKNOWN"];
}

/** Resolves texts to references, in their order. */
export async function resolveRefs(service: DcService, texts: readonly string[]): Promise<string[]> {
  const refs: string[] = [];
  for (const text of texts) refs.push(await resolveRef(service, text, []));
  return refs;
}

async function requestVerdict(service: DcService, call: CheckWindowOptions, { startsAt, endsAt }: WindowTime) {
  const request = fromJson(CheckWindowRequestSchema, {
    ...call.request,
    element_refs: await resolveRefs(service, call.elements),
    accepted_refs: await resolveRefs(service, call.accept),
    starts_at: new Date(startsAt).toISOString(),
    ends_at: new Date(endsAt).toISOString(),
    max_items: MAX_LISTED_ITEMS,
  });
  return (await service.call(checkWindowRpc, request, SYSTEM_CALLER)) as CheckWindowResponse;
}

/** Formats the verdict and its reasons. */
export function formatVerdict(reply: CheckWindowResponse): string {
  const inReasons = new Set(reply.reasons.map(({ summary }) => summary));
  const further = reply.nextFailures.map(({ summary }) => summary).filter((summary) => !inReasons.has(summary));
  const byKind = Map.groupBy(reply.reasons, ({ kind }) => kind);
  const reasons = [...byKind.values()].flatMap((all) => limitVerdictLines(all.map(({ summary }) => summary)));
  const sections = [
    formatSection("Reasons", reasons, reply.omittedReasons),
    formatSection("Within the limit if one more fails", limitVerdictLines(further), reply.omittedNextFailures),
    formatSection("Better if also out", limitVerdictLines(reply.relievedBy.map(getRefName))),
    formatSection("Better without the window", reply.blockingWindows),
    formatSection("Tell", limitVerdictLines(reply.contacts.map(formatContact)), reply.omittedContacts),
  ];
  const verdict = formatConstant(WINDOW_VERDICTS[reply.verdict - 1] ?? "");
  const impact = formatConstant(WINDOW_IMPACTS[reply.impact - 1] ?? "").toLowerCase();
  return `${[`${verdict} (${impact})`, ...sections.flat()].join("\n")}\n`;
}

/** Replaces the last lines of a long list by one line with their number. */
function limitVerdictLines(lines: readonly string[]): readonly string[] {
  const rest = lines.length - MAX_SHOWN_LINES;
  return rest > 1 ? [...lines.slice(0, MAX_SHOWN_LINES), `and ${rest} more like these: --json lists them`] : lines;
}

function formatSection(title: string, lines: readonly string[], omitted = 0): readonly string[] {
  if (lines.length === 0) return [];
  const more = omitted > 0 ? [`  and ${omitted} that the reply leaves out`] : [];
  return ["", `${title}:`, ...lines.map((line) => `  ${line}`), ...more];
}

function formatContact({ tenant, contact, lost, lostCount, reserve, reserveCount }: WindowContact): string {
  const who = [tenant, contact].filter((text) => text !== "").join(", ");
  const parts = [
    lostCount > 0 ? `lost ${formatCodes(lost, lostCount)}` : "",
    reserveCount > 0 ? `on the last supply ${formatCodes(reserve, reserveCount)}` : "",
  ].filter((text) => text !== "");
  return `${who === "" ? "no tenant or contact recorded" : who}: ${parts.join("; ")}`;
}

function formatCodes(codes: readonly string[], count: number): string {
  const shown = codes.slice(0, MAX_SHOWN_CODES);
  const rest = count - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** Start and end of a window, in milliseconds since 1970. */
interface WindowTime {
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
  const reply = (await service.call(listWindows, request, SYSTEM_CALLER)) as ListWindowsResponse;
  const { name = "UTC", note = "", ambiguous = false } = reply.timeZone ?? {};
  return { name, reason: note, isAmbiguous: ambiguous };
}
