import { searchTool } from "#planner/operations/spec_list.ts";
import { runTool } from "#planner/service.ts";
import { FILTER_STATUSES } from "#planner/spec/spec.ts";
import { booleanFlag, enumFlag, integerFlag, JSON_FLAG, requiredArgument } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { createIdColumn, printSpecListing, STATUS_COLUMN, TITLE_COLUMN } from "../../output/listing_output.ts";
import { printJson } from "../../output/print.ts";
import { filterListedSpecs, NO_LIMIT } from "../../spec_filter.ts";

export const command = defineCommand({
  meta: { name: "search", description: "Find specs whose title or body contains a text, ignoring case" },
  args: {
    query: requiredArgument("Text to search for; not a pattern"),
    status: enumFlag(FILTER_STATUSES, "Only specs of this status", { alias: "s" }),
    archived: booleanFlag("Search archived specs too", { alias: "a" }),
    limit: integerFlag(1, "Maximum number of results (default: all)", { alias: "n" }),
    json: JSON_FLAG,
  },
  examples: {
    "planner search redirect": "Search the active specs",
    'planner search "rate limit" --archived': "Search archived specs too",
  },
  async run({ args: { query, status, archived, limit, json }, cli }) {
    const filter = status === undefined ? {} : { status };
    const context = await cli.openContext();
    const { value } = await runTool(context, searchTool, { query, archived, ...filter, limit: NO_LIMIT });
    const list = filterListedSpecs(value, { limit });
    if (json) return printJson({ query, ...list });
    const snippet = { title: "MATCH", text: (row: (typeof list.specs)[number]) => row.snippet, shrinks: true } as const;
    printSpecListing(cli, list, [createIdColumn(await context.specs.listIds()), STATUS_COLUMN, TITLE_COLUMN, snippet]);
  },
});
