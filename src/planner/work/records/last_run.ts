import { MAX_RUN_BYTES } from "../../limits.ts";
import type { LogFile } from "../../ports.ts";
import { lastRunText } from "./log_format.ts";

/**
 * Returns the output of the last run in the log, without times. Returns only the end of a run of more than `most`
 * bytes, because the result is there.
 */
export async function readLastRun(log: LogFile, most = MAX_RUN_BYTES): Promise<string> {
  const from = Math.max(0, log.size - most);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await log.read(from, log.size - from));
  return lastRunText(from === 0 ? text : text.slice(text.indexOf("\n") + 1));
}
