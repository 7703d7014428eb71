import { cancel } from "#planner/operations/cancel.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTools } from "../../run_spec_tool.ts";
import { ACTIVE_IDS, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Cancel specs; specs that depend on them are no longer blocked",
  positionals: { id: ACTIVE_IDS },
  flags: { json: JSON_FLAG },
  examples: [
    { line: "planner cancel 003", shows: "Cancel today's third spec" },
    { line: "planner cancel 003 004", shows: "Cancel two specs" },
  ],
  run: ({ id: ids, json }, cli) => runSpecTools(cli, cancel, { ids, json }),
});
