import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { compareUrgency } from "../spec/planning.ts";
import { createInvalidCheck } from "./shared/invalid_fields.ts";
import { buildListing, buildSpecRow, buildUnreadableField } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import { createFilter, filterParams } from "./shared/spec_filter.ts";
import { loadWorld } from "./shared/world.ts";

export const ready = defineTool<PlannerContext>()({
  name: "planner_ready",
  summary:
    "List specs that can be worked on now, most urgent first: begin here to find work. Answers as planner_spec_list, which lists all.",
  answers: "Ordered by priority, due day and id.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ ...filterParams, limit: limitParam, offset: offsetParam }),
  async run(context, { limit, offset, ...filter }) {
    const meets = createFilter(filter);
    const { specs, unreadable, readiness } = await loadWorld(context);
    const found = specs.filter((spec) => readiness.matches(spec, "ready") && meets(spec)).sort(compareUrgency);
    const invalidPart = await createInvalidCheck(context);
    return {
      value: {
        ...buildListing(found, { limit, offset }, (spec) => buildSpecRow(spec, readiness, invalidPart(spec))),
        ...buildUnreadableField(unreadable),
      },
    };
  },
});
