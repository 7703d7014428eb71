import { Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_LIST_LIMIT } from "../limits.ts";
import { compareUrgency } from "../spec/planning.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { listing, specRow, unreadablePart } from "./shared/listing.ts";
import { limitParam } from "./shared/params.ts";
import { loadWorld } from "./shared/world.ts";

export const ready = defineTool<PlannerContext>()({
  name: "planner_ready",
  summary:
    "List specs that can be worked on now (pending or failed, dependencies done), most urgent first, as planner_spec_list answers. Begin here to find work.",
  effect: "read",
  idempotent: true,
  params: Type.Object({ limit: limitParam }),
  async run(context, { limit = DEFAULT_LIST_LIMIT }) {
    const { specs, unreadable, readiness } = await loadWorld(context);
    const found = specs.filter((spec) => readiness.matches(spec, "ready")).sort(compareUrgency);
    const invalidPart = await openReadChecks(context);
    return {
      value: {
        ...listing(found, limit, (spec) => ({ ...specRow(spec, readiness), ...invalidPart(spec) })),
        ...unreadablePart(unreadable),
      },
    };
  },
});
