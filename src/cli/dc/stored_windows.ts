import { create, fromJson, toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { WINDOW_STATES, WINDOW_VERDICTS } from "#dc/model/enum_values.ts";
import { upsertWindow } from "#dc/operations/planning/windows/put_window.ts";
import { getWindow } from "#dc/operations/planning/windows/window_reads.ts";
import { listAllWindows } from "#dc/read_pages.ts";
import type { DcService } from "#dc/service.ts";
import {
  GetWindowRequestSchema,
  type GetWindowResponse,
  GetWindowResponseSchema,
  type ListedWindow,
  ListWindowsRequestSchema,
  type ListWindowsResponse,
  ListWindowsResponseSchema,
  UpsertWindowRequestSchema,
  WindowState,
} from "#gen/datacenter/v1/windows_pb.ts";
import { formatLocalTime } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";
import { escapeXml } from "#kernel/escape.ts";
import { formatConstant, formatCountWithNoun, getRefName, listSomeNames } from "#words/names.ts";
import type { ArgValues } from "../args.ts";
import { print, printJson } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, printTable } from "../output/table.ts";
import type { RequestFields, WINDOW_FLAGS } from "./asked_flags.ts";
import type { DatabaseLocation } from "./database.ts";
import { resolveRef } from "./resolve_ref.ts";
import {
  type CommandZone,
  formatVerdict,
  formatZoneNote,
  parseWindowTime,
  resolveRefs,
  resolveTimeZone,
} from "./window.ts";
import { createCommandCaller, printReplyJson, SYSTEM_CALLER, withService } from "./with_service.ts";

const COMMAND_CALLER = createCommandCaller("dc window");
/** Maximum number of items in each list of a verdict. */
const MAX_LISTED_ITEMS = 1000;

/** Options of `planner dc window add`. */
interface AddWindowOptions extends ArgValues<typeof WINDOW_FLAGS> {
  readonly code: string;
  readonly elements: readonly string[];
  readonly title: string | undefined;
  readonly notes: string | undefined;
  readonly owner: string | undefined;
  readonly contact: string | undefined;
}

/** Stores a window and prints its verdict. @throws OperationError if a window with this code exists. */
export async function addWindow(database: DatabaseLocation, call: AddWindowOptions, log: StderrLogger): Promise<void> {
  const { title = "", notes = "", owner = "", contact = "" } = call;
  await withService(database, async (service) => {
    const zone = await resolveTimeZone(service, call["time-zone"]);
    const { startsAt, endsAt } = parseWindowTime({ ...call, zone }, Date.now());
    const window = {
      ...{ code: call.code, title, notes, owner, contact },
      elementRefs: await resolveRefs(service, call.elements),
      acceptedRefs: await resolveRefs(service, call.accept),
      startsAt: timestampFromMs(startsAt),
      endsAt: timestampFromMs(endsAt),
    };
    await service.call(upsertWindow, create(UpsertWindowRequestSchema, { window, etag: "none" }), COMMAND_CALLER);
    print(formatWindow(await readWindow(service, call.code), zone.name));
    log.note(formatZoneNote(zone));
  });
}

interface ShowWindowOptions {
  readonly code: string;
  readonly "time-zone": string | undefined;
  readonly json: boolean;
}

/** Prints a window and its verdict. */
export async function printWindow(
  database: DatabaseLocation,
  call: ShowWindowOptions,
  log: StderrLogger,
): Promise<void> {
  await withService(database, async (service) => {
    const reply = await readWindow(service, call.code);
    const zone = await resolveTimeZone(service, call["time-zone"]);
    if (call.json) return printReplyJson(GetWindowResponseSchema, reply);
    print(formatWindow(reply, zone.name));
    log.note(formatZoneNote(zone));
  });
}

interface ListWindowsOptions {
  readonly element: string | undefined;
  readonly request: RequestFields;
  readonly "time-zone": string | undefined;
  readonly json: boolean;
}

/** Prints all windows that match the options, with their verdicts. */
export async function printWindows(
  database: DatabaseLocation,
  call: ListWindowsOptions,
  log: StderrLogger,
): Promise<void> {
  await withService(database, async (service) => {
    const zone = await resolveTimeZone(service, call["time-zone"]);
    const reply = await readMatchedWindows(service, call);
    if (call.json) return printReplyJson(ListWindowsResponseSchema, reply);
    printTable(reply.windows, createWindowColumns(zone));
    log.note(`${reply.windows.length === 0 ? "No windows. " : ""}${formatZoneNote(zone)}`);
  });
}

async function readMatchedWindows(
  service: DcService,
  { element = "", request }: ListWindowsOptions,
): Promise<ListWindowsResponse> {
  const element_ref = await resolveRef(service, element, []);
  return listAllWindows(service, SYSTEM_CALLER, fromJson(ListWindowsRequestSchema, { ...request, element_ref }));
}

/** Sets a window's state. @throws OperationError if the state cannot follow the current one. */
export async function setWindowState(
  database: DatabaseLocation,
  code: string,
  state: keyof typeof WindowState,
): Promise<void> {
  const request = create(UpsertWindowRequestSchema, {
    window: { code, state: WindowState[state] },
    updateMask: { paths: ["state"] },
  });
  await withService(database, async (service) => {
    // The window is read first, because the write of an unknown code would report missing elements.
    const { window } = await readWindow(service, code);
    await service.call(upsertWindow, request, COMMAND_CALLER);
    print(`Window ${window?.code ?? code} is ${formatConstant(state).toLowerCase()}\n`);
  });
}

/** Prints the work instructions of a window, as text or as a page for a printer. */
export async function printWindowSheet(
  database: DatabaseLocation,
  code: string,
  format: "text" | "html",
): Promise<void> {
  const reply = await readOpenWindow(database, code);
  print(format === "html" ? formatSheetPage(reply) : formatSheetText(reply));
}

/** Prints a mail for each contact of a window. */
export async function printWindowNotices(
  database: DatabaseLocation,
  { code, json }: { readonly code: string; readonly json: boolean },
  log: StderrLogger,
): Promise<void> {
  const reply = await readOpenWindow(database, code);
  const { notices } = reply;
  if (json) {
    const all = toJson(GetWindowResponseSchema, reply, { useProtoFieldName: true });
    return printJson({ notices: (all as { readonly notices?: readonly object[] }).notices ?? [] });
  }
  print(notices.map(({ subject, text }) => `Subject: ${subject}\n${text}`).join("\n----\n\n"));
  log.note(
    notices.length === 0
      ? "Nobody to tell: no device is lost or on its last supply"
      : formatCountWithNoun(notices.length, "notice"),
  );
}

/** Reads a window with its verdict. @throws OperationError for a code that no window has. */
async function readWindow(service: DcService, code: string): Promise<GetWindowResponse> {
  const request = create(GetWindowRequestSchema, { code, maxItems: MAX_LISTED_ITEMS });
  return (await service.call(getWindow, request, SYSTEM_CALLER)) as GetWindowResponse;
}

function formatWindow({ window, overdue, judgement }: GetWindowResponse, zone: string): string {
  if (window === undefined) return "";
  const { code, title, startsAt, endsAt, elementRefs, state, owner, contact, notes } = window;
  const lines = [
    [code, title].filter((text) => text !== "").join(": "),
    `${formatWindowState(state, overdue)}, ${formatTime(startsAt, zone)} to ${formatTime(endsAt, zone)}`,
    `Out: ${elementRefs.map(getRefName).join(", ")}`,
    ...[owner, contact].filter((text) => text !== ""),
    ...(notes === "" ? [] : [notes]),
  ];
  const verdict = judgement === undefined ? "" : `\n${formatVerdict(judgement)}`;
  return `${lines.join("\n")}\n${verdict}`;
}

const MAX_SHOWN_ELEMENTS = 3;

function createWindowColumns({ name: zone, isAmbiguous }: CommandZone): readonly Column<ListedWindow>[] {
  // If sites are in several zones, readers could mistake a time without a zone for their own site's time.
  const formatTimeInZone = (time: Timestamp | undefined) => `${formatTime(time, zone)}${isAmbiguous ? ` ${zone}` : ""}`;
  return [
    { title: "CODE", text: ({ window }) => window?.code ?? "" },
    { title: "FROM", text: ({ window }) => formatTimeInZone(window?.startsAt) },
    { title: "TO", text: ({ window }) => formatTimeInZone(window?.endsAt) },
    { title: "STATE", text: ({ window, overdue }) => formatWindowState(window?.state ?? 0, overdue) },
    { title: "VERDICT", text: ({ verdict }) => formatConstant(WINDOW_VERDICTS[verdict - 1] ?? "") || "-" },
    {
      title: "OUT",
      text: ({ window }) => listSomeNames((window?.elementRefs ?? []).map(getRefName), MAX_SHOWN_ELEMENTS),
      shrinks: true,
    },
    { title: "TITLE", text: ({ window }) => window?.title || "-", shrinks: true },
  ];
}

function formatWindowState(state: WindowState, overdue: boolean): string {
  const word = formatConstant(WINDOW_STATES[state - 1] ?? "");
  return overdue ? `${word}, overdue` : word;
}

function formatTime(time: Timestamp | undefined, zone: string): string {
  return time === undefined ? "" : formatLocalTime(timestampMs(time), zone);
}

/** Reads a window that has not ended. @throws OperationError for a window that has ended. */
async function readOpenWindow(database: DatabaseLocation, code: string): Promise<GetWindowResponse> {
  const reply = await withService(database, (service) => readWindow(service, code));
  if (reply.judgement !== undefined) return reply;
  throw new OperationError(
    "failed_precondition",
    `Window "${code}" is done or cancelled: expected one that is planned or begun`,
  );
}

function formatSheetText({ sheet }: GetWindowResponse): string {
  return `${sheet.map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n\n")}\n`;
}

const SHEET_STYLE =
  "body{font:11pt/1.4 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#1b1f24;background:#fff}" +
  "h1{font-size:1.4em}h2{font-size:1.1em;margin:1.2em 0 .3em;border-bottom:1px solid #888}section{break-inside:avoid-page}" +
  "ul{list-style:none;padding:0;margin:0}li{padding:.15em 0 .15em 1.6em;position:relative;overflow-wrap:anywhere}" +
  'li::before{content:"";position:absolute;left:.2em;top:.45em;width:.7em;height:.7em;border:1px solid #555}' +
  "@media print{body{margin:0;max-width:none}}";

/** Formats a page with a checkbox before each line. */
function formatSheetPage({ window, sheet }: GetWindowResponse): string {
  const heading = `Run sheet ${window?.code ?? ""}`;
  const sections = sheet.map(
    ({ title, lines }) =>
      `<section><h2>${escapeXml(title)}</h2>\n<ul>\n${lines.map((line) => `<li>${escapeXml(line)}</li>`).join("\n")}\n</ul></section>`,
  );
  return (
    `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<title>${escapeXml(heading)}</title><style>${SHEET_STYLE}</style></head>\n<body>\n<h1>${escapeXml(heading)}</h1>\n` +
    `${sections.join("\n")}\n</body>\n</html>\n`
  );
}
