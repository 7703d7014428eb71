import { Type } from "@sinclair/typebox";
import { oneOf } from "#kernel/one_of.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_LIST_LIMIT } from "../limits.ts";
import { FILTER_STATUSES } from "../spec/status.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { listing, specRow, unreadablePart } from "./shared/listing.ts";
import { limitParam } from "./shared/params.ts";
import { loadWorld } from "./shared/world.ts";

export const specList = defineTool<PlannerContext>()({
  name: "planner_spec_list",
  summary:
    "List active specs in order of id, filtered and page by page: {specs, total, limit, returned}. To find work use planner_ready, to find a text with its place planner_search.",
  effect: "read",
  idempotent: true,
  params: Type.Object({
    status: Type.Optional(
      oneOf(FILTER_STATUSES, "Only these; ready = can be worked now, blocked = waits for a dependency"),
    ),
    limit: limitParam,
  }),
  async run(context, { status, limit = DEFAULT_LIST_LIMIT }) {
    const { specs, unreadable, readiness } = await loadWorld(context);
    const found = status === undefined ? specs : specs.filter((spec) => readiness.matches(spec, status));
    const invalidPart = await openReadChecks(context);
    return {
      value: {
        ...listing(found, limit, (spec) => ({ ...specRow(spec, readiness), ...invalidPart(spec) })),
        ...unreadablePart(unreadable),
      },
    };
  },
});
