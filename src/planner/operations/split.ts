import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_SPLIT_DEPTH } from "../limits.ts";
import type { Spec } from "../spec/spec.ts";
import { parentOf } from "../spec/spec_id.ts";
import { agentsAbsent } from "./agents_absent.ts";
import { findSpec } from "./find_spec.ts";
import { refuseWhileWorked } from "./live_worker.ts";
import { specIdParam } from "./params.ts";

export const split = defineTool<PlannerContext>()({
  name: "planner_split",
  summary: "Let an agent split a large spec into member specs",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    force: Type.Optional(Type.Boolean({ description: "Split whatever the spec's status" })),
    recursive: Type.Optional(Type.Boolean({ description: "Split members that are still too large" })),
    max_depth: Type.Optional(
      Type.Integer({ description: "Most levels, when recursive", minimum: 1, default: DEFAULT_SPLIT_DEPTH }),
    ),
  }),
  async run(context, { id, force = false }) {
    const spec = await findSpec(context, id, { archived: false });
    await refuseWhileWorked(context, spec.id, "split");
    if (spec.status !== "pending" && !force) {
      throw new OperationError(
        "failed_precondition",
        `Spec '${spec.id}' must be in pending status to split. Current status: ${spec.status}`,
      );
    }
    await refuseSplit(context, spec);
    throw agentsAbsent(`Failed to split spec '${spec.id}'`);
  },
});

async function refuseSplit(context: PlannerContext, { id, members }: Spec): Promise<void> {
  const ids = [...(await context.specs.ids()), ...(await context.specs.archivedIds())];
  const found = [...new Set([...members, ...ids.filter((other) => parentOf(other) === id)])];
  if (found.length === 0) return;
  throw new OperationError("failed_precondition", `Spec '${id}' is already split: ${found.join(", ")}`);
}
