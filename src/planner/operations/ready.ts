import { type Static, Type } from "@sinclair/typebox";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { compareUrgency, type Spec } from "../spec/spec.ts";
import { buildDetailedRow, buildSpecListing, buildSpecRow, type Listing, type RowBuilder } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import { createParameterFilter, filterParams } from "./shared/spec_filter.ts";
import { loadSpecWorld } from "./shared/world.ts";

const READY_PARAMS = Type.Object({ ...filterParams, limit: limitParam, offset: offsetParam });

export const readyTool = defineTool<PlannerContext>()({
  name: "planner_ready",
  summary:
    "List specs that can be worked on now, most urgent first: begin here to find work. Answers as planner_spec_list, which lists all.",
  resultDescription: "Ordered by priority, due day and id.",
  effect: "read",
  idempotent: true,
  params: READY_PARAMS,
  run: async (context, args) => ({ value: await listReadySpecs(context, args, buildSpecRow) }),
});

/** The command `ready`: the tool, with the fields that its columns and filters need in each row. */
export const readyCommand = defineTool<PlannerContext>()({
  ...readyTool,
  name: "ready",
  run: async (context, args) => ({ value: await listReadySpecs(context, args, buildDetailedRow) }),
});

async function listReadySpecs<Row>(
  context: PlannerContext,
  { limit, offset, ...filter }: Static<typeof READY_PARAMS>,
  buildRow: RowBuilder<Row>,
): Promise<Listing<Row>> {
  const matchesFilter = createParameterFilter(filter);
  const world = await loadSpecWorld(context);
  const isReady = (spec: Spec) => world.readiness.matchesFilter(spec, "ready") && matchesFilter(spec);
  const found = world.specs.filter(isReady).sort(compareUrgency);
  return buildSpecListing(context, world, found, { limit, offset, buildRow });
}
