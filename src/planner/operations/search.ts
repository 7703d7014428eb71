import { Type } from "@sinclair/typebox";
import { createEnumSchema, defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { FILTER_STATUSES, type Spec } from "../spec/spec.ts";
import { buildListing, buildUnreadableField } from "./shared/listing.ts";
import { limitParam, offsetParam } from "./shared/params.ts";
import {
  createParameterFilter,
  createSearchPattern,
  cutSnippet,
  fieldParams,
  matchesPattern,
} from "./shared/spec_filter.ts";
import { createInvalidFieldCheck } from "./shared/spec_findings.ts";
import { loadSpecWorld } from "./shared/world.ts";

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
