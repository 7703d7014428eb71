import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { criteriaOf } from "../spec/criteria.ts";
import { diagnose as judge } from "../work/diagnosis.ts";
import { findSpecId } from "./find_spec.ts";
import { liveWorker } from "./live_worker.ts";
import { specIdParam } from "./params.ts";
import { specStanding } from "./spec_standing.ts";

export const diagnose = defineTool<PlannerContext>()({
  name: "planner_diagnose",
  summary: "Check whether a spec's file, log, lock, commits and criteria fit together",
  effect: "read",
  idempotent: true,
  slow: true,
  params: Type.Object({ id: specIdParam }),
  async run(context, { id: text }) {
    const id = await findSpecId(context, text, { archived: true });
    const [spec, log, lock, worker, worktrees, commits] = await Promise.all([
      orMessage(context.specs.load(id)),
      orMessage(context.logs.open(id)),
      context.work.lockHolder(id),
      liveWorker(context, id),
      context.work.worktrees(),
      context.git.commitsNaming(id),
    ]);
    const readable = typeof spec === "string" ? null : spec;
    const status = readable === null ? null : (await specStanding(context, readable)).status;
    const worktree = worktrees.find(({ spec_id }) => spec_id === id);
    const diagnosis = judge({
      id,
      problem: typeof spec === "string" ? spec : null,
      status,
      criteria: readable === null ? [] : criteriaOf(readable.body),
      log,
      lock,
      worked: worker !== null,
      commits,
      now: context.clock.now(),
    });
    return {
      value: {
        spec_id: id,
        status,
        location: worktree === undefined ? "main repository" : `worktree: ${worktree.path}`,
        ...diagnosis,
      },
    };
  },
});

/** What was read, or why it cannot be. */
async function orMessage<Value>(reading: Promise<Value>): Promise<Value | string> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
}
