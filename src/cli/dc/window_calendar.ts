import { everyWindow } from "#dc/every_window.ts";
import { windowCalendar } from "#dc/operations/planning/windows/window_calendar.ts";
import { counted } from "#words/names.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import type { Database } from "./database.ts";
import { writeLines } from "./line_output.ts";
import { withService } from "./with_service.ts";

/** Writes all windows as an iCalendar file, to standard output without one. */
export async function exportCalendar(database: Database, output: string | undefined, log: StderrLogger): Promise<void> {
  const text = await withService(database, async (service) => {
    const { windows } = await everyWindow(service, { interface: "SYSTEM" });
    return windowCalendar(windows, { instance: service.instance, now: Date.now() });
  });
  await writeLines(output, [text]);
  log.note(counted(text.split("\r\nBEGIN:VEVENT\r\n").length - 1, "window"));
}
