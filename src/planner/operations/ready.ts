import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { compareUrgency } from "../spec/planning.ts";
import { createInvalidFieldCheck } from "./shared/invalid_fields.ts";
import { buildListing, buildSpecRow, buildUnreadableField } from "./shared/listing.ts";
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
    const { specs, unreadable, readiness } = await loadSpecWorld(context);
    const found = specs
      .filter((spec) => readiness.matchesFilter(spec, "ready") && matchesFilter(spec))
      .sort(compareUrgency);
    const findInvalidFields = await createInvalidFieldCheck(context);
    return {
      value: {
        ...buildListing(found, { limit, offset }, (spec) => buildSpecRow(spec, readiness, findInvalidFields(spec))),
        ...buildUnreadableField(unreadable),
      },
    };
  },
});
