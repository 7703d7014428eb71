import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { criteriaOf } from "../spec/criteria.ts";
import type { Spec } from "../spec/spec.ts";
import type { SpecId } from "../spec/spec_id.ts";
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
    const [read, log, lock, worker, worktrees, commits] = await Promise.all([
      readSpec(context, id),
      context.logs.open(id),
      context.work.lockHolder(id),
      liveWorker(context, id),
      context.work.worktrees(),
      context.git.commitsNaming(id),
    ]);
    const spec = typeof read === "string" ? null : read;
    const status = spec === null ? null : (await specStanding(context, spec)).status;
    const worktree = worktrees.find(({ spec_id }) => spec_id === id);
    const diagnosis = judge({
      id,
      problem: typeof read === "string" ? read : null,
      status,
      criteria: spec === null ? [] : criteriaOf(spec.body),
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

/** The spec, or why its file cannot be read. */
async function readSpec(context: PlannerContext, id: SpecId): Promise<Spec | string> {
  try {
    return await context.specs.load(id);
  } catch (error) {
    if (error instanceof OperationError) return error.message;
    throw error;
  }
}
