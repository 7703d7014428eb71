import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { compareUrgency } from "../spec/planning.ts";
import type { Spec } from "../spec/spec.ts";
import { buildSpecListing } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import { createParameterFilter, filterParams } from "./shared/spec_filter.ts";
import { loadSpecWorld } from "./shared/world.ts";

export const readyTool = defineTool<PlannerContext>()({
  name: "planner_ready",
  summary:
    "List specs that can be worked on now, most urgent first: begin here to find work. Answers as planner_spec_list, which lists all.",
  resultDescription: "Ordered by priority, due day and id.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ ...filterParams, limit: limitParam, offset: offsetParam }),
  async run(context, { limit, offset, ...filter }) {
    const matchesFilter = createParameterFilter(filter);
    const world = await loadSpecWorld(context);
    const isReady = (spec: Spec) => world.readiness.matchesFilter(spec, "ready") && matchesFilter(spec);
    const found = world.specs.filter(isReady).sort(compareUrgency);
    return { value: await buildSpecListing(context, world, found, { limit, offset }) };
  },
});
