import { type Static, Type } from "@sinclair/typebox";
import { createEnumSchema, defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { computeReadiness } from "../spec/readiness.ts";
import { compareUrgency, FILTER_STATUSES, type Spec, type UnreadableFile } from "../spec/spec.ts";
import {
  buildDetailedRow,
  buildListing,
  buildSpecListing,
  buildSpecRow,
  buildUnreadableField,
  type DetailedSpecRow,
  type Listing,
  type RowBuilder,
} from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import {
  createParameterFilter,
  createSearchPattern,
  cutSnippet,
  fieldParams,
  filterParams,
  matchesPattern,
} from "./shared/spec_filter.ts";
import { createInvalidFieldCheck } from "./shared/spec_findings.ts";
import { loadSpecWorld } from "./shared/world.ts";

const LIST_PARAMS = Type.Object({
  status: Type.Optional(createEnumSchema(FILTER_STATUSES, "blocked: waits")),
  ...filterParams,
  limit: limitParam,
  offset: offsetParam,
});

export const specListTool = defineTool<PlannerContext>()({
  name: "planner_spec_list",
  summary:
    "List active specs by id, filtered, page by page. To find work use planner_ready, to see where a text occurs planner_search.",
  resultDescription:
    "`{specs: [{id, title, status, type, blocked_by?, invalid?}], total, limit, returned, offset?}`, cancelled specs included. `total` counts the matches before `limit`; 0 asks for it alone. Filters add up.",
  effect: "read",
  idempotent: true,
  params: LIST_PARAMS,
  run: async (context, args) => ({ value: await listSpecs(context, args, buildSpecRow) }),
});

/** The command `list`: the tool, with the fields that its columns and filters need in each row. */
export const listCommand = defineTool<PlannerContext>()({
  ...specListTool,
  name: "list",
  run: async (context, args) => ({ value: await listSpecs(context, args, buildDetailedRow) }),
});

async function listSpecs<Row>(
  context: PlannerContext,
  { status, limit, offset, ...filter }: Static<typeof LIST_PARAMS>,
  buildRow: RowBuilder<Row>,
): Promise<Listing<Row>> {
  const matchesFilter = createParameterFilter(filter);
  const world = await loadSpecWorld(context);
  const hasStatus = (spec: Spec) => status === undefined || world.readiness.matchesFilter(spec, status);
  const found = world.specs.filter((spec) => hasStatus(spec) && matchesFilter(spec));
  return buildSpecListing(context, world, found, { limit, offset, buildRow });
}

/** Lists the archived specs by id, only those with `status` if it is given. */
export async function listArchivedSpecs(
  context: PlannerContext,
  status: string | undefined,
): Promise<{ readonly specs: readonly DetailedSpecRow[]; readonly unreadable?: readonly UnreadableFile[] }> {
  const { specs, unreadable } = await context.specs.readArchived();
  const readiness = computeReadiness(specs, new Set());
  const invalidPart = await createInvalidFieldCheck(context);
  const rows = specs.map((spec) => buildDetailedRow(spec, readiness, invalidPart(spec)));
  return {
    specs: rows.filter((row) => status === undefined || row.status === status),
    ...buildUnreadableField(unreadable),
  };
}

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

export const searchTool = defineTool<PlannerContext>()({
  name: "planner_search",
  summary:
    "Find specs by a text in title or body, ignoring case, each with a snippet. By fields alone use planner_spec_list.",
  resultDescription:
    "`{query, specs, total, limit, returned}`, each spec with a `snippet`. The text has 1 to 4096 characters.",
  effect: "read",
  idempotent: true,
  params: Type.Object({
    query: Type.String({ description: "Text to find; not a pattern" }),
    status: Type.Optional(createEnumSchema(FILTER_STATUSES, "Has this status")),
    archived: Type.Optional(Type.Boolean({ description: "Search archived specs too" })),
    ...fieldParams,
    limit: limitParam,
    offset: offsetParam,
  }),
  async run(context, { query, status, archived = false, limit, offset, ...filter }) {
    const pattern = createSearchPattern(query);
    const matchesFilter = createParameterFilter(filter);
    const { specs, unreadable, readiness } = await loadSpecWorld(context);
    const archive = archived ? await context.specs.readArchived() : { specs: [], unreadable: [] };
    const found = [...specs, ...archive.specs].filter(
      (spec) =>
        (status === undefined || readiness.matchesFilter(spec, status)) &&
        matchesFilter(spec) &&
        matchesPattern(spec, pattern),
    );
    const findInvalidFields = await createInvalidFieldCheck(context);
    const buildRow = (spec: Spec) => ({
      id: spec.id,
      title: spec.title,
      status: readiness.getEffectiveStatus(spec),
      type: spec.type,
      ...(spec.archived ? { archived: true } : {}),
      ...findInvalidFields(spec),
      snippet: cutSnippet(spec, pattern),
    });
    return {
      value: {
        query,
        ...buildListing(found, { limit, offset }, buildRow),
        ...buildUnreadableField([...unreadable, ...archive.unreadable]),
      },
    };
  },
});
