import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ImportedEvent, readCalendar } from "#dc/exchange/calendar.ts";
import { convertToCode } from "#dc/exchange/codes.ts";
import { WINDOW_STATES } from "#dc/model/enum_values.ts";
import { codeKey } from "#dc/model/ref.ts";
import type { WaitCallbacks } from "#dc/operations/import/run_import.ts";
import { findUnreadablePath } from "#dc/operations/messages/json_place.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { applyChanges } from "#dc/operations/planning/change_list.ts";
import { readAllWindows } from "#dc/operations/planning/windows/list_windows.ts";
import { findCalendarUid, writeWindowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import type { ExchangeSession } from "#dc/operations/writes/loads.ts";
import { listAllWindows } from "#dc/read_pages.ts";
import type { DcService } from "#dc/service.ts";
import { TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { type BulkReply, Outcome } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  ApplyChangesRequestSchema,
  type InventoryChange,
  InventoryChangeSchema,
} from "#gen/datacenter/v1/planning_pb.ts";
import { type MaintenanceWindow, MaintenanceWindowSchema, WindowState } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type DatabaseLocation, requireDatabase } from "./database.ts";
import { detectByteOrderMark } from "./import/encoding.ts";
import { createWaitReporter, retryTransaction, retryWhileLocked, withImportService } from "./import/import_store.ts";
import { openByteFile } from "./import/text_file.ts";
import { writeLines } from "./line_output.ts";
import { resolveRef } from "./resolve_ref.ts";
import { formatZoneNote, resolveTimeZone } from "./window.ts";
import { createCommandCaller, SYSTEM_CALLER, withService, withStore } from "./with_service.ts";

const COMMAND_CALLER = createCommandCaller("dc window import");
/** Maximum size of a calendar file: more than a thousand events with long texts need. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Writes all windows as JSON Lines, `{"window": {…}}`, in their stored form. */
export async function exportWindowLines(
  database: DatabaseLocation,
  output: string | undefined,
  log: StderrLogger,
): Promise<void> {
  const stored = await withStore(database, (store) => store.read(readAllWindows));
  const lines = stored.map(
    ({ resource }) => `${JSON.stringify({ window: convertModelToJson(MaintenanceWindowSchema, resource) })}\n`,
  );
  log.note(formatCountWithNoun(await writeLines(output, lines), "window"));
}

/** Writes all windows in iCalendar format to a file, or to standard output if no file is given. */
export async function exportCalendar(
  database: DatabaseLocation,
  output: string | undefined,
  log: StderrLogger,
): Promise<void> {
  const text = await withService(database, async (service) => {
    const { windows } = await listAllWindows(service, SYSTEM_CALLER);
    return writeWindowCalendar(windows, { instance: service.calendarInstance, now: Date.now() });
  });
  await writeLines(output, [text]);
  log.note(formatCountWithNoun(text.split("\r\nBEGIN:VEVENT\r\n").length - 1, "window"));
}

/** Options of an import of windows from JSON Lines. */
interface WindowImportOptions {
  readonly file: string;
  readonly text: string;
  readonly isTrial: boolean;
}

export interface CalendarImportOptions {
  readonly file: string;
  readonly element: readonly string[];
  readonly "time-zone": string | undefined;
  readonly "dry-run": boolean;
}

/** The planned change for an event, the reason to skip it, or why it cannot be stored. */
type EventPlan = { readonly event: ImportedEvent; readonly code: string } & (
  | { readonly change: InventoryChange }
  | { readonly left: string }
  | { readonly problem: string }
);

/** Stores the events of a file as windows. Reports an event that cannot be stored, and returns status 1 then. */
export async function importCalendar(
  database: DatabaseLocation,
  call: CalendarImportOptions,
  log: StderrLogger & { readonly cwd: string },
): Promise<ExitStatus> {
  const bytes = readCalendarFile(call.file, log.cwd);
  const wait = { waiting: createWaitReporter(log, false), stopped: () => false };
  // Without this check the import would create an empty database.
  requireDatabase(database);
  return withImportService(database, wait, async (service) => {
    if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(bytes.subarray(0, 256).toString("latin1"))) {
      const text = decodeText(bytes, call.file);
      await importWindowLines(service, { file: call.file, text, isTrial: call["dry-run"] }, wait);
      return EXIT_STATUS.ok;
    }
    const zone = await resolveTimeZone(service, call["time-zone"]);
    const refusal = zone.isAmbiguous ? zone.reason : "";
    const { events, problems } = addFileToErrors(call.file, () => readCalendar(bytes, { name: zone.name, refusal }));
    const elements = await Promise.all(call.element.map((one) => resolveRef(service, one, [])));
    const plans = await planEvents(service, events, { elements, file: call.file });
    const outcomes = await writeChanges(service, plans, { isTrial: call["dry-run"], file: call.file, wait });
    const failed = [...problems.map(({ message }) => `${call.file}: ${message}`), ...printOutcomes(plans, outcomes)];
    for (const problem of failed) log.warn(`${problem}: the event is not stored`);
    log.note(formatZoneNote(zone));
    return failed.length > 0 ? EXIT_STATUS.refused : EXIT_STATUS.ok;
  });
}

/** Stores the windows of an export in one transaction; if one is invalid, none is stored. */
async function importWindowLines(
  service: DcService,
  { file, text, isTrial }: WindowImportOptions,
  wait: WaitCallbacks,
): Promise<void> {
  const windows = parseWindows(file, text);
  const options = { validateOnly: isTrial, requestId: randomUUID(), message: "" };
  const restoreWindows = async ({ restoreWindow }: ExchangeSession) => {
    const done: string[] = [];
    for (const { number, window } of windows) {
      const outcome = await restoreWindow(window);
      if (outcome instanceof OperationError) throw createLineError(file, number, outcome.message);
      done.push(`${window.code}\t${outcome.toLowerCase()}\n`);
    }
    return done;
  };
  const caller = createCommandCaller("dc window import");
  const done = await retryTransaction((work) => service.exchange(work, caller, options), restoreWindows, wait);
  print(done.join(""));
}

/** Parses a file's lines. @throws OperationError for a line without a window, and for a repeated code. */
function parseWindows(file: string, text: string) {
  const numbers = new Map<string, number>();
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const number = index + 1;
    const window = parseWindowLine(file, number, line);
    const earlierLine = numbers.get(codeKey(window.code));
    if (earlierLine !== undefined && window.code !== "")
      throw createLineError(file, number, `"${window.code}" is in line ${earlierLine} already`);
    numbers.set(codeKey(window.code), number);
    return [{ number, window }];
  });
}

function parseWindowLine(file: string, number: number, line: string) {
  try {
    const value: unknown = JSON.parse(line);
    const keys = isJsonObject(value) ? Object.keys(value) : [];
    if (keys.length !== 1 || keys[0] !== "window") throw new Error('expected {"window": …}');
    return parseWindow((value as { readonly window: JsonValue }).window);
  } catch (error) {
    throw createLineError(file, number, (error as Error).message);
  }
}

function parseWindow(json: JsonValue) {
  try {
    return fromJson(MaintenanceWindowSchema, json);
  } catch (error) {
    // The library's messages do not name the field of an invalid time.
    throw new Error(
      `${findUnreadablePath(MaintenanceWindowSchema, json, {}) || "window"}: ${(error as Error).message}`,
    );
  }
}

/** Creates the error for one line of a file with windows. */
function createLineError(file: string, line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `${file}, line ${line}: ${message}`);
}

/** Prints the outcome of each event. Returns why events could not be stored. */
function printOutcomes(plans: readonly EventPlan[], outcomes: ReadonlyMap<EventPlan, EventOutcome>): readonly string[] {
  return plans.flatMap((plan) => {
    const outcome = "change" in plan ? outcomes.get(plan) : "left" in plan ? { done: plan.left } : plan;
    if (outcome === undefined) return [];
    if ("problem" in outcome) return [outcome.problem];
    print(`${plan.code}\t${outcome.done}\n`);
    return [];
  });
}

/** Reads a file in UTF-8, whose folded lines may divide characters, or in UTF-16. */
function readCalendarFile(file: string, cwd: string): Buffer {
  const opened = openByteFile(file === "-" ? file : resolve(cwd, file), file);
  try {
    if (statSync(opened.path).size > MAX_FILE_BYTES)
      throw new OperationError("invalid_argument", `"${file}" is larger than 16 MiB: expected a smaller file`);
    const bytes = readFileSync(opened.path);
    const mark = detectByteOrderMark(bytes);
    if (mark === "utf-16be") bytes.swap16();
    return mark === "utf-16be" || mark === "utf-16le" ? Buffer.from(bytes.subarray(2).toString("utf16le")) : bytes;
  } finally {
    opened.close();
  }
}

function decodeText(bytes: Uint8Array, file: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new OperationError("invalid_argument", `Cannot read "${file}" as UTF-8: save it as UTF-8`);
}

interface FileDefaults {
  /** References of the elements for events that name no element. */
  readonly elements: readonly string[];
  readonly file: string;
}

async function planEvents(
  service: DcService,
  events: readonly ImportedEvent[],
  given: FileDefaults,
): Promise<readonly EventPlan[]> {
  const { windows } = await listAllWindows(service, SYSTEM_CALLER);
  const known = windows.flatMap(({ window }) => window ?? []);
  const byUid = new Map(known.map((window) => [findCalendarUid(window, service.calendarInstance), window]));
  const taken = new Set(known.map(({ code }) => codeKey(code)));
  const plans: EventPlan[] = [];
  for (const event of events) {
    const window = byUid.get(event.uid);
    const code = window?.code ?? chooseWindowCode(event, taken);
    taken.add(codeKey(code));
    const isOwn = window !== undefined && event.instance === service.calendarInstance;
    const left = explainEventSkip(event, window, isOwn);
    const asked = { event, code, window, isOwn };
    if (left !== undefined) plans.push({ event, code, left });
    else plans.push({ event, code, ...(await planChange(service, asked, given)) });
  }
  return plans;
}

/** Derives an unused code from the provider's or the calendar's id of the event. */
function chooseWindowCode({ maintenanceId, uid }: ImportedEvent, taken: ReadonlySet<string>): string {
  const base = convertToCode(maintenanceId) || convertToCode(uid) || "event";
  for (let count = 1; ; count += 1) {
    const code = count === 1 ? base : `${base.slice(0, 60)}-${count}`;
    if (!taken.has(codeKey(code))) return code;
  }
}

/** Returns the reason why an event is skipped, or undefined if it is imported. */
function explainEventSkip(
  { sequence, state, endsAt }: ImportedEvent,
  window: MaintenanceWindow | undefined,
  isOwn: boolean,
): string | undefined {
  const over = state === "DONE" || endsAt <= Date.now() ? "left: over" : undefined;
  if (window === undefined) return state === "CANCELLED" ? "left: cancelled before it was known" : over;
  const last = window.calendarSequence + (isOwn ? window.sequence : 0);
  const isCancelled = window.state === WindowState.CANCELLED;
  // A later SEQUENCE that is not cancelled takes a cancellation back.
  const isReinstated = isCancelled && state !== "CANCELLED" && sequence > last;
  if (isReinstated) return over;
  if (isCancelled || window.state === WindowState.DONE)
    return `left: the window is ${(WINDOW_STATES[window.state - 1] ?? "").toLowerCase()}`;
  return sequence < last ? `left: its SEQUENCE is ${sequence}, and the window has ${last}` : undefined;
}

interface PlannedEvent {
  readonly event: ImportedEvent;
  readonly code: string;
  readonly window: MaintenanceWindow | undefined;
  /** True if this database exported the event, whose texts are then derived from the window. */
  readonly isOwn: boolean;
}

async function planChange(
  service: DcService,
  asked: PlannedEvent,
  { elements, file }: FileDefaults,
): Promise<{ readonly change: InventoryChange } | { readonly problem: string }> {
  const { event, window } = asked;
  try {
    const objectRefs = await resolveEventObjects(service, event, file);
    const elementRefs = objectRefs.length > 0 ? objectRefs : (window?.elementRefs ?? [...elements]);
    const expected = "expected X-MAINTNOTE-OBJECT-ID, or --element";
    if (elementRefs.length === 0)
      throw createLineError(file, event.line, `the event names nothing that is out: ${expected}`);
    return { change: createChange(asked, elementRefs) };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { problem: error.message };
  }
}

function createChange({ event, code, window, isOwn }: PlannedEvent, elementRefs: string[]): InventoryChange {
  const texts = {
    title: truncateCharacters(event.title, TEXT_LENGTHS.MaintenanceWindow.title),
    notes: truncateCharacters(event.description, TEXT_LENGTHS.MaintenanceWindow.notes),
    owner: truncateCharacters(event.owner, TEXT_LENGTHS.MaintenanceWindow.owner),
    contact: truncateCharacters(event.contact, TEXT_LENGTHS.MaintenanceWindow.contact),
    calendarUid: event.uid,
    calendarSequence: event.sequence,
  };
  const moved = ["starts_at", "ends_at", "element_refs", "state"];
  const state = event.state === "PLANNED" && window?.state === WindowState.BEGUN ? "BEGUN" : event.state;
  const stored = {
    code,
    elementRefs,
    startsAt: timestampFromMs(event.startsAt),
    endsAt: timestampFromMs(event.endsAt),
    state: WindowState[state],
    ...(!isOwn && texts),
  };
  return create(InventoryChangeSchema, {
    write: { case: "window", value: create(MaintenanceWindowSchema, stored) },
    updateMask: {
      paths: isOwn ? moved : [...moved, "title", "notes", "owner", "contact", "calendar_uid", "calendar_sequence"],
    },
    etag: window?.etag ?? "none",
  });
}

/** Truncates a text without splitting a surrogate pair, because a protobuf string cannot contain half a pair. */
function truncateCharacters(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
}

/** Resolves the objects of an event to references. @throws OperationError with the line of an unknown name. */
async function resolveEventObjects(service: DcService, event: ImportedEvent, file: string): Promise<string[]> {
  const refs: string[] = [];
  for (const { id, line } of event.objects) {
    try {
      refs.push(await resolveRef(service, id, []));
    } catch (error) {
      throw createLineError(file, line, (error as Error).message);
    }
  }
  return refs;
}

type EventOutcome = { readonly done: string } | { readonly problem: string };

type ChangePlan = Extract<EventPlan, { readonly change: InventoryChange }>;

/** Writes all changes that can be written in one transaction. Returns the outcome of each. */
async function writeChanges(
  service: DcService,
  plans: readonly EventPlan[],
  { isTrial, file, wait }: { readonly isTrial: boolean; readonly file: string; readonly wait: WaitCallbacks },
): Promise<ReadonlyMap<EventPlan, EventOutcome>> {
  const outcomes = new Map<EventPlan, EventOutcome>();
  let open = plans.filter((plan): plan is ChangePlan => "change" in plan);
  for (let before = open.length + 1; open.length > 0 && open.length < before; ) {
    const changes = open.map(({ change }) => change);
    const request = create(ApplyChangesRequestSchema, { changes, validateOnly: isTrial });
    const call = () => service.call(applyChanges, request, COMMAND_CALLER);
    const { results, failed } = (await retryWhileLocked(call, wait)) as BulkReply;
    const isAborted = (at: number) => failed > 0 && results[at]?.outcome === Outcome.ABORTED;
    for (const [at, plan] of open.entries()) {
      const { message = "" } = results[at]?.error ?? {};
      const done = isTrial ? "would be stored" : formatOutcome(results[at]?.outcome);
      const problem = createLineError(file, plan.event.line, message.replaceAll(`changes[${at}].`, "")).message;
      if (!isAborted(at)) outcomes.set(plan, failed === 0 ? { done } : { problem });
    }
    before = open.length;
    // Without the events that failed, the others can be written.
    open = open.filter((_, at) => isAborted(at));
  }
  return outcomes;
}

function formatOutcome(outcome: Outcome | undefined): string {
  if (outcome === Outcome.CREATED) return "created";
  return outcome === Outcome.UPDATED ? "updated" : "unchanged";
}

function addFileToErrors<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(error.kind, `${file}: ${error.message}`, { cause: error });
  }
}
