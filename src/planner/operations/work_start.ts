import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { providerFor } from "../work/providers.ts";
import { findSpec } from "./shared/find_spec.ts";
import { refuseWhileWorked } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import { startInBackground } from "./shared/start_background.ts";
import { refuseLintErrors, refuseMissingAgent, refuseUnworkable } from "./shared/start_checks.ts";
import { loadWorld, type World } from "./shared/world.ts";

export const workStart = defineTool<PlannerContext>()({
  name: "planner_work_start",
  summary: "Start an agent on a spec in the background; returns at once",
  effect: "write",
  idempotent: false,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    chain: Type.Optional(Type.Boolean({ description: "Continue with specs that become ready" })),
    parallel: Type.Optional(Type.Integer({ description: "Work on this many ready specs at a time", minimum: 1 })),
    skip_criteria: Type.Optional(
      Type.Boolean({ description: "Complete specs with unchecked acceptance criteria too" }),
    ),
  }),
  async run(context, { id: text, chain = false, parallel, skip_criteria = false }) {
    if (chain && parallel !== undefined) {
      throw new OperationError("invalid_argument", "Cannot work as chain and in parallel: expected one of the two");
    }
    const spec = await findSpec(context, text, { archived: false });
    await refuseWhileWorked(context, spec.id, "start work on");
    const world = await loadWorld(context);
    refuseUnworkable(spec, world);
    await refuseLintErrors(context, spec);
    const config = await context.config();
    const provider = providerFor(config, { model: spec.model, task: "work" });
    if (parallel !== undefined) refuseParallel(world, parallel, config.parallel.max);
    await refuseMissingAgent(context, provider, `start work on spec '${spec.id}'`);
    const words = [...mannerWords(spec, world, { chain, parallel }), ...(skip_criteria ? ["--skip-criteria"] : [])];
    const mode = parallel === undefined ? (chain ? "chain" : "single") : `parallel(${parallel})`;
    return { value: await startInBackground(context, { spec_id: spec.id, mode, words: ["work", ...words] }) };
  },
});

/** In parallel every spec that is ready is worked, this one first. */
function mannerWords(
  { id }: Spec,
  { specs, readiness }: World,
  { chain, parallel }: { readonly chain: boolean; readonly parallel: number | undefined },
): readonly string[] {
  if (parallel === undefined) return chain ? [id, "--chain"] : [id];
  const others = specs.filter((spec) => spec.id !== id && readiness.isReady(spec)).map((spec) => spec.id);
  return [id, ...others, "--parallel", String(parallel)];
}

function refuseParallel(world: World, parallel: number, most: number): void {
  refuseFewReady(world);
  if (parallel <= most) return;
  throw new OperationError("invalid_argument", `Invalid value ${parallel} for "parallel": expected at most ${most}`);
}

function refuseFewReady({ specs, readiness }: World): void {
  const count = specs.filter((spec) => readiness.isReady(spec)).length;
  if (count >= 2) return;
  throw new OperationError(
    "failed_precondition",
    `Cannot work in parallel: expected several ready specs, found ${count}`,
  );
}
