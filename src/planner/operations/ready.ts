import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { compareUrgency } from "../spec/planning.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { listing, specRow, unreadablePart } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import { filterParams, readFilter } from "./shared/spec_filter.ts";
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
    const meets = readFilter(filter);
    const { specs, unreadable, readiness } = await loadWorld(context);
    const found = specs.filter((spec) => readiness.matches(spec, "ready") && meets(spec)).sort(compareUrgency);
    const invalidPart = await openReadChecks(context);
    return {
      value: {
        ...listing(found, { limit, offset }, (spec) => specRow(spec, readiness, invalidPart(spec))),
        ...unreadablePart(unreadable),
      },
    };
  },
});
