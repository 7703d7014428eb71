import { Type } from "@sinclair/typebox";
import { OperationError } from "#kernel/errors.ts";
import { oneOf } from "#kernel/one_of.ts";
import { defineTool } from "#kernel/tool.ts";
import type { PlannerContext } from "../context.ts";
import { DEFAULT_LIST_LIMIT, MAX_QUERY_CHARS } from "../limits.ts";
import type { Spec } from "../spec/spec.ts";
import { FILTER_STATUSES } from "../spec/status.ts";
import { openReadChecks } from "./shared/invalid_fields.ts";
import { listing, unreadablePart } from "./shared/listing.ts";
import { limitParam } from "./shared/params.ts";
import { searchPattern, snippetOf } from "./shared/search_text.ts";
import { loadWorld } from "./shared/world.ts";

export const search = defineTool<PlannerContext>()({
  name: "planner_search",
  summary:
    "Find specs whose title or body contains a text, ignoring case; each with a snippet. To list by fields alone use planner_spec_list.",
  effect: "read",
  idempotent: true,
  params: Type.Object({
    query: Type.String({ description: "Text to find; not a pattern" }),
    status: Type.Optional(oneOf(FILTER_STATUSES, "Only specs of this status")),
    archived: Type.Optional(Type.Boolean({ description: "Search archived specs too" })),
    limit: limitParam,
  }),
  async run(context, { query, status, archived = false, limit = DEFAULT_LIST_LIMIT }) {
    if (query.trim() === "") throw new OperationError("invalid_argument", "Invalid query: expected text to find");
    if (query.length > MAX_QUERY_CHARS) {
      const message = `Invalid query: expected at most ${MAX_QUERY_CHARS} characters, got ${query.length}`;
      throw new OperationError("invalid_argument", message);
    }
    const pattern = searchPattern(query);
    const { specs, unreadable, readiness } = await loadWorld(context);
    const archive = archived ? await context.specs.archived() : { specs: [], unreadable: [] };
    const found = [...specs, ...archive.specs].filter(
      (spec) =>
        (status === undefined || readiness.matches(spec, status)) &&
        (pattern.test(spec.body) || (spec.title !== null && pattern.test(spec.title))),
    );
    const invalidPart = await openReadChecks(context);
    const row = (spec: Spec) => ({
      id: spec.id,
      title: spec.title,
      status: readiness.effectiveStatus(spec),
      type: spec.type,
      ...(spec.archived ? { archived: true } : {}),
      ...invalidPart(spec),
      snippet: snippetOf(spec, pattern),
    });
    return {
      value: {
        query,
        ...listing(found, limit, row),
        ...unreadablePart([...unreadable, ...archive.unreadable]),
      },
    };
  },
});
