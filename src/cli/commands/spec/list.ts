import { specList } from "#planner/operations/spec_list.ts";
import { runTool } from "#planner/service.ts";
import { FILTER_STATUSES } from "#planner/spec/status.ts";
import { defineCommand } from "../../command.ts";
import { type ListedSpec, printListing, SPEC_COLUMNS } from "../../listing_output.ts";
import { printJson } from "../../print.ts";
import { JSON_FLAG } from "../../shared_arguments.ts";
import { CUT_FLAGS, cutList, NO_LIMIT } from "../../spec_filter.ts";

export const command = defineCommand({
  summary: "List the active specs in order of id",
  positionals: {},
  flags: {
    status: { type: "enum", short: "s", options: FILTER_STATUSES, summary: "Only specs of this status" },
    ...CUT_FLAGS,
    json: JSON_FLAG,
  },
  examples: [
    { line: "planner list", shows: "every active spec" },
    { line: "planner list --status blocked", shows: "what waits for another spec" },
    { line: "planner list --label api --label web --json", shows: "specs with either label, for a program" },
  ],
  async run({ status, type, label, limit, json }, cli) {
    const filter = status === undefined ? {} : { status };
    const { value } = await runTool(await cli.planner(), specList, { ...filter, limit: NO_LIMIT });
    const list = cutList(value, { types: type, labels: label, limit });
    if (json) return printJson(list);
    printListing<ListedSpec>(cli, list, SPEC_COLUMNS);
  },
});
