import { OperationError } from "#kernel/errors.ts";
import { getJsonFields, isJsonObject } from "#kernel/json_object.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { RunPorts } from "#planner/store/processes/open_runs.ts";
import { cleanLastLines } from "#planner/work/provenance.ts";
import { type KeptRunRecord, parseRecordTexts } from "#planner/work/records/read_record.ts";
import { sanitizeLine } from "./output/print.ts";
import { UsageError } from "./usage_error.ts";

type RecordFields = Readonly<Record<string, unknown>>;

/** Reads the record of a run by its number or `last`. @throws OperationError not_found that lists the existing runs */
export async function readRunRecord(ports: RunPorts, id: SpecId, word: string): Promise<KeptRunRecord> {
  const isNumber = /^[1-9]\d{0,8}$/.test(word);
  if (!isNumber && word !== "last") {
    throw new UsageError(`Wrong value "${word}" for "--run": expected the number of a run from 1, or last`, null);
  }
  const found = await ports.worktrees.readRecord(id, isNumber ? Number(word) : null);
  if (found !== null) return found;
  const latest = isNumber ? await ports.worktrees.readRecord(id, null) : null;
  const there = latest === null ? "no run has left a record" : `runs with a record: ${latest.runs.join(", ")}`;
  throw new OperationError("not_found", `Spec '${id}' has no record of run "${word}": ${there}`);
}

/** Formats a record for people, one fact per line. */
export function formatRunRecord({ run, runs, record }: KeptRunRecord): string {
  const agent = getJsonFields(record["agent"]);
  const usage = getJsonFields(record["usage"]);
  const merged = getJsonFields(record["merged"]);
  const lines: (readonly [name: string, value: string])[] = [
    ["run", `${run} of ${runs.length}: ${formatFieldText(record["status"])}`],
    ...parseFieldList(record["reasons"]).map((reason) => ["because", formatFieldText(reason)] as const),
    ...parseFieldList(record["warnings"]).map((warning) => ["note", formatFieldText(warning)] as const),
    ["time", `${formatFieldText(record["started_at"])} to ${formatFieldText(record["ended_at"])}`],
    ["agent", [agent["name"], agent["model"]].filter(Boolean).map(formatFieldText).join(", ")],
    [
      "branch",
      `${formatFieldText(record["branch"])}, ${shortenValue(record["base"])}..${shortenValue(record["head"])}`,
    ],
    ...parseFieldList(record["commits"]).map((one) => ["commit", formatCommit(getJsonFields(one))] as const),
    ...parseFieldList(record["files"]).map((file) => ["file", formatFieldText(file)] as const),
    ...parseFieldList(record["criteria"]).flatMap((one) => {
      const criterion = getJsonFields(one);
      return [["criterion", formatCriterion(criterion)] as const, ...listLastLines(getJsonFields(criterion["check"]))];
    }),
    ...parseFieldList(record["verify"]).flatMap((one) => {
      const result = getJsonFields(one);
      return [["verify", formatCommand(result)] as const, ...listLastLines(result)];
    }),
    ...parseFieldList(record["denied"]).map((one) => ["denied", formatDeniedCall(one)] as const),
  ];
  if (typeof record["allow"] === "string") lines.push(["to allow", record["allow"]]);
  if (typeof record["last_words"] === "string") lines.push(["said", record["last_words"]]);
  if (isJsonObject(record["usage"])) {
    const cost = typeof usage["cost_usd"] === "number" ? `, $${usage["cost_usd"].toFixed(4)}` : "";
    lines.push([
      "used",
      `${formatFieldText(usage["input_tokens"])} tokens in, ${formatFieldText(usage["output_tokens"])} out${cost}`,
    ]);
  }
  for (const one of parseFieldList(merged["commits"])) {
    const { hash, patch_id } = getJsonFields(one);
    lines.push([
      "merged",
      `${shortenValue(hash)} at ${formatFieldText(merged["at"])}, patch ${shortenValue(patch_id)}`,
    ]);
  }
  return lines.map(([name, value]) => `${sanitizeLine(`${name.padEnd(10)}${value}`)}\n`).join("");
}

/** Returns the last lines of a failed command's output. */
function listLastLines({ last_lines }: RecordFields): (readonly [name: string, value: string])[] {
  return cleanLastLines(parseRecordTexts(last_lines)).map((line) => ["", `| ${line}`]);
}

function formatCommit({ hash, subject }: RecordFields): string {
  return `${shortenValue(hash)} ${formatFieldText(subject)}`;
}

function formatCriterion({ label, checked, lost, check }: RecordFields): string {
  const proof = isJsonObject(check) ? `; ${formatCommand(check)}` : "";
  return `[${checked === true ? "x" : " "}] ${formatFieldText(label)}${lost === true ? " (removed by the run)" : ""}${proof}`;
}

function formatCommand({ command, status, duration_ms, problem }: RecordFields): string {
  const end =
    problem === null || problem === undefined ? `status ${formatFieldText(status)}` : formatFieldText(problem);
  return `"${formatFieldText(command)}" ${end}, ${formatFieldText(duration_ms)} ms`;
}

/** Formats a denied call. Records of earlier versions also contain the setting that would allow the call. */
function formatDeniedCall(one: unknown): string {
  const { what = one, allow } = getJsonFields(one);
  return typeof allow === "string" ? `${formatFieldText(what)} (to allow it: ${allow})` : formatFieldText(what);
}

function parseFieldList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function formatFieldText(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "-" : JSON.stringify(value);
}

function shortenValue(value: unknown): string {
  return formatFieldText(value).slice(0, 10);
}
