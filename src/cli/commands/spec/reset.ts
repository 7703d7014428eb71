import { reset } from "#planner/operations/reset.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTools } from "../../run_spec_tool.ts";
import { ACTIVE_IDS, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Set specs back to pending that failed, need attention or are in progress without a run",
  positionals: { id: ACTIVE_IDS },
  flags: { json: JSON_FLAG },
  examples: [
    { line: "planner reset 003", shows: "Reset today's third spec" },
    { line: "planner reset 003 004", shows: "Reset two specs" },
  ],
  run: ({ id: ids, json }, cli) => runSpecTools(cli, reset, { ids, json }),
});
