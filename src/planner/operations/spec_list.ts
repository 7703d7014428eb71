import { Type } from "@sinclair/typebox";
import { createEnumSchema } from "#kernel/one_of.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { computeReadiness } from "../spec/readiness.ts";
import type { Spec, UnreadableFile } from "../spec/spec.ts";
import { FILTER_STATUSES } from "../spec/status.ts";
import { createInvalidFieldCheck } from "./shared/invalid_fields.ts";
import { buildSpecListing, buildSpecRow, buildUnreadableField, type SpecRow } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import { createParameterFilter, filterParams } from "./shared/spec_filter.ts";
import { loadSpecWorld } from "./shared/world.ts";

export const specListTool = defineTool<PlannerContext>()({
  name: "planner_spec_list",
  summary:
    "List active specs by id, filtered, page by page. To find work use planner_ready, to see where a text occurs planner_search.",
  resultDescription:
    "`{specs: [{id, title, status, type, labels?, depends_on?}], total, limit, returned, offset?}`, cancelled specs included. `total` counts the matches before `limit`; 0 asks for it alone. Filters add up.",
  effect: "read",
  idempotent: true,
  params: Type.Object({
    status: Type.Optional(createEnumSchema(FILTER_STATUSES, "blocked: waits for another one")),
    ...filterParams,
    limit: limitParam,
    offset: offsetParam,
  }),
  async run(context, { status, limit, offset, ...filter }) {
    const matchesFilter = createParameterFilter(filter);
    const world = await loadSpecWorld(context);
    const hasStatus = (spec: Spec) => status === undefined || world.readiness.matchesFilter(spec, status);
    const found = world.specs.filter((spec) => hasStatus(spec) && matchesFilter(spec));
    return { value: await buildSpecListing(context, world, found, { limit, offset }) };
  },
});

/** Lists the archived specs by id, only those with `status` if it is given. */
export async function listArchivedSpecs(
  context: PlannerContext,
  status: string | undefined,
): Promise<{ readonly specs: readonly SpecRow[]; readonly unreadable?: readonly UnreadableFile[] }> {
  const { specs, unreadable } = await context.specs.readArchived();
  const readiness = computeReadiness(specs, new Set());
  const invalidPart = await createInvalidFieldCheck(context);
  const rows = specs.map((spec) => buildSpecRow(spec, readiness, invalidPart(spec)));
  return {
    specs: rows.filter((row) => status === undefined || row.status === status),
    ...buildUnreadableField(unreadable),
  };
}
