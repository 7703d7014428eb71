import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "#kernel/json_object.ts";
import type { StoredRunReport } from "#planner/work/records/process_record.ts";
import { parseRecordTexts } from "../../work/records/read_record.ts";
import type { Usage } from "../../work/usage.ts";
import { getTextField, readJsonFile } from "../files/read_text.ts";
import { PROCESSES_FOLDER } from "../project/places.ts";

type JsonFields = Readonly<Record<string, unknown>>;

/** Returns the reports in the records of `.planner/processes/`, oldest first. Skips unreadable records. */
export async function readRunReports(root: string): Promise<readonly StoredRunReport[]> {
  const names = await readdir(join(root, PROCESSES_FOLDER)).catch(() => []);
  const found = names
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .flatMap((name) => {
      const read = readJsonFile(join(root, PROCESSES_FOLDER, name));
      return read.kind === "object" && isJsonObject(read.object["report"])
        ? [parseStoredReport(read.object, read.object["report"])]
        : [];
    });
  return found.sort(
    (a, b) => Date.parse(a.started_at) - Date.parse(b.started_at) || (a.process_id < b.process_id ? -1 : 1),
  );
}

function parseStoredReport(record: JsonFields, report: JsonFields): StoredRunReport {
  return {
    process_id: getTextField(record, "process_id") ?? "",
    spec_id: getTextField(record, "spec_id") ?? "",
    started_at: getTextField(record, "started_at") ?? "",
    agent: getTextField(report, "agent") ?? "",
    model: getTextField(report, "model"),
    version: getTextField(report, "version"),
    running: record["status"] === "running",
    mode: getTextField(record, "mode") ?? "",
    base: getTextField(record, "base"),
    prompt_sha256: getTextField(report, "prompt_sha256"),
    session: getTextField(report, "session"),
    usage: isJsonObject(report["usage"]) ? parseUsage(report["usage"]) : null,
    denied: parseRecordTexts(report["denied"]),
    outside: parseRecordTexts(report["outside"]),
  };
}

function parseUsage(written: JsonFields): Usage {
  const count = (name: string): number => {
    const value = written[name];
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  return {
    input_tokens: count("input_tokens"),
    cached_input_tokens: count("cached_input_tokens"),
    output_tokens: count("output_tokens"),
    cost_usd: typeof written["cost_usd"] === "number" ? count("cost_usd") : null,
  };
}
