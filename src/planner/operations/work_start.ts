import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import type { Spec } from "../spec/spec.ts";
import { agentsAbsent } from "./agents_absent.ts";
import { findSpec } from "./find_spec.ts";
import { refuseWhileWorked } from "./live_worker.ts";
import { specIdParam } from "./params.ts";
import { loadWorld, type World } from "./world.ts";

const SOURCES: readonly string[] = ["pending", "failed", "needs_attention", "blocked"];

export const workStart = defineTool<PlannerContext>()({
  name: "planner_work_start",
  summary: "Start an agent on a spec in the background; returns at once",
  effect: "write",
  idempotent: false,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    chain: Type.Optional(Type.Boolean({ description: "Go on with specs that become ready by it" })),
    parallel: Type.Optional(Type.Integer({ description: "Work ready specs, so many at a time", minimum: 1 })),
    skip_criteria: Type.Optional(Type.Boolean({ description: "Do not ask for checked acceptance criteria" })),
  }),
  async run(context, { id: text, chain = false, parallel }) {
    if (chain && parallel !== undefined) {
      throw new OperationError("invalid_argument", "Cannot work as chain and in parallel: expected one of the two");
    }
    const spec = await findSpec(context, text, { archived: false });
    await refuseWhileWorked(context, spec.id, "start work on");
    const world = await loadWorld(context);
    refuseUnworkable(spec, world);
    if (parallel !== undefined) refuseFewReady(world);
    throw agentsAbsent(`Failed to start work for spec '${spec.id}'`);
  },
});

function refuseUnworkable(spec: Spec, { readiness }: World): void {
  const refuse = (message: string): never => {
    throw new OperationError("failed_precondition", `Cannot start work on spec '${spec.id}': ${message}`);
  };
  if (!SOURCES.includes(spec.status)) refuse(`expected ${SOURCES.join(", ")}, status is ${spec.status}`);
  // The same answer as planner_ready gives, for a spec that comes back from another status as well.
  if (readiness.isReady({ ...spec, status: "pending" })) return;
  const unmet = readiness.unmet(spec);
  if (unmet.length > 0) refuse(`blocked by dependencies: ${unmet.join(", ")}`);
  if (spec.approval?.required === true && spec.approval.status !== "approved") refuse("it is not approved");
  refuse("its own members, or what comes before it, are not done");
}

function refuseFewReady({ specs, readiness }: World): void {
  const count = specs.filter((spec) => readiness.isReady(spec)).length;
  if (count >= 2) return;
  throw new OperationError(
    "failed_precondition",
    `Cannot work in parallel: expected several ready specs, found ${count}`,
  );
}
