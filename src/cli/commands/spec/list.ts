import type { DetailedSpecRow } from "#planner/operations/shared/listing.ts";
import { listArchivedSpecs, listCommand } from "#planner/operations/spec_list.ts";
import { runTool } from "#planner/service.ts";
import { compareDueDays, compareUrgency } from "#planner/spec/spec.ts";
import { booleanFlag, enumFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import {
  formatOthersClaims,
  type ListedSpec,
  printSpecListing,
  readOthersClaims,
  selectSpecColumns,
} from "../../output/listing_output.ts";
import { printJson } from "../../output/print.ts";
import { printText } from "../../output/wrap_text.ts";
import { createDueTest, FIELD_FILTER_FLAGS, filterListedSpecs, LIST_LIMIT_FLAGS, NO_LIMIT } from "../../spec_filter.ts";

export const command = defineCommand({
  meta: { name: "list", description: "List the active specs, ordered by id" },
  details:
    "Priority, due day and assignee are columns if a listed spec has them. With --json a spec can have `labels`, `depends_on`, `priority`, `assignee` and `due` beside the fields of the tool.",
  args: {
    ...FIELD_FILTER_FLAGS,
    sort: enumFlag(["id", "priority", "due"], "Sort order (default: id)"),
    archived: booleanFlag("List the archived specs instead", { alias: "a" }),
    ...LIST_LIMIT_FLAGS,
    json: JSON_FLAG,
  },
  examples: {
    "planner list": "List all active specs",
    "planner list --status blocked": "List specs that wait for another spec",
    "planner list --sort priority --assignee ada": "List the specs of one person, most urgent first",
    "planner list --label api --label web --json": "List specs with either label, as JSON",
  },
  async run({ args: { status, archived, type, label, priority, assignee, limit, json, due, sort }, cli }) {
    const context = await cli.openContext();
    const value = archived
      ? await listArchivedSpecs(context, status)
      : (await runTool(context, listCommand, { ...(status !== undefined && { status }), limit: NO_LIMIT })).value;
    const filter = { types: type, labels: label, priorities: priority, assignees: assignee, limit };
    const list = filterListedSpecs({ ...value, specs: selectSortedRows(value.specs, due, sort) }, filter);
    const listed = new Set(list.specs.map(({ id }) => id as string));
    const others = (await readOthersClaims(context))?.filter(({ spec_id }) => listed.has(spec_id));
    if (json) return printJson({ ...list, ...(others !== undefined && { others }) });
    printSpecListing<ListedSpec>(cli, list, selectSpecColumns(list.specs, await context.specs.listIds()));
    printText(formatOthersClaims(others));
  },
});

/** Returns the specs that are due by the requested day, in the requested order, then by id. */
function selectSortedRows(
  specs: readonly DetailedSpecRow[],
  due: string | undefined,
  sort: string | undefined,
): readonly DetailedSpecRow[] {
  const found = specs.filter(createDueTest(due));
  if (sort === "priority") return found.sort(compareUrgency);
  return sort === "due" ? found.sort(compareDueDays) : found;
}
