import { randomUUID } from "node:crypto";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { unreadablePlace } from "#dc/operations/messages/json_place.ts";
import { modelJson } from "#dc/operations/messages/model_json.ts";
import { allWindows } from "#dc/operations/planning/windows/stored_windows.ts";
import { MaintenanceWindowSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { counted } from "#words/names.ts";
import { print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { withStore } from "./audit/audit_store.ts";
import { commandCaller } from "./command_caller.ts";
import type { Database } from "./database.ts";
import { writeLines } from "./line_output.ts";
import { withService } from "./with_service.ts";

/** Writes all windows as JSON Lines, `{"window": {…}}`, as they are stored. */
export async function exportWindowLines(
  database: Database,
  output: string | undefined,
  log: StderrLogger,
): Promise<void> {
  const stored = await withStore(database, (store) => store.read(allWindows));
  const lines = stored.map(
    ({ resource }) => `${JSON.stringify({ window: modelJson(MaintenanceWindowSchema, resource) })}\n`,
  );
  log.note(counted(await writeLines(output, lines), "window"));
}

/** Stores windows as an export has them, in one transaction: all, or none if one has a fault. */
export async function importWindowLines(
  database: Database,
  { file, text, isTrial }: { readonly file: string; readonly text: string; readonly isTrial: boolean },
): Promise<void> {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : { line, number: index + 1 }));
  const windows = lines.map(({ line, number }) => ({ number, window: readLine(file, number, line) }));
  const options = { validateOnly: isTrial, requestId: randomUUID(), message: "" };
  await withService(database, async (service) => {
    const outcomes = await service.exchange(
      async ({ restoreWindow }) => {
        const done: string[] = [];
        for (const { number, window } of windows) {
          const outcome = await restoreWindow(window);
          if (outcome instanceof OperationError) throw fault(file, number, outcome.message);
          done.push(`${window.code}\t${outcome.toLowerCase()}\n`);
        }
        return done;
      },
      commandCaller("dc window import"),
      options,
    );
    print(outcomes.join(""));
  });
}

function readLine(file: string, number: number, line: string) {
  try {
    const value: unknown = JSON.parse(line);
    const keys = isJsonObject(value) ? Object.keys(value) : [];
    if (keys.length !== 1 || keys[0] !== "window") throw new Error('expected {"window": …}');
    return readWindow((value as { readonly window: JsonValue }).window);
  } catch (error) {
    throw fault(file, number, (error as Error).message);
  }
}

function readWindow(json: JsonValue) {
  try {
    return fromJson(MaintenanceWindowSchema, json);
  } catch (error) {
    // The messages of the library name no field of a time.
    throw new Error(`${unreadablePlace(MaintenanceWindowSchema, json, {}) || "window"}: ${(error as Error).message}`);
  }
}

function fault(file: string, line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `${file}, line ${line}: ${message}`);
}
