import { getErrorMessage, OperationError } from "#kernel/errors.ts";
import type { RunLog } from "#planner/run_ports/run_ports.ts";
import type { Worktree, WorktreeState } from "#planner/run_ports/worktree.ts";
import { quoteShellWord } from "#words/shell_word.ts";
import { MAX_APPENDED_CHARS } from "../../limits.ts";
import { changeSpec } from "../../operations/shared/change_spec.ts";
import type { SpecStore } from "../../ports.ts";
import { parseDocument } from "../../spec/document.ts";
import { editFields } from "../../spec/edit/edit_fields.ts";
import { keepChecks } from "../../spec/edit/keep_checks.ts";
import { findLastSection } from "../../spec/sections.ts";
import type { Spec } from "../../spec/spec.ts";
import type { SpecId } from "../../spec/spec_id.ts";
import { bringBack, withOutput } from "../../work/bring_back.ts";
import { COMMIT_SUMMARIES, commitWriter } from "../../work/commit_message.ts";
import type { RunEnd } from "../../work/end_of_run.ts";
import type { CareDeps, PlacedRun, RunDeps, RunPlace } from "../run_types.ts";
import { keepCutOffRun } from "./keep_record.ts";
import { withoutSlash } from "./place.ts";

export function specsOf({ context }: RunDeps, { worktree }: RunPlace): SpecStore {
  return worktree === null ? context.specs : worktree.specs();
}

/** Returns the spec as the agent left it, or why it cannot be read: its run may have moved or removed it. */
export async function specLeft(
  deps: RunDeps,
  { id, place }: Pick<PlacedRun, "id" | "place">,
  state: WorktreeState | null,
): Promise<Spec | string> {
  const specs = specsOf(deps, place);
  try {
    const isThere = (await specs.ids()).includes(id);
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

interface Ending extends RunEnd {
  /** The agent's last words; empty if they are not to be kept. */
  readonly output: string;
  /** False if a person has to repair the worktree first: it then stays as it is, the spec in it too. */
  readonly settled: boolean;
  /** Why the spec is completed although its checks do not say so; null if they do. */
  readonly unproven: string | null;
  /** Whether the run took criteria out of the spec: the project's text then keeps them. */
  readonly lostCriteria: boolean;
}

/**
 * Writes how the run ended into the spec, where the agent worked and in the project.
 *
 * @returns the end as it was written: a refused commit is a separate reason
 */
export async function writeEnd(deps: RunDeps, run: PlacedRun, end: Ending): Promise<RunEnd> {
  const { worktree } = run.place;
  if (worktree !== null) return writeBoth(deps, { run, worktree, end });
  const now = deps.context.clock.now();
  await deps.context.specs.edit(run.id, (text) => finalText(withChecks(deps, run, text), { run, end, now }));
  return end;
}

/** The project's text with the checks that judge this run: one that changed meanwhile does not judge its merge instead. */
function withChecks({ tell }: RunDeps, { id, before }: PlacedRun, text: string): string {
  const kept = keepChecks(text, { own: before, restores: true });
  if (kept === text) return text;
  const message = `checks in ".planner/specs/${id}.md" of the project were changed during the run: they are back, and what was made of them is proposed there`;
  tell({ event: "note", spec_id: id, message });
  return kept;
}

interface WorktreeEnd {
  readonly run: PlacedRun;
  readonly worktree: Worktree;
  readonly end: Ending;
}

/** Writes the end in the worktree and commits it there; a refused commit leaves it as a change. */
async function writeThere({ run, worktree, end }: WorktreeEnd, now: Date): Promise<RunEnd> {
  const { id, config, spec } = run;
  const specs = worktree.specs();
  await specs.edit(id, (text) => finalText(text, { run, end, now }));
  const message = commitWriter(config.git.commit_template, spec);
  try {
    await worktree.commitSpec(message(COMMIT_SUMMARIES.ended(id, end.status)));
    return end;
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    // All work is there, so the run did not fail: a person has to find out why the commit was refused.
    const status = end.status === "completed" ? "needs_attention" : end.status;
    await specs.edit(id, (text) => finalText(text, { run, end: { ...end, status, output: "" }, now }));
    return { status, reasons: [...end.reasons, error.message] };
  }
}

async function writeBoth(deps: RunDeps, { run, worktree, end }: WorktreeEnd): Promise<RunEnd> {
  const { id, before, log } = run;
  const now = deps.context.clock.now();
  const written = end.settled ? await writeThere({ run, worktree, end }, now) : end;
  const { text } = await worktree.specs().readText(id);
  // A changed file can be in the way of what a person has to do there.
  const there = end.settled ? text : finalText(text, { run, end, now });
  let bodyLeft = false;
  if (!(await deps.context.specs.ids()).includes(id)) {
    const file = `.planner/specs/${id}.md`;
    throw new OperationError(
      "failed_precondition",
      `"${file}" is gone from the project since the run began: "cp ${quoteShellWord(`${withoutSlash(worktree.root)}/${file}`)} ${file}" brings it back, then run "planner merge ${id}"`,
    );
  }
  await changeSpec(deps.context, id, (found) => {
    const here = withChecks(deps, run, found);
    const brought = bringBack({ before, here, there, keepBody: end.lostCriteria });
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

function finalText(
  text: string,
  { run: { before }, end, now }: { readonly run: PlacedRun; readonly end: Ending; readonly now: Date },
): string {
  const document = parseDocument(text);
  const since = document.ok ? document.frontmatter["completed_at"] : undefined;
  const at = typeof since === "string" ? since : now.toISOString();
  const isCompleted = end.status === "completed";
  const unproven = (isCompleted ? end.unproven : null) ?? undefined;
  const fields = { status: end.status, completed_at: isCompleted ? at : undefined, unproven };
  const own = outputOf(text) !== outputOf(before);
  return withOutput(editFields(text, fields), shortenOutput(end.output), own);
}

function outputOf(text: string): string {
  const document = parseDocument(text);
  const section = document.ok ? findLastSection(document.body, "Output") : undefined;
  return section === undefined || !document.ok ? "" : document.body.slice(section.heading.next, section.end).trim();
}

function shortenOutput(output: string): string {
  // NUL and halves of characters have no place in a spec's file.
  const text = output.replaceAll("\0", "").toWellFormed().trim();
  if (text.length <= MAX_APPENDED_CHARS) return text;
  const tail = text.slice(-MAX_APPENDED_CHARS);
  return `(The log has all of it; this is the end.)\n\n${tail.slice(tail.indexOf("\n") + 1)}`.toWellFormed();
}

/** Undoes a run that left nothing behind. */
export async function takeBack({ context, ports }: RunDeps, { id, place }: PlacedRun): Promise<void> {
  await changeSpec(context, id, (text) => editFields(text, { status: "pending" }));
  if (place.worktree === null) return;
  try {
    await ports.worktrees.remove(id);
  } catch (error) {
    // It holds something after all, an earlier run's work for example: the next run goes on with that.
    if (!(error instanceof OperationError)) throw error;
    await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: "interrupted", commits: [] });
  }
}

/**
 * Writes down that a run failed, for one that cannot do so by itself any more. Each step is tried, whatever became of
 * the one before. Never rejects.
 *
 * @param log of the run; undefined if it was not opened
 */
export async function breakOff(
  deps: RunDeps,
  id: SpecId,
  { processId, reason, log }: { readonly processId: string; readonly reason: string; readonly log: RunLog | undefined },
): Promise<void> {
  const { ports, tell } = deps;
  const steps = [
    async () => log?.line(`planner: failed: ${reason}`),
    () => failStarted(deps, id),
    () => keepCutOffRun(deps, id, { processId, reason }),
    async () => {
      if (!(await ports.worktrees.ids()).includes(id)) return;
      await ports.worktrees.writeStatus({ spec_id: id, status: "failed", error: reason, commits: [] });
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

/** A spec that has got another status since, `cancelled` for example, keeps it. @returns whether it had not */
export function failStarted({ context }: CareDeps, id: SpecId): Promise<boolean> {
  return changeSpec(context, id, (text, { status }) =>
    status === "in_progress" ? editFields(text, { status: "failed" }) : text,
  );
}
