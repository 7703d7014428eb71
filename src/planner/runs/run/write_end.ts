import { createPreconditionError, getErrorMessage, OperationError } from "#kernel/errors.ts";
import { isEqualJson } from "#kernel/json_object.ts";
import type { RunLog } from "#planner/store/logs/log_writer.ts";
import type { Worktree } from "#planner/store/worktrees/open_worktree.ts";
import type { WorktreeState } from "#planner/store/worktrees/settle.ts";
import { extractOutput } from "#planner/work/default_evidence.ts";
import { quoteShellWord } from "#words/quoting.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import { parseDocument, parseReadable } from "../../spec/document.ts";
import { appendOutput, keepChecks, replaceBody } from "../../spec/edit/edit_body.ts";
import { editFields, type FieldChanges, type FieldValue } from "../../spec/edit/edit_fields.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { COMMIT_SUMMARIES, createCommitWriter } from "../../work/commit_message.ts";
import type { RunEnd } from "../../work/end_of_run.ts";
import type { LocatedRun, RepairDeps, RunDeps } from "../run_types.ts";
import { keepCutOffRecord } from "./keep_record.ts";
import { removeTrailingSlash } from "./run_commands.ts";

/** Returns the spec as the agent left it, or why it cannot be read, because the agent may have moved or removed it. */
export async function readSpecAfterRun(
  deps: RunDeps,
  { id, place }: Pick<LocatedRun, "id" | "place">,
  state: WorktreeState | null,
): Promise<Spec | string> {
  const specs = place.worktree === null ? deps.context.specs : place.worktree.openSpecs();
  try {
    const isThere = (await specs.listIds()).includes(id);
    if (isThere) return await specs.load(id);
  } catch (error) {
    return `the spec cannot be read any more: ${getErrorMessage(error)}`;
  }
  if (state !== null && !state.safe) return state.problems.join("; ");
  const file = `.planner/specs/${id}.md`;
  const paths = [...(state?.changed ?? []).map(({ path }) => path), ...(state?.uncommitted ?? [])];
  const target = paths.find((path) => `/${path}`.endsWith(`/${id}.md`) && !path.endsWith(file));
  const done = target === undefined ? `removed its spec "${file}"` : `moved its spec "${file}" to "${target}"`;
  return place.worktree === null ? `the run ${done}` : `the run ${done} there: "planner work ${id}" brings it back`;
}

interface EndToWrite extends RunEnd {
  /** The agent's last words; empty if they must not be stored. */
  readonly output: string;
  /** False if a person has to repair the worktree first; the worktree and its copy of the spec then stay unchanged. */
  readonly settled: boolean;
  /** Reason of a person for completing the spec although its checks do not succeed; null if they do. */
  readonly unproven: string | null;
  /** Whether the run removed criteria from the spec, in which case the project's text keeps them. */
  readonly lostCriteria: boolean;
}

/**
 * Writes how the run ended into the worktree's and the project's copies of the spec.
 *
 * @returns the end as it was written; a rejected commit adds a reason
 */
export async function writeRunEnd(deps: RunDeps, run: LocatedRun, end: EndToWrite): Promise<RunEnd> {
  const { worktree } = run.place;
  if (worktree !== null) return writeEndInBothCopies(deps, { run, worktree, end });
  const now = deps.context.clock.now();
  await deps.context.specs.edit(run.id, (text) => buildFinalText(restoreChecks(deps, run, text), { run, end, now }));
  return end;
}

/** Returns the project's text with the checks with which the run began. Checks changed since then become proposals. */
function restoreChecks({ tell }: RunDeps, { id, before }: LocatedRun, text: string): string {
  const kept = keepChecks(text, { own: before, restores: true });
  if (kept === text) return text;
  const message = `checks in ".planner/specs/${id}.md" of the project were changed during the run: they are back, and what was made of them is proposed there`;
  tell({ event: "note", spec_id: id, message });
  return kept;
}

interface WorktreeEnd {
  readonly run: LocatedRun;
  readonly worktree: Worktree;
  readonly end: EndToWrite;
}

/** Writes the end in the worktree and commits it there. If git rejects the commit, the change stays uncommitted. */
async function writeEndInWorktree({ run, worktree, end }: WorktreeEnd, now: Date): Promise<RunEnd> {
  const { id, config, spec } = run;
  const specs = worktree.openSpecs();
  await specs.edit(id, (text) => buildFinalText(text, { run, end, now }));
  const message = createCommitWriter(config.git.commit_template, spec);
  try {
    await worktree.commitSpec(message(COMMIT_SUMMARIES.ended(id, end.status)));
    return end;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // The worktree contains all work, so the run did not fail. A person has to find out why git rejected the commit.
    const status = end.status === "completed" ? "needs_attention" : end.status;
    await specs.edit(id, (text) => buildFinalText(text, { run, end: { ...end, status, output: "" }, now }));
    return { status, reasons: [...end.reasons, error.message] };
  }
}

async function writeEndInBothCopies(deps: RunDeps, { run, worktree, end }: WorktreeEnd): Promise<RunEnd> {
  const { id, before, log } = run;
  const now = deps.context.clock.now();
  const written = end.settled ? await writeEndInWorktree({ run, worktree, end }, now) : end;
  const { text } = await worktree.openSpecs().readText(id);
  // Leaves the worktree unchanged, because a further change could hinder a person's repair.
  const there = end.settled ? text : buildFinalText(text, { run, end, now });
  let bodyLeft = false;
  if (!(await deps.context.specs.listIds()).includes(id)) {
    const file = `.planner/specs/${id}.md`;
    throw createPreconditionError(
      `"${file}" is gone from the project since the run began: "cp ${quoteShellWord(`${removeTrailingSlash(worktree.root)}/${file}`)} ${file}" brings it back, then run "planner merge ${id}"`,
    );
  }
  await changeSpec(deps.context, id, (found) => {
    const here = restoreChecks(deps, run, found);
    const brought = mergeRunIntoProject({ before, here, there, keepBody: end.lostCriteria });
    bodyLeft = brought.bodyLeft;
    return editFields(brought.text, { status: written.status });
  });
  if (end.lostCriteria) {
    await log.line("planner: the project's text of the spec stays as it was, with all its criteria");
  } else if (bodyLeft) {
    await log.line("planner: the spec's text changed here and in the worktree: the worktree's comes with the merge");
  }
  return written;
}

function buildFinalText(
  text: string,
  { run: { before }, end, now }: { readonly run: LocatedRun; readonly end: EndToWrite; readonly now: Date },
): string {
  const document = parseDocument(text);
  const since = document.ok ? document.frontmatter["completed_at"] : undefined;
  const readOutput = (read: typeof document): string => (read.ok ? extractOutput(read.body) : "");
  const at = typeof since === "string" ? since : now.toISOString();
  const isCompleted = end.status === "completed";
  const unproven = (isCompleted ? end.unproven : null) ?? undefined;
  const fields = { status: end.status, completed_at: isCompleted ? at : undefined, unproven };
  const own = readOutput(document) !== readOutput(parseDocument(before));
  return appendAgentOutput(editFields(text, fields), shortenOutput(end.output), own);
}

function shortenOutput(output: string): string {
  // A spec's file cannot contain NUL or unpaired surrogates.
  const text = output.replaceAll("\0", "").toWellFormed().trim();
  if (text.length <= MAX_APPENDED_CHARS) return text;
  const tail = text.slice(-MAX_APPENDED_CHARS);
  return `(The log has all of it; this is the end.)\n\n${tail.slice(tail.indexOf("\n") + 1)}`.toWellFormed();
}

/** Sets the spec back to pending and removes the worktree of a run that left no work. */
export async function undoEmptyRun({ context, ports }: RunDeps, { id, place }: LocatedRun): Promise<void> {
  await changeSpec(context, id, (text) => editFields(text, { status: "pending" }));
  if (place.worktree === null) return;
  try {
    await ports.worktrees.removeWorktree(id);
  } catch (error) {
    // The worktree contains something, an earlier run's work for example, which the next run continues.
    if (!(error instanceof OperationError)) throw error;
    await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: "interrupted" });
  }
}

/** How a run that broke off ends. */
export interface BrokenRunEnd {
  readonly status: "failed" | "needs_attention";
  readonly reason: string;
}

interface BrokenRun extends BrokenRunEnd {
  readonly processId: string;
  /** Log of the run; undefined if it was not opened. */
  readonly log: RunLog | undefined;
}

/** Records the end of a run that broke off. Tries every step, even if an earlier one fails. Never rejects. */
export async function recordBrokenRun(
  deps: RunDeps,
  id: SpecId,
  { status, processId, reason, log }: BrokenRun,
): Promise<void> {
  const { ports, tell } = deps;
  const steps = [
    async () => log?.line(`planner: ${status}: ${reason}`),
    () => endStartedSpec(deps, id, status),
    () => keepCutOffRecord(deps, id, { processId, status, reason }),
    async () => {
      if (!(await ports.worktrees.listIds()).includes(id)) return;
      await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: reason });
    },
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      tell({ event: "note", spec_id: id, message: getErrorMessage(error) });
    }
  }
}

/** Sets the status of a spec that is in_progress. @returns whether it was changed */
export function endStartedSpec({ context }: RepairDeps, id: SpecId, status: BrokenRunEnd["status"]): Promise<boolean> {
  return changeSpec(context, id, (text, spec) => (spec.status === "in_progress" ? editFields(text, { status }) : text));
}

/** Texts of one spec in the project and in a worktree. */
interface SpecVersions {
  /** The project's text when the run began. */
  readonly before: string;
  /** The project's text now. */
  readonly here: string;
  /** The worktree's text at the run's end. */
  readonly there: string;
  /** Whether to keep the project's body even if only the worktree changed it. */
  readonly keepBody?: boolean;
}

/**
 * Merges a run's changes of a spec into the project's text. If the project's text did not change meanwhile, returns the
 * worktree's text. Otherwise copies each field that the run changed, and the body unless both sides changed it.
 *
 * @returns the text, and whether a changed body stays in the worktree only
 * @throws OperationError `failed_precondition` when one of the texts does not parse
 */
export function mergeRunIntoProject(versions: SpecVersions): { readonly text: string; readonly bodyLeft: boolean } {
  const merged = mergeSpecVersions(versions);
  // Keeps the project's checks, because a run must not change the checks that judge it and later runs.
  return { ...merged, text: keepChecks(merged.text, { own: versions.here, restores: false }) };
}

function mergeSpecVersions(versions: SpecVersions): ReturnType<typeof mergeRunIntoProject> {
  const { before, here, there, keepBody = false } = versions;
  if (!keepBody && (here === before || here === there)) return { text: there, bodyLeft: false };
  const [old, own, theirs] = [before, here, there].map((text) => parseReadable(text));
  if (old === undefined || own === undefined || theirs === undefined) return { text: here, bodyLeft: true };
  const text = editFields(here, findChangedFields(old.frontmatter, theirs.frontmatter));
  if (theirs.body === own.body || theirs.body === old.body) return { text, bodyLeft: false };
  if (keepBody || own.body !== old.body) return { text, bodyLeft: true };
  return { text: replaceBody(text, theirs.body.trimStart()), bodyLeft: false };
}

/** Appends the agent's last message as output, unless the body got an output during the run. */
export function appendAgentOutput(text: string, output: string, hasOutput: boolean): string {
  return hasOutput || output.trim() === "" ? text : appendOutput(text, output.trim());
}

type FrontmatterFields = Readonly<Record<string, unknown>>;

function findChangedFields(before: FrontmatterFields, after: FrontmatterFields): FieldChanges {
  const changes: Record<string, FieldValue | undefined> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isEqualJson(before[key], after[key])) continue;
    const value = after[key];
    // Keeps the project's value of a field that no edit can write, such as a nested list.
    if (value === undefined || isFieldValue(value)) changes[key] = value;
  }
  return changes;
}

function isFieldValue(value: unknown): value is FieldValue {
  if (isScalar(value)) return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((item) => isScalar(item) || (Array.isArray(item) && item.every(isScalar)));
}

function isScalar(value: unknown): boolean {
  return ["string", "boolean", "number"].includes(typeof value);
}
