import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { findSpec } from "./find_spec.ts";

export const specGet = defineTool<PlannerContext>()({
  name: "planner_spec_get",
  summary: "Read one spec with its body",
  effect: "read",
  idempotent: true,
  params: Type.Object({ id: Type.String({ description: "Full or partial spec id" }) }),
  async run(context, { id }) {
    const spec = await findSpec(context, id, { archived: true });
    return {
      value: {
        id: spec.id,
        title: spec.title,
        status: spec.status,
        type: spec.type,
        body: spec.body,
      },
    };
  },
});
