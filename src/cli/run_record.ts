import { OperationError } from "#kernel/errors.ts";
import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { RunPorts } from "#planner/run_ports/run_ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { sanitizeLine } from "./output/plain_text.ts";
import { UsageError } from "./usage_error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the record of a run.
 * @param word the number of a run, or `last`
 * @throws OperationError `not_found` that lists the existing runs
 */
export async function readRunRecord(ports: RunPorts, id: SpecId, word: string): Promise<KeptRunRecord> {
  const isNumber = /^[1-9]\d{0,8}$/.test(word);
  if (!isNumber && word !== "last") {
    throw new UsageError(`Wrong value "${word}" for "--run": expected the number of a run from 1, or last`, null);
  }
  const found = await ports.worktrees.record(id, isNumber ? Number(word) : null);
  if (found !== null) return found;
  const latest = isNumber ? await ports.worktrees.record(id, null) : null;
  const there = latest === null ? "no run has left a record" : `runs with a record: ${latest.runs.join(", ")}`;
  throw new OperationError("not_found", `Spec '${id}' has no record of run "${word}": ${there}`);
}

/** Formats a record for people, one fact per line. */
export function formatRecord({ run, runs, record }: KeptRunRecord): string {
  const agent = getJsonFields(record["agent"]);
  const usage = getJsonFields(record["usage"]);
  const merged = getJsonFields(record["merged"]);
  const lines: (readonly [name: string, value: string])[] = [
    ["run", `${run} of ${runs.length}: ${toText(record["status"])}`],
    ...toList(record["reasons"]).map((reason) => ["because", toText(reason)] as const),
    ...toList(record["warnings"]).map((warning) => ["note", toText(warning)] as const),
    ["time", `${toText(record["started_at"])} to ${toText(record["ended_at"])}`],
    ["agent", [agent["name"], agent["model"]].filter(Boolean).map(toText).join(", ")],
    ["branch", `${toText(record["branch"])}, ${shortenValue(record["base"])}..${shortenValue(record["head"])}`],
    ...toList(record["commits"]).map((one) => ["commit", formatCommit(getJsonFields(one))] as const),
    ...toList(record["files"]).map((file) => ["file", toText(file)] as const),
    ...toList(record["criteria"]).map((one) => ["criterion", formatCriterion(getJsonFields(one))] as const),
    ...toList(record["verify"]).map((one) => ["verify", formatCommand(getJsonFields(one))] as const),
    ...toList(record["denied"]).map((one) => ["denied", formatDenied(one)] as const),
  ];
  if (typeof record["allow"] === "string") lines.push(["to allow", record["allow"]]);
  if (typeof record["last_words"] === "string") lines.push(["said", record["last_words"]]);
  if (isJsonObject(record["usage"])) {
    const cost = typeof usage["cost_usd"] === "number" ? `, $${usage["cost_usd"].toFixed(4)}` : "";
    lines.push(["used", `${toText(usage["input_tokens"])} tokens in, ${toText(usage["output_tokens"])} out${cost}`]);
  }
  for (const one of toList(merged["commits"])) {
    const { hash, patch_id } = getJsonFields(one);
    lines.push(["merged", `${shortenValue(hash)} at ${toText(merged["at"])}, patch ${shortenValue(patch_id)}`]);
  }
  return lines.map(([name, value]) => `${sanitizeLine(`${name.padEnd(10)}${value}`)}\n`).join("");
}

function formatCommit({ hash, subject }: Fields): string {
  return `${shortenValue(hash)} ${toText(subject)}`;
}

function formatCriterion({ label, checked, lost, check }: Fields): string {
  const proof = isJsonObject(check) ? `; ${formatCommand(check)}` : "";
  return `[${checked === true ? "x" : " "}] ${toText(label)}${lost === true ? " (removed by the run)" : ""}${proof}`;
}

function formatCommand({ command, status, duration_ms, problem }: Fields): string {
  const end = problem === null || problem === undefined ? `status ${toText(status)}` : toText(problem);
  return `"${toText(command)}" ${end}, ${toText(duration_ms)} ms`;
}

/** Formats a denied call. Records of earlier versions also contain the setting that would allow it. */
function formatDenied(one: unknown): string {
  const { what = one, allow } = getJsonFields(one);
  return typeof allow === "string" ? `${toText(what)} (to allow it: ${allow})` : toText(what);
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "-" : JSON.stringify(value);
}

function shortenValue(value: unknown): string {
  return toText(value).slice(0, 10);
}
