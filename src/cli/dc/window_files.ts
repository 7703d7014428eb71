import { randomUUID } from "node:crypto";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { codeKey } from "#dc/model/ref.ts";
import type { WaitCallbacks } from "#dc/operations/import/run_import.ts";
import { findUnreadablePath } from "#dc/operations/messages/json_place.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { readAllWindows } from "#dc/operations/planning/windows/list_windows.ts";
import { writeWindowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import type { ExchangeSession } from "#dc/operations/writes/loads.ts";
import { listAllWindows } from "#dc/read_pages.ts";
import type { DcService } from "#dc/service.ts";
import { MaintenanceWindowSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import type { DatabaseLocation } from "./database.ts";
import { retryTransaction } from "./import/import_store.ts";
import { writeLines } from "./line_output.ts";
import { createCommandCaller, SYSTEM_CALLER, withService, withStore } from "./with_service.ts";

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
export interface WindowImportOptions {
  readonly file: string;
  readonly text: string;
  readonly isTrial: boolean;
}

/** Stores the windows of an export in one transaction; if one is invalid, none is stored. */
export async function importWindowLines(
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
export function createLineError(file: string, line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `${file}, line ${line}: ${message}`);
}
