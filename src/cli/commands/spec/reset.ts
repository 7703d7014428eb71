import { reset } from "#planner/operations/reset.ts";
import { defineCommand } from "../../command.ts";
import { runSpecTool } from "../../run_spec_tool.ts";
import { ACTIVE_ID, JSON_FLAG } from "../../shared_arguments.ts";

export const command = defineCommand({
  summary: "Set a spec back to pending that failed, needs attention or was left in progress",
  positionals: { id: ACTIVE_ID },
  flags: { json: JSON_FLAG },
  examples: [{ line: "planner reset 003", shows: "give today's third spec another try" }],
  run: ({ id, json }, cli) => runSpecTool(cli, reset, { id, json }),
});
