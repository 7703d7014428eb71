import { OperationError } from "#kernel/errors.ts";
import type { RunReport } from "#planner/run_ports/process_records.ts";
import type { WorktreeState } from "#planner/run_ports/worktree.ts";
import { COMMIT_SUMMARIES, commitWriter } from "../../work/commit_message.ts";
import type { RunEnd } from "../../work/end_of_run.ts";
import { runRecord } from "../../work/records/run_record.ts";
import type { RunDeps } from "../run_types.ts";
import type { Gathered } from "./evidence.ts";
import type { PlacedRun } from "./start.ts";

export interface RunParts {
  readonly startedAt: string;
  readonly report: RunReport;
  /** What the agent said last, or null if that is in the spec. */
  readonly lastWords: string | null;
  readonly end: Pick<RunEnd, "reasons"> & { readonly status: string };
  readonly warnings: readonly string[];
  /** Null if the worktree was not examined at the end. */
  readonly state: WorktreeState | null;
  /** Null if no evidence was gathered. */
  readonly gathered: Gathered | null;
}

/** Keeps what a run did for later, beside its work. A refusal is a line of the log: the run has ended as it did. */
export async function keepRecord(deps: RunDeps, run: PlacedRun, parts: RunParts): Promise<void> {
  try {
    const kept = await keep(deps, run, parts);
    if (kept === null) return;
    await run.log.line(`planner: this was run ${kept.run}: "planner log ${run.id} --run ${kept.run}"`);
    if (run.config.runs.commit) await writeFile(deps, run, kept);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    await run.log.line(`planner: the run's record could not be kept: ${error.message}`);
  }
}

interface Kept {
  readonly run: number;
  readonly text: string;
}

/** Null without a commit that could hold it. */
async function keep(deps: RunDeps, run: PlacedRun, parts: RunParts): Promise<Kept | null> {
  const { gathered, end } = parts;
  const place = await placeOf(deps, run, parts);
  if (place === null) return null;
  const summary = {
    ...{ spec_id: run.id, process_id: run.processId, mode: run.wishes.mode, report: parts.report },
    ...place,
    criteria: gathered?.evidence.criteria ?? [],
    proof: gathered?.proof ?? null,
    unproven: gathered?.unproven ?? null,
    outputSchema: run.spec.outputSchema,
    lastWords: parts.lastWords,
    outputProblem: gathered?.evidence.outputProblem ?? null,
    ...{ started_at: parts.startedAt, ended_at: deps.context.clock.now().toISOString() },
    ...{ status: end.status, reasons: end.reasons, warnings: parts.warnings },
  };
  let text = "";
  const branch = run.place.worktree?.branch ?? null;
  const kept = await deps.ports.worktrees.keepRecord(run.id, branch, (head) => {
    const record = runRecord(summary, head);
    text = `${JSON.stringify(record, null, 2)}\n`;
    return record;
  });
  return kept === null ? null : { run: kept, text };
}

/** What the run did to the repository, and where. */
async function placeOf({ ports }: RunDeps, { place: { worktree, base } }: PlacedRun, { state }: RunParts) {
  if (worktree !== null) {
    const { branch, mainBranch } = worktree;
    return { branch, mainBranch, base: null, commits: state?.commits ?? [], files: pathsOf(state?.changed ?? []) };
  }
  const head = base === null ? null : await ports.worktrees.head();
  if (base === null || head === null) return null;
  const { commits, changed } = await ports.worktrees.since(base);
  return { branch: head.branch, mainBranch: null, base, commits, files: pathsOf(changed) };
}

function pathsOf(changed: WorktreeState["changed"]): readonly string[] {
  return changed.map(({ path }) => path);
}

/** Also writes the record as a file, for projects that keep it in their history. */
async function writeFile({ files, root }: RunDeps, { id, place, spec, config }: PlacedRun, kept: Kept): Promise<void> {
  const path = `.planner/runs/${id}/${kept.run}.json`;
  if (place.worktree === null) return files.write(`${root.replace(/[\\/]+$/, "")}/${path}`, kept.text);
  const message = commitWriter(config.git.commit_template, spec)(COMMIT_SUMMARIES.record(id, kept.run));
  await place.worktree.commitFile(path, kept.text, message);
}
