import { isJsonObject } from "#kernel/json_object.ts";
import type { NewProcessRecord, RunReport } from "#planner/work/records/process_record.ts";
import {
  type BranchCommit,
  type BranchHead,
  type CommitFacts,
  type OutputMark,
  parseRecordTexts,
} from "#planner/work/records/read_record.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import { parseCriteria } from "../../spec/criteria.ts";
import { parseReadable } from "../../spec/document.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import type { JudgedCriterion } from "../acceptance.ts";
import { isPlannerCommit } from "../commit_message.ts";
import type { RunEnd } from "../end_of_run.ts";
import { deriveTickVerdict, type Provenance } from "../provenance.ts";
import { buildAllowSetting } from "../provider_row.ts";
import { findProviderRow } from "../providers.ts";

/** Facts about a run at its end. Facts from phases that the run did not reach are empty or null. */
export interface RunSummary {
  readonly process: Omit<NewProcessRecord, "pid">;
  readonly report: RunReport;
  readonly work: RecordedWork;
  readonly judged: RecordedJudgement;
  readonly end: Pick<RunEnd, "reasons"> & { readonly status: string };
  readonly warnings: readonly string[];
  /** Last message of the agent; null if the spec's output contains it. */
  readonly lastWords: string | null;
  readonly ended_at: string;
}

/** Commits and files of a run. */
export interface RecordedWork {
  /** Name of the branch; null if no branch is checked out around the project. */
  readonly branch: string | null;
  /** Name of the main branch; null for a run without a worktree. */
  readonly mainBranch: string | null;
  /** Commit at which a run without a worktree began; null otherwise, because the first commit's parent is the base. */
  readonly base: string | null;
  readonly commits: readonly BranchCommit[];
  readonly files: readonly string[];
}

export interface RecordedJudgement {
  readonly criteria: readonly JudgedCriterion[];
  /** Verdicts on criteria and commands; null if nothing was judged. */
  readonly proof: Provenance | null;
  /** Reason of a person for completing the spec although its checks do not succeed; null without one. */
  readonly unproven: string | null;
  /** Schema of the output and why the output does not match it; null without a schema. */
  readonly output: { readonly schema: string; readonly problem: string | null } | null;
  /** The output that is no evidence of this run's work, see `RejectedRun`; null if it is not known. */
  readonly oldOutput?: OutputMark | null;
}

/** Maximum number of paths in a record. The recorded commits still contain all changed paths. */
const MAX_RECORDED_FILES = 1000;

/** Returns a run's record in the stored format, see docs/work.md. */
export function buildRunRecord(summary: RunSummary, { run, head }: BranchHead): object {
  const { process, report, work, judged, end } = summary;
  const { criteria, proof, unproven, output } = judged;
  const criterionProofs = proof?.criteria ?? [];
  const findProof = ({ label, verify }: JudgedCriterion) =>
    criterionProofs.find((one) => one.label === label && one.verify === verify);
  return {
    version: 1,
    spec_id: process.spec_id,
    run,
    ...{ process_id: process.process_id, mode: process.mode },
    ...{ status: end.status, reasons: end.reasons, warnings: summary.warnings },
    ...{ started_at: process.started_at, ended_at: summary.ended_at },
    agent: { name: report.agent, version: report.version, model: report.model, session: report.session },
    prompt_sha256: report.prompt_sha256,
    ...{ branch: work.branch, main_branch: work.mainBranch },
    ...{ base: work.base ?? work.commits[0]?.parent ?? head, head },
    commits: work.commits.map(({ hash, message }) => ({ hash, subject: message.split("\n", 1)[0] ?? "" })),
    files: work.files.slice(0, MAX_RECORDED_FILES),
    criteria: criteria.map((criterion) => ({
      ...{ label: criterion.label, checked: criterion.checked, lost: criterion.lost },
      verdict: findProof(criterion)?.verdict ?? deriveTickVerdict(criterion),
      check: findProof(criterion)?.check ?? null,
    })),
    verify: proof?.commands ?? [],
    proof: proof?.state ?? null,
    unproven,
    output,
    old_output: judged.oldOutput ?? null,
    usage: report.usage,
    last_words: summary.lastWords?.slice(-MAX_APPENDED_CHARS).toWellFormed() ?? null,
    denied: report.denied,
    allow: buildAllowSetting(findProviderRow(report.agent).buildAllowSetting, report.denied, process.spec_id),
    merged: null,
  };
}

export interface RecordCheck {
  readonly part: "spec" | "end" | "commits" | "files" | "criteria" | "checks" | "merged" | "rerun";
  readonly result: "ok" | "differs" | "unknown";
  readonly detail: string;
}

type RecordFields = Readonly<Record<string, unknown>>;

/** Compares the record of a run with the repository. Returns one check for each part of the record. */
export function judgeRecord(id: SpecId, record: RecordFields, facts: CommitFacts): readonly RecordCheck[] {
  return [
    checkSpecId(id, record),
    checkRecordedEnd(record, facts),
    checkRecordedCommits(id, record, facts),
    checkRecordedFiles(id, record, facts),
    checkRecordedCriteria(record, facts),
    checkRecordedVerdict(record),
    checkMergedCommits(id, record, facts),
  ];
}

/** Returns the checks of criteria in a record, with their results. */
export function listRecordedChecks(record: RecordFields): readonly RecordFields[] {
  return readObjectList(record, "criteria").flatMap(({ check }) => (isJsonObject(check) ? [check] : []));
}

/** Returns the distinct verdicts on the criteria that this command checked. */
export function listRecordedVerdicts(record: RecordFields, command: string): ReadonlySet<unknown> {
  const own = readObjectList(record, "criteria").filter(
    ({ check }) => isJsonObject(check) && check["command"] === command,
  );
  return new Set(own.map(({ verdict }) => verdict));
}

/** Returns one result for each distinct command in a record. */
export function listRecordedCommands(record: RecordFields): readonly RecordFields[] {
  const all = [...readObjectList(record, "verify"), ...listRecordedChecks(record)];
  return all.filter((one, index) => all.findIndex(({ command }) => command === one["command"]) === index);
}

/** Checks that the record belongs to this spec, because a record may have been stored under another name. */
function checkSpecId(id: SpecId, { spec_id }: RecordFields): RecordCheck {
  if (spec_id === id) return buildCheck("spec", "ok", "the record is about this spec");
  return buildCheck("spec", "differs", `the record is about "${String(spec_id)}"`);
}

function checkRecordedEnd({ head }: RecordFields, { parent }: CommitFacts): RecordCheck {
  if (head === parent) return buildCheck("end", "ok", `commit ${shortenHash(head)} is there`);
  return buildCheck("end", "differs", `the record names ${shortenHash(head)}, it was kept on ${shortenHash(parent)}`);
}

function checkRecordedCommits(id: SpecId, record: RecordFields, facts: CommitFacts): RecordCheck {
  const part = "commits";
  const hashes = readObjectList(record, "commits").map(({ hash }) => String(hash));
  const gone = hashes.filter((hash) => !facts.present.has(hash));
  if (gone.length > 0)
    return buildCheck(part, "differs", `not in this repository: ${gone.map(shortenHash).join(", ")}`);
  const there = facts.range.map(({ hash }) => hash);
  const foreign = hashes.filter((hash) => !there.includes(hash));
  if (foreign.length > 0) {
    return buildCheck(part, "differs", `not between base and end: ${foreign.map(shortenHash).join(", ")}`);
  }
  const unnamed = facts.range.filter(({ hash, message }) => !hashes.includes(hash) && !isPlannerCommit(message, id));
  if (unnamed.length > 0 && !facts.hasMerges) {
    return buildCheck(
      part,
      "differs",
      `the record does not name ${unnamed.map(({ hash }) => shortenHash(hash)).join(", ")}`,
    );
  }
  return buildCheck(part, "ok", formatCountWithNoun(hashes.length, "commit"));
}

function checkRecordedFiles(id: SpecId, record: RecordFields, { files, hasMerges }: CommitFacts): RecordCheck {
  const part = "files";
  const named = parseRecordTexts(record["files"]);
  // Planner commits the spec and its records after it has listed the files.
  const own = [`.planner/specs/${id}.md`, ...files.filter((path) => path.startsWith(`.planner/runs/${id}/`))];
  const missing = named.filter((path) => !files.includes(path) && !own.includes(path));
  const isIncomplete = hasMerges || named.length >= MAX_RECORDED_FILES;
  const more = isIncomplete ? [] : files.filter((path) => !named.includes(path) && !own.includes(path));
  if (missing.length === 0 && more.length === 0)
    return buildCheck(part, "ok", formatCountWithNoun(named.length, "file"));
  const found = [
    ...(missing.length === 0 ? [] : [`not changed: ${missing.slice(0, 5).join(", ")}`]),
    ...(more.length === 0 ? [] : [`not named: ${more.slice(0, 5).join(", ")}`]),
  ];
  return buildCheck(part, "differs", found.join("; "));
}

function checkRecordedCriteria(record: RecordFields, { specText }: CommitFacts): RecordCheck {
  const part = "criteria";
  const named = readObjectList(record, "criteria");
  if (named.length === 0) return buildCheck(part, "ok", "none were required");
  if (specText === null) return buildCheck(part, "unknown", "the spec is not in the commit");
  const there = new Map(parseCriteria(parseReadable(specText).body).map(({ label, checked }) => [label, checked]));
  const wrong = named.filter(({ label, checked, lost }) => lost !== true && there.get(String(label)) !== checked);
  if (wrong.length === 0)
    return buildCheck(part, "ok", `${formatCountWithNoun(named.length, "criterion")} as in the commit`);
  const detail = `otherwise in the commit: ${wrong.map(({ label }) => `"${String(label)}"`).join(", ")}`;
  // A person, or a run that did not complete, may have left ticks uncommitted.
  const isCommitted = record["status"] === "completed" && record["mode"] !== "manual";
  return buildCheck(part, isCommitted ? "differs" : "unknown", detail);
}

const UNPROVEN_VERDICTS: ReadonlySet<unknown> = new Set(["proposed", "edited", "not_run", "disproven"]);

/** Checks whether the recorded evidence supports the recorded end. */
function checkRecordedVerdict(record: RecordFields): RecordCheck {
  const part = "checks";
  const commands = listRecordedCommands(record);
  if (record["status"] !== "completed") return buildCheck(part, "ok", formatCountWithNoun(commands.length, "command"));
  const open = readObjectList(record, "criteria").filter(({ checked, lost }) => checked !== true || lost === true);
  const { proof, unproven } = record;
  const beside =
    isJsonObject(proof) && proof["where"] !== "fresh" && Array.isArray(proof["beside"]) ? proof["beside"] : [];
  const failed = commands.filter(({ problem }) => problem !== null);
  const output = record["output"];
  const objections = [
    ...open.map(({ label }) => `"${String(label)}" is not checked`),
    ...failed.map(({ command, problem }) => `"${String(command)}" ${String(problem)}`),
    ...(beside.length > 0
      ? [`its checks passed with files that no commit holds: ${beside.slice(0, 3).join(", ")}`]
      : []),
    ...(typeof unproven === "string" ? [`without proof: ${unproven}`] : []),
    ...readObjectList(record, "criteria").flatMap(({ label, verdict }) =>
      UNPROVEN_VERDICTS.has(verdict) ? [`"${String(label)}" is ${String(verdict)}`] : [],
    ),
    ...(isJsonObject(output) && output["problem"] !== null ? ["the output does not fit its schema"] : []),
  ];
  if (objections.length === 0)
    return buildCheck(part, "ok", `${formatCountWithNoun(commands.length, "command")} passed`);
  return buildCheck(part, "differs", `completed although ${objections.join("; ")}`);
}

function checkMergedCommits(id: SpecId, record: RecordFields, facts: CommitFacts): RecordCheck {
  const { present, inMain, patches, hasMergedWork } = facts;
  const part = "merged";
  const { merged } = record;
  if (!isJsonObject(merged)) return buildCheck(part, "ok", "not merged");
  const commits = readObjectList(merged, "commits");
  const hashes = commits.map(({ hash }) => String(hash));
  const gone = hashes.filter((hash) => !present.has(hash) || !inMain.has(hash));
  if (gone.length > 0)
    return buildCheck(part, "differs", `not in the main branch: ${gone.map(shortenHash).join(", ")}`);
  const changed = commits.filter(({ hash, patch_id }) => (patches.get(String(hash)) ?? null) !== patch_id);
  if (changed.length > 0) {
    return buildCheck(part, "differs", `another patch id: ${changed.map(({ hash }) => shortenHash(hash)).join(", ")}`);
  }
  const mergedPatchIds = new Set(commits.map(({ patch_id }) => patch_id));
  const lost = readObjectList(record, "commits").filter(({ hash, subject }) => {
    const patch = patches.get(String(hash));
    return patch !== undefined && !mergedPatchIds.has(patch) && !isPlannerCommit(String(subject), id);
  });
  // A squash, a settled conflict and a joined spec have other patches of the same work.
  if (lost.length > 0 && !hasMergedWork) {
    const named = lost.map(({ hash }) => shortenHash(hash)).join(", ");
    return buildCheck(part, "differs", `merged with another change than recorded: ${named}`);
  }
  const how = lost.length > 0 ? "with all of the run's work" : "by patch id";
  return buildCheck(part, "ok", `${formatCountWithNoun(commits.length, "commit")} in the main branch ${how}`);
}

function buildCheck(part: RecordCheck["part"], result: RecordCheck["result"], detail: string): RecordCheck {
  return { part, result, detail };
}

function readObjectList(record: RecordFields, name: string): readonly RecordFields[] {
  const value = record[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function shortenHash(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 10) : "nothing";
}
