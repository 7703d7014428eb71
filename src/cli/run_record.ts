import { OperationError } from "#kernel/errors.ts";
import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { KeptRunRecord } from "#planner/run_ports/kept_records.ts";
import type { RunPorts } from "#planner/run_ports/run_ports.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { plainLine } from "./output/plain_text.ts";
import { UsageError } from "./usage_error.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the record that a run has left.
 *
 * @param word the number of a run, or `last`
 * @throws OperationError `not_found` that names the runs there are
 */
export async function keptRecord(ports: RunPorts, id: SpecId, word: string): Promise<KeptRunRecord> {
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

/** Returns a record for people, a line for each fact. */
export function recordText({ run, runs, record }: KeptRunRecord): string {
  const agent = getJsonFields(record["agent"]);
  const usage = getJsonFields(record["usage"]);
  const merged = getJsonFields(record["merged"]);
  const lines: (readonly [name: string, value: string])[] = [
    ["run", `${run} of ${runs.length}: ${text(record["status"])}`],
    ...list(record["reasons"]).map((reason) => ["because", text(reason)] as const),
    ...list(record["warnings"]).map((warning) => ["note", text(warning)] as const),
    ["time", `${text(record["started_at"])} to ${text(record["ended_at"])}`],
    ["agent", [agent["name"], agent["model"]].filter(Boolean).map(text).join(", ")],
    ["branch", `${text(record["branch"])}, ${shortenValue(record["base"])}..${shortenValue(record["head"])}`],
    ...list(record["commits"]).map((one) => ["commit", commitText(getJsonFields(one))] as const),
    ...list(record["files"]).map((file) => ["file", text(file)] as const),
    ...list(record["criteria"]).map((one) => ["criterion", criterionText(getJsonFields(one))] as const),
    ...list(record["verify"]).map((one) => ["verify", commandText(getJsonFields(one))] as const),
    ...list(record["denied"]).map((one) => ["denied", deniedText(one)] as const),
  ];
  if (typeof record["allow"] === "string") lines.push(["to allow", record["allow"]]);
  if (typeof record["last_words"] === "string") lines.push(["said", record["last_words"]]);
  if (isJsonObject(record["usage"])) {
    const cost = typeof usage["cost_usd"] === "number" ? `, $${usage["cost_usd"].toFixed(4)}` : "";
    lines.push(["used", `${text(usage["input_tokens"])} tokens in, ${text(usage["output_tokens"])} out${cost}`]);
  }
  for (const one of list(merged["commits"])) {
    const { hash, patch_id } = getJsonFields(one);
    lines.push(["merged", `${shortenValue(hash)} at ${text(merged["at"])}, patch ${shortenValue(patch_id)}`]);
  }
  return lines.map(([name, value]) => `${plainLine(`${name.padEnd(10)}${value}`)}\n`).join("");
}

function commitText({ hash, subject }: Fields): string {
  return `${shortenValue(hash)} ${text(subject)}`;
}

function criterionText({ label, checked, lost, check }: Fields): string {
  const proof = isJsonObject(check) ? `; ${commandText(check)}` : "";
  return `[${checked === true ? "x" : " "}] ${text(label)}${lost === true ? " (removed by the run)" : ""}${proof}`;
}

function commandText({ command, status, duration_ms, problem }: Fields): string {
  const end = problem === null || problem === undefined ? `status ${text(status)}` : text(problem);
  return `"${text(command)}" ${end}, ${text(duration_ms)} ms`;
}

/** Records of earlier versions have the setting that allows a call beside it. */
function deniedText(one: unknown): string {
  const { what = one, allow } = getJsonFields(one);
  return typeof allow === "string" ? `${text(what)} (to allow it: ${allow})` : text(what);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "-" : JSON.stringify(value);
}

function shortenValue(value: unknown): string {
  return text(value).slice(0, 10);
}
