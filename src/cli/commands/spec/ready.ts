import { readyCommand } from "#planner/operations/spec_list.ts";
import { runTool } from "#planner/service.ts";
import { JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { type ListedSpec, printSpecListing, selectSpecColumns } from "../../output/listing_output.ts";
import { printJson } from "../../output/print.ts";
import { filterListedSpecs, LIST_LIMIT_FLAGS, NO_LIMIT } from "../../spec_filter.ts";

export const command = defineCommand({
  meta: {
    name: "ready",
    description: "List the specs that can be worked on now: pending or failed, with all dependencies done",
  },
  details: "With --json a spec has the fields that `planner list --json` prints.",
  args: { ...LIST_LIMIT_FLAGS, json: JSON_FLAG },
  examples: {
    "planner ready": "List all ready specs",
    "planner ready --limit 1 --json": "Print the first one as JSON",
  },
  async run({ args: { type, label, limit, json }, cli }) {
    const context = await cli.openContext();
    const { value } = await runTool(context, readyCommand, { limit: NO_LIMIT });
    const list = filterListedSpecs(value, { types: type, labels: label, limit });
    if (json) return printJson(list);
    printSpecListing<ListedSpec>(cli, list, selectSpecColumns(list.specs, await context.specs.listIds()));
  },
});
