import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { parseCriteria } from "../spec/criteria.ts";
import type { SpecId } from "../spec/spec_id.ts";
import { readLastRun } from "../work/records/log_format.ts";
import { readLogWindow } from "../work/records/log_window.ts";
import { analyzeAbandonedRun } from "../work/takeover_analysis.ts";
import { findSpec } from "./shared/find_spec.ts";
import { changeSharedClaim } from "./shared/finish_shared.ts";
import { specIdParam } from "./shared/params.ts";
import { readWorktreeBody } from "./shared/spec_proof.ts";
import { leaveSpecInProgress, stopRun } from "./shared/stop_run.ts";

/** Number of log lines in the answer. */
const LOG_TAIL_LINES = 50;

export const takeover = defineTool<PlannerContext>()({
  name: "planner_takeover",
  summary: "Stop the agent of a spec and report what it did, to continue by hand. To stop it only use planner_pause.",
  resultDescription:
    "`{spec_id, analysis, log_tail, suggestion, worktree_path}`, or `Failed to take over spec '<id>': Spec not currently being worked`. With `force` and without an agent it changes neither status nor body.",
  effect: "destroy",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    force: Type.Optional(Type.Boolean({ description: "Analyze even if no agent works on the spec", default: false })),
  }),
  async run(context, { id: text, force = false }) {
    const spec = await findSpec(context, text, { archived: false });
    const refused = `Failed to take over spec '${spec.id}'`;
    const stopped = await stopRun(context, spec.id, refused);
    let notes: readonly string[] = [];
    if (stopped !== null) {
      const status = await leaveSpecInProgress(context, spec.id, stopped);
      if (status === "in_progress") notes = await changeSharedClaim(context, spec.id, "keep");
    } else if (!force) throw createPreconditionError(`${refused}: Spec not currently being worked`);
    const log = await context.logs.open(spec.id);
    const lines = log === null ? null : splitLines(await readLastRun(log));
    const worktrees = await context.work.worktrees();
    return {
      value: {
        spec_id: spec.id,
        ...analyzeAbandonedRun({
          lines,
          criteria: parseCriteria(await readWorktreeBody(context, spec.id)),
          failure: stopped === null ? await findLastError(context, spec.id) : null,
        }),
        log_tail:
          log === null
            ? "No log file found"
            : (await readLogWindow(log, { lines: LOG_TAIL_LINES, growing: false })).content.trimEnd(),
        ...(notes.length === 0 ? {} : { notes }),
        worktree_path: worktrees.find(({ spec_id }) => spec_id === spec.id)?.path ?? null,
      },
    };
  },
});

/** Returns the error of the last process if it failed, otherwise null. Not every failed process has written a log. */
async function findLastError(context: PlannerContext, id: SpecId): Promise<string | null> {
  const last = (await context.work.readProcesses()).findLast(({ spec_id }) => spec_id === id);
  return last?.status === "failed" ? (last.error ?? null) : null;
}

function splitLines(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
