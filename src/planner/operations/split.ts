import { Type } from "@sinclair/typebox";
import { createPreconditionError } from "#kernel/errors.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_SPLIT_DEPTH } from "../limits.ts";
import type { Spec } from "../spec/spec.ts";
import { parseParentId } from "../spec/spec_id.ts";
import { selectProvider } from "../work/providers.ts";
import { findSpec } from "./shared/find_spec.ts";
import { refuseSpecInWork, startBackgroundWork } from "./shared/live_worker.ts";
import { specIdParam } from "./shared/params.ts";
import { refuseMissingAgent } from "./shared/start_checks.ts";

export const splitTool = defineTool<PlannerContext>()({
  name: "planner_split",
  summary:
    "Let an agent split a large spec in the background, if a person asks; answers process_id. To write members yourself use planner_add.",
  resultDescription: "The process record, with mode `split`.",
  effect: "write",
  idempotent: true,
  slow: true,
  params: Type.Object({
    id: specIdParam,
    force: Type.Optional(Type.Boolean({ description: "Split a spec of any status" })),
    recursive: Type.Optional(Type.Boolean({ description: "Split members that are still too large" })),
    max_depth: Type.Optional(
      Type.Integer({ description: "Most levels, when recursive", minimum: 1, default: DEFAULT_SPLIT_DEPTH }),
    ),
  }),
  async run(context, { id, force = false, recursive = false, max_depth = DEFAULT_SPLIT_DEPTH }) {
    const spec = await findSpec(context, id, { archived: false });
    await refuseSpecInWork(context, spec.id, "split");
    await refuseUnsplittableSpec(context, spec, force);
    const provider = selectProvider(await context.readConfig(), { model: null, task: "split" });
    await refuseMissingAgent(context, provider, `split spec '${spec.id}'`);
    const depth = recursive ? ["--recursive", "--max-depth", String(max_depth)] : [];
    const words = ["split", spec.id, ...(force ? ["--force"] : []), ...depth];
    return { value: await startBackgroundWork(context, { spec_id: spec.id, mode: "split", commandArguments: words }) };
  },
});

/** Rejects a spec that cannot be split now; `force` allows any status. Source: docs/decisions.md#s-27. */
export async function refuseUnsplittableSpec(context: PlannerContext, spec: Spec, force: boolean): Promise<void> {
  const { id, status, members } = spec;
  if (status !== "pending" && !force) {
    throw createPreconditionError(`Spec '${id}' must be in pending status to split. Current status: ${status}`);
  }
  const ids = [...(await context.specs.listIds()), ...(await context.specs.listArchivedIds())];
  const found = [...new Set([...members, ...ids.filter((other) => parseParentId(other) === id)])];
  if (found.length === 0) return;
  throw createPreconditionError(`Spec '${id}' is already split: ${found.join(", ")}`);
}
