import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject } from "#kernel/json_object.ts";
import type { StoredRunReport } from "#planner/run_ports/process_records.ts";
import type { Usage } from "../../work/usage.ts";
import { readJson, textField } from "../files/json_file.ts";
import { PROCESSES } from "../project/places.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the reports in the records of `.planner/processes/`, oldest first. Skips unreadable records. */
export async function readReports(root: string): Promise<readonly StoredRunReport[]> {
  const names = await readdir(join(root, PROCESSES)).catch(() => []);
  const found = names
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .flatMap((name) => {
      const read = readJson(join(root, PROCESSES, name));
      return read.kind === "object" && isJsonObject(read.object["report"])
        ? [storedReport(read.object, read.object["report"])]
        : [];
    });
  return found.sort(
    (a, b) => Date.parse(a.started_at) - Date.parse(b.started_at) || (a.process_id < b.process_id ? -1 : 1),
  );
}

function storedReport(record: Fields, report: Fields): StoredRunReport {
  return {
    process_id: textField(record, "process_id") ?? "",
    spec_id: textField(record, "spec_id") ?? "",
    started_at: textField(record, "started_at") ?? "",
    agent: textField(report, "agent") ?? "",
    model: textField(report, "model"),
    version: textField(report, "version"),
    running: record["status"] === "running",
    mode: textField(record, "mode") ?? "",
    base: textField(record, "base"),
    prompt_sha256: textField(report, "prompt_sha256"),
    session: textField(report, "session"),
    usage: isJsonObject(report["usage"]) ? usageOf(report["usage"]) : null,
    denied: textsOf(report["denied"]),
    outside: textsOf(report["outside"]),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function usageOf(written: Fields): Usage {
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
